"""How long the page of all partitions takes in a browser: `python -m benchmarks.partition_page`.

Belongs here: a deployment of its own with many partition keys, most of them materialized, `keifu ui` over it, and
visits to the page of `person_diagnosis` in headless Chromium. A visit counts from the address until the page has
counted the partitions and lists them. The first visit meets a web server that has just started; the later ones come
from the same browser. Seconds are this machine's, so the load average stands beside them.
"""

import argparse
import os
import re
import shutil
import statistics
import time
from collections.abc import Sequence

import dagster as dg
from playwright.sync_api import Page, Request, sync_playwright
from rich.console import Console

from benchmarks.dagster_ways import DagsterInstance, running_dagster
from benchmarks.own_home import own_home
from keifu_quality.dagster_home import prepare_dagster_home
from keifu_quality.db import migrate
from keifu_quality.defs.checks import ASSET
from keifu_quality.defs.event_batch import log_materializations
from keifu_quality.defs.partitions import synchronise
from keifu_quality.sample.load import load_roster
from keifu_quality.sample.roster import generate
from keifu_quality.settings import load_settings

EVENTS_PER_WRITE = 1_000
EVENT_TEXT = "x" * 2_000
"""As much text as the tables of an athlete are."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
PAGE_SECONDS = 300
SLOWEST_SHOWN = 6
ASKED = re.compile(r'"operationName":\s*"(\w+)"')


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=100_000, help="partition keys")
    parser.add_argument("--materialized", type=int, default=60_000, help="keys that are materialized")
    parser.add_argument("--visits", type=int, default=6, help="visits to the page, at least two")
    parser.add_argument("--settle", type=int, default=30, help="seconds between the start of the server and a visit")
    options = parser.parse_args()
    if options.visits < 2:
        parser.error("--visits takes two or more: the first is a case of its own")
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        parser.error(f"no browser: none of {', '.join(BROWSERS)} is on the PATH")
    with own_home() as (home, urls):
        settings = load_settings()
        migrate.upgrade(settings)
        load_roster(generate(10, seed=1), urls.business_owner)
        os.environ |= prepare_dagster_home(settings)
        keys = [f"athlete-{number:06}" for number in range(options.keys)]
        _fill(keys, keys[: options.materialized])
        with running_dagster(urls, home) as dagster:
            time.sleep(options.settle)
            _visit(dagster, browser, options.materialized, options.visits, Console())


def _fill(keys: Sequence[str], materialized: Sequence[str]) -> None:
    @dg.op
    def mark(context: dg.OpExecutionContext) -> None:
        for start in range(0, len(materialized), EVENTS_PER_WRITE):
            log_materializations(
                context,
                [
                    dg.AssetMaterialization(ASSET, partition=key, metadata={"findings": EVENT_TEXT})
                    for key in materialized[start : start + EVENTS_PER_WRITE]
                ],
            )

    @dg.job
    def fill() -> None:
        mark()

    with dg.DagsterInstance.get() as instance:
        synchronise(instance, keys)
        fill.execute_in_process(instance=instance)


def _visit(dagster: DagsterInstance, browser: str, materialized: int, visits: int, console: Console) -> None:
    address = f"{dagster.url}/assets/person_diagnosis?view=partitions"
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=browser, args=[*FLAGS]) as opened:
        page = opened.new_page(viewport={"width": 1400, "height": 900}, locale="en-US")
        page.set_default_timeout(PAGE_SECONDS * 1_000)
        asked: list[Request] = []

        def note(request: Request) -> None:
            asked.append(request)

        page.on("requestfinished", note)
        seconds: list[float] = []
        for visit in range(1, visits + 1):
            asked.clear()
            seconds.append(_seconds_of(page, address, materialized))
            console.print(f"visit {visit}: {seconds[-1]:.1f} s, load average {os.getloadavg()[0]:.1f}")
            console.print(f"  {_slowest(asked)}", highlight=False)
            page.goto("about:blank")
        console.print(f"first {seconds[0]:.1f} s, median of the others {statistics.median(seconds[1:]):.1f} s")


def _seconds_of(page: Page, address: str, materialized: int) -> float:
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.get_by_text(re.compile(rf"^Materialized \({materialized:,}\)$|^Materialized \({materialized}\)$")).wait_for()
    page.get_by_text("athlete-000000", exact=True).first.wait_for()
    return time.perf_counter() - started


def _slowest(asked: Sequence[Request]) -> str:
    """The queries of a visit that took longest, each with its milliseconds."""
    named = {
        f"{found[1]} {request.timing['responseEnd']:.0f} ms": request.timing["responseEnd"]
        for request in asked
        if (found := ASKED.search(request.post_data or ""))
    }
    return ", ".join(sorted(named, key=lambda name: -named[name])[:SLOWEST_SHOWN])


if __name__ == "__main__":
    main()
