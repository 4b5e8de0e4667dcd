"""An athlete is diagnosed in the browser, from the roster to the findings on the page.

Says how long that took; nothing depends on it. With KEIFU_BROWSER_PICTURE=docs/images/person-diagnosis.png it also
renews the picture of the README.
"""

import time
from pathlib import Path

import dagster as dg
import pytest
from playwright.sync_api import Page, expect

from keifu_quality.sample.demo import DEMO_FAULTY_SLUG
from tests.browser import pages
from tests.dagster.instance import Deployment

pytestmark = [pytest.mark.browser, pytest.mark.dagster, pytest.mark.postgres, pytest.mark.timeout(900)]


def test_an_athlete_is_diagnosed_and_the_findings_are_shown(
    deployed: Deployment,
    ui: str,
    page: Page,
    console: list[str],
    picture: Path | None,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pages.materialize_roster(page, ui)

    dialog = pages.choose_partitions(page, ui, [DEMO_FAULTY_SLUG])
    clicked = time.monotonic()
    dialog.get_by_role("button", name="Launch 1 run").click()
    run_id = pages.follow_notice(page)
    pages.await_run(page, "Success")
    succeeded = time.monotonic() - clicked
    pages.open_partition(page, ui, DEMO_FAULTY_SLUG)
    (stored,) = deployed.agent("SELECT * FROM diagnosis_results WHERE person_slug = :slug", slug=DEMO_FAULTY_SLUG)
    expect(pages.metadata(page, "headline")).to_have_text(stored.summary_json["headline"])
    shown = time.monotonic() - clicked
    terminal = request.config.get_terminal_writer()
    with capsys.disabled():
        terminal.line(f"\nfrom click to success {succeeded:.1f} s, to the findings {shown:.1f} s")
        terminal.line(f"seconds after the run was put into the queue: {stages(deployed, run_id)}")

    expect(pages.metadata(page, "run_id")).to_have_text(stored.run_id)
    rows = pages.metadata(page, "findings").locator("tbody tr")
    expect(rows).to_have_count(len(stored.findings_json))
    codes = [row.locator("td").nth(1).inner_text() for row in rows.all()]
    assert sorted(codes) == sorted(finding["code"] for finding in stored.findings_json)
    assert codes, "the athlete with faults has none"
    for severity in ("error", "warning", "info"):
        count = sum(finding["severity"] == severity for finding in stored.findings_json)
        expect(pages.metadata(page, f"{severity}_count")).to_have_text(str(count))
    if picture:
        # The findings take the room of the navigation.
        page.get_by_text("Hide navigation").click()
        expect(page.get_by_text("Hide navigation")).to_be_hidden()
        page.screenshot(path=picture)
    assert console == []


def stages(deployed: Deployment, run_id: str) -> str:
    """When the run came to each stage."""
    times = {
        entry.dagster_event.event_type_value: entry.timestamp
        for entry in reversed(deployed.instance.all_logs(run_id))
        if entry.dagster_event is not None
    }
    kinds = (
        dg.DagsterEventType.PIPELINE_STARTING,
        dg.DagsterEventType.ENGINE_EVENT,
        dg.DagsterEventType.PIPELINE_START,
        dg.DagsterEventType.STEP_START,
        dg.DagsterEventType.PIPELINE_SUCCESS,
    )
    names = ("taken from the queue", "its process has Dagster", "has the definitions", "step starts", "success")
    queued = times[dg.DagsterEventType.PIPELINE_ENQUEUED.value]
    return ", ".join(f"{name} {times[kind.value] - queued:.1f}" for name, kind in zip(names, kinds, strict=True))
