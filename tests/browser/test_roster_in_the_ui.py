"""The roster in the browser: a backfill, a sweep in shards, and an athlete who fails in each. In the order written."""

import re
from collections.abc import Iterator

import dagster as dg
import pytest
from playwright.sync_api import Page, expect

from graphs.contracts import Category
from keifu_quality.defs.partitions import ATHLETES
from keifu_quality.sample.demo import DEMO_CLEAN_SLUG
from tests.browser import pages
from tests.browser.damage import MESSAGE, damaged_bests
from tests.dagster.instance import Deployment

pytestmark = [pytest.mark.browser, pytest.mark.dagster, pytest.mark.postgres, pytest.mark.timeout(900)]

BACKFILL_TAG = "dagster/backfill"
ADVICE = "When the causes are gone, materialize their partitions, or wait for the next sweep, which takes them again."


@pytest.fixture(autouse=True)
def known_roster(deployed: Deployment) -> None:
    """The keys are those of the roster; where no run has said so yet, the UI asks whether one is sure."""
    if deployed.instance.get_latest_materialization_event(dg.AssetKey("athlete_roster")) is None:
        deployed.instance.report_runless_asset_event(dg.AssetMaterialization("athlete_roster"))


@pytest.fixture
def keys(deployed: Deployment) -> list[str]:
    return list(deployed.instance.get_dynamic_partitions(ATHLETES.name or ""))


@pytest.fixture
def damaged(deployed: Deployment) -> Iterator[str]:
    with damaged_bests(deployed, DEMO_CLEAN_SLUG):
        yield DEMO_CLEAN_SLUG


def runs_of_backfill(deployed: Deployment, backfill: str) -> list[dg.DagsterRun]:
    return list(deployed.instance.get_runs(dg.RunsFilter(tags={BACKFILL_TAG: backfill})))


def test_a_backfill_of_fifty_is_one_run_and_fifty_diagnoses(
    deployed: Deployment, ui: str, page: Page, console: list[str], keys: list[str]
) -> None:
    chosen = keys[:50]
    backfill = pages.launch_backfill(page, ui, chosen)
    assert pages.await_backfill(page, ui, backfill, "Succeeded") == [50, 0, 50, 0]
    (run,) = runs_of_backfill(deployed, backfill)
    diagnosed = deployed.agent(
        "SELECT person_slug, status, outcome FROM agent_runs WHERE dagster_run_id = :run ORDER BY 1", run=run.run_id
    )
    assert diagnosed == [(slug, "completed", "completed") for slug in sorted(chosen)]
    pages.expect_partitions(page, ui, failed=0, materialized=50, missing=len(keys) - 50)
    assert console == []


def test_the_shards_of_a_sweep_turn_the_roster_green(
    deployed: Deployment, ui: str, page: Page, console: list[str], keys: list[str]
) -> None:
    config = "ops: {{sweep_roster_op: {{config: {{shard: {shard}, shards: 2}}}}}}"
    runs = [pages.launch_job(page, ui, "sweep_roster", config.format(shard=shard)) for shard in range(2)]
    for run in runs:
        page.goto(f"{ui}/runs/{run}")
        pages.await_run(page, "Success")
    pages.expect_partitions(page, ui, failed=0, materialized=len(keys), missing=0)

    found = dict(
        deployed.agent(
            "SELECT f ->> 'category', count(*) FROM athlete_index i"
            " JOIN diagnosis_results d ON d.run_id = i.last_run_id CROSS JOIN jsonb_array_elements(d.findings_json) f"
            " GROUP BY 1"
        )
    )
    for family in (category.value for category in Category):
        pages.open_check(page, ui, family)
        expect(page.get_by_text(f"evaluated for {len(keys)} athletes of the roster")).to_be_visible()
        expect(pages.metadata(page, "athletes_evaluated")).to_have_text(str(len(keys)))
        rows = pages.metadata(page, "rules").locator("tbody tr")
        expect(rows).not_to_have_count(0)
        assert sum(int(row.locator("td").nth(3).inner_text()) for row in rows.all()) == found[family]
    assert console == []


def test_a_backfill_and_a_sweep_name_the_athlete_that_failed(
    deployed: Deployment, ui: str, page: Page, console: list[str], keys: list[str], damaged: str
) -> None:
    named = f"1 athletes could not be diagnosed; all others are done. {ADVICE} {damaged}: {MESSAGE}"
    at = keys.index(damaged)
    backfill = pages.launch_backfill(page, ui, keys[at - 1 : at + 2])
    assert pages.await_backfill(page, ui, backfill, "Failed") == [3, 0, 2, 1]
    (run,) = runs_of_backfill(deployed, backfill)
    page.goto(f"{ui}/runs/{run.run_id}")
    expect_failure(page, named)
    expect_red(page, ui, damaged)

    pages.launch_job(page, ui, "sweep_roster", "ops: {sweep_roster_op: {config: {full: true}}}")
    pages.await_run(page, "Failure")
    pages.filter_events(page, "execution of step")
    expect_failure(page, named)
    for family in (category.value for category in Category):
        pages.open_check(page, ui, family)
        told = f"the diagnosis failed for 1 athletes, whom the next sweep takes again: {damaged}"
        expect(page.get_by_text(told)).to_be_visible()
        expect(pages.metadata(page, "athletes_failed")).to_have_text("1")
        expect(pages.metadata(page, "failed_causes")).to_contain_text(MESSAGE)
    assert console == []


def test_an_athlete_that_fails_alone_says_what_to_do(
    deployed: Deployment, ui: str, page: Page, console: list[str], damaged: str
) -> None:
    pages.choose_partitions(page, ui, [damaged]).get_by_role("button", name="Launch 1 run").click()
    run = pages.follow_notice(page)
    pages.await_run(page, "Failure")
    [(agent_run,)] = deployed.agent("SELECT run_id FROM agent_runs WHERE dagster_run_id = :run", run=run)
    expect_failure(page, f"The diagnosis of {damaged} failed: {MESSAGE}")
    expect_failure(page, f"When the cause is gone, launch it again. How far it came: keifu inspect {agent_run}")
    expect_red(page, ui, damaged)
    for family in (category.value for category in Category):
        pages.open_check(page, ui, family)
        expect(page.get_by_text(f"not evaluated: The diagnosis of {damaged} failed: {MESSAGE}")).to_be_visible()
    assert console == []


def expect_failure(page: Page, text: str) -> None:
    """The events of the run show this text."""
    expect(page.get_by_text(text).first).to_be_visible()


def expect_red(page: Page, ui: str, slug: str) -> None:
    """The partition of the athlete, and no other, counts as failed, and its page names the run."""
    pages.open_partition(page, ui, slug)
    expect(page.get_by_text("Failed (1)", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile("^Run .* failed, and did not materialize this asset"))).to_be_visible()
