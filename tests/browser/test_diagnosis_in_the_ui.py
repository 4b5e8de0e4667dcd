"""An athlete is diagnosed in the browser, from an empty Dagster to the findings on the page.

With KEIFU_BROWSER_PICTURE=docs/images/person-diagnosis.png it also renews the picture of the README.
"""

import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Locator, Page, expect
from psycopg.rows import dict_row

from keifu_quality.sample.demo import DEMO_FAULTY_SLUG
from keifu_quality.settings import Settings
from tests.browser.conftest import STEP_SECONDS
from tests.ui_server import running_ui

pytestmark = [pytest.mark.browser, pytest.mark.dagster, pytest.mark.postgres, pytest.mark.timeout(900)]

FINISHED = re.compile("^(Success|Failure|Canceled)$")


def test_an_athlete_is_diagnosed_and_the_findings_are_shown(
    chromium: str, picture: Path | None, sample_settings: Settings, page: Page, console: list[str], tmp_path: Path
) -> None:
    expect.set_options(timeout=STEP_SECONDS * 1000)
    with running_ui(tmp_path) as server:
        materialize_roster(page, server.url)
        materialize_athlete(page, server.url, DEMO_FAULTY_SLUG)
        page.goto(f"{server.url}/assets/person_diagnosis?view=partitions&partition={DEMO_FAULTY_SLUG}")
        stored = stored_result(sample_settings)

        expect(metadata(page, "headline")).to_have_text(stored["summary_json"]["headline"])
        expect(metadata(page, "run_id")).to_have_text(stored["run_id"])
        shown = metadata(page, "findings").locator("tbody tr")
        expect(shown).to_have_count(len(stored["findings_json"]))
        codes = [row.locator("td").nth(1).inner_text() for row in shown.all()]
        assert sorted(codes) == sorted(finding["code"] for finding in stored["findings_json"])
        assert codes, "the athlete with faults has none"
        for severity in ("error", "warning", "info"):
            count = sum(finding["severity"] == severity for finding in stored["findings_json"])
            expect(metadata(page, f"{severity}_count")).to_have_text(str(count))
        if picture:
            # The findings take the room of the navigation.
            page.get_by_text("Hide navigation").click()
            expect(page.get_by_text("Hide navigation")).to_be_hidden()
            page.screenshot(path=picture)
    assert console == []


def materialize_roster(page: Page, url: str) -> None:
    page.goto(f"{url}/assets/athlete_roster")
    page.get_by_role("button", name="Materialize").first.click()
    await_run(page)


def materialize_athlete(page: Page, url: str, slug: str) -> None:
    page.goto(f"{url}/assets/person_diagnosis")
    page.get_by_role("button", name="Materialize").first.click()
    dialog = page.get_by_role("dialog").first
    dialog.get_by_text("Select a partition or create one").click()
    page.get_by_placeholder("Filter partitions").fill(slug)
    page.get_by_title(slug, exact=True).click()
    expect(dialog.get_by_text("1 partition", exact=True)).to_be_visible()
    # A click beside the list of partitions closes it.
    dialog.get_by_text("Launch runs to materialize").click()
    dialog.get_by_role("button", name="Launch 1 run").click()
    await_run(page)


def await_run(page: Page) -> None:
    """Follows the link of the notice to the run that was launched, and waits until it succeeded."""
    page.get_by_role("link", name="View", exact=True).first.click()
    page.wait_for_url("**/runs/*")
    expect(page.get_by_text(FINISHED).first).to_have_text("Success")


def metadata(page: Page, key: str) -> Locator:
    """The cell beside the key in the table of metadata."""
    named = page.locator("td:first-child").get_by_text(key, exact=True)
    return page.locator("tr").filter(has=named).locator("td").nth(1)


def stored_result(settings: Settings) -> dict[str, Any]:
    agent = settings.agent_dsn()
    assert agent is not None
    with psycopg.connect(agent.libpq()) as connection, connection.cursor(row_factory=dict_row) as cursor:
        (row,) = cursor.execute("SELECT * FROM diagnosis_results").fetchall()
    return row
