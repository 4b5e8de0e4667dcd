"""What a user does on the pages of Dagster's UI: launches, follows the notice, reads the tables.

Belongs here: clicks and waits, by role and text. Stays out: what the pages have to say, which the tests do.
"""

import re
from collections.abc import Sequence

from playwright.sync_api import Locator, Page, expect

FINISHED = re.compile("^(Success|Failure|Canceled)$")
BACKFILL_COUNTS = re.compile(r"% completed\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)")
BACKFILL_SECONDS = 240
"""A backfill is looked at every half minute: once to start its runs, once more when they are done."""
RUN_SECONDS = 300
"""A run of a few seconds on a loaded machine, where Dagster may have to ask its code server for it again."""
SEARCHED = 10
"""Up to so many partitions are looked for by name; more are ticked down the list."""


def materialize_roster(page: Page, ui: str) -> None:
    """Materializes athlete_roster and stays on the page of its run."""
    page.goto(f"{ui}/assets/athlete_roster")
    page.get_by_role("button", name="Materialize").first.click()
    follow_notice(page)
    await_run(page, "Success")


def choose_partitions(page: Page, ui: str, slugs: Sequence[str]) -> Locator:
    """Opens the dialog of person_diagnosis and ticks these partitions; the dialog, ready to be launched."""
    page.goto(f"{ui}/assets/person_diagnosis")
    page.get_by_role("button", name="Materialize").first.click()
    dialog = page.get_by_role("dialog").first
    dialog.get_by_text("Select a partition or create one").click()
    for slug in slugs:
        if len(slugs) <= SEARCHED:
            page.get_by_placeholder("Filter partitions").fill(slug)
        page.get_by_title(slug, exact=True).first.click()
    # A click beside the list of partitions closes it.
    dialog.get_by_text("Launch runs to materialize").click()
    expect(dialog.get_by_text(f"{len(slugs)} partition{'s' if len(slugs) > 1 else ''}", exact=True)).to_be_visible()
    return dialog


def launch_backfill(page: Page, ui: str, slugs: Sequence[str]) -> str:
    """Launches a backfill of these partitions from the dialog; its id."""
    choose_partitions(page, ui, slugs).get_by_role("button", name="Launch backfill").click()
    page.get_by_role("link", name="View", exact=True).first.click()
    page.wait_for_url("**/runs/b/*")
    return page.url.rsplit("/", 1)[1].partition("?")[0]


def await_backfill(page: Page, ui: str, backfill: str, status: str) -> Sequence[int]:
    """Waits on the page of the backfill until it is done with that status.

    Gives the numbers of partitions that were targeted, are in progress, succeeded and failed, as the page has them.
    """
    page.goto(f"{ui}/runs/b/{backfill}")
    expect(page.locator("span").get_by_text(status, exact=True)).to_be_visible(timeout=BACKFILL_SECONDS * 1000)
    (counts,) = BACKFILL_COUNTS.findall(page.locator("body").inner_text())
    return [int(count) for count in counts]


def launch_job(page: Page, ui: str, job: str, config: str) -> str:
    """Launches a job from its launchpad with this YAML as its config; the id of its run."""
    page.goto(f"{ui}/locations/keifu_quality/jobs/{job}")
    page.get_by_role("tab", name="Launchpad").click()
    launch = page.get_by_role("button", name="Launch run")
    expect(launch).to_be_enabled()
    page.locator(".CodeMirror").first.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(config)
    expect(page.get_by_text("No errors")).to_be_visible()
    launch.click()
    page.wait_for_url("**/runs/*")
    return run_of(page)


def follow_notice(page: Page) -> str:
    """Follows the link of the notice to the run that was launched; the run's id."""
    page.get_by_role("link", name="View", exact=True).first.click()
    page.wait_for_url("**/runs/*")
    return run_of(page)


def run_of(page: Page) -> str:
    """The id of the run whose page is open."""
    return page.url.rsplit("/", 1)[1].partition("?")[0]


def await_run(page: Page, status: str) -> None:
    """Waits on the page of a run until it is done, with that status."""
    expect(page.get_by_text(FINISHED).first).to_have_text(status, timeout=RUN_SECONDS * 1000)


def filter_events(page: Page, text: str) -> None:
    """Keeps only the events of the run with this text in view; of many events the page holds those in view alone."""
    events = page.get_by_placeholder(re.compile("^Filter.?$"))
    events.click()
    events.fill(text)
    events.press("Enter")


def open_partition(page: Page, ui: str, slug: str) -> None:
    """Opens the page of a partition of person_diagnosis."""
    page.goto(f"{ui}/assets/person_diagnosis?view=partitions&partition={slug}")


def expect_partitions(page: Page, ui: str, *, failed: int, materialized: int, missing: int) -> None:
    """The page of all partitions counts them so."""
    page.goto(f"{ui}/assets/person_diagnosis?view=partitions")
    for text in (f"Failed ({failed})", f"Materialized ({materialized})", f"Missing ({missing})"):
        expect(page.get_by_text(text, exact=True)).to_be_visible()


def open_check(page: Page, ui: str, family: str) -> None:
    """Opens the page of a family's check."""
    page.goto(f"{ui}/assets/person_diagnosis?view=checks&checkDetail={family}")


def metadata(page: Page, key: str) -> Locator:
    """The cell beside the key in the table of metadata."""
    named = page.locator("td:first-child").get_by_text(key, exact=True)
    return page.locator("tr").filter(has=named).locator("td").nth(1)
