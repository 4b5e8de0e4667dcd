"""Fixtures of this folder.

chromium  session: the path of the system's Chromium; skips the test without one, or fails it with
          KEIFU_REQUIRE_BROWSER=1
picture   session: where a test is to leave the picture of the README, from KEIFU_BROWSER_PICTURE, or None
browser   package: headless Chromium, gone when the folder's tests are over
deployed  package: the product on fresh databases with a sample roster, whose slugs are the partitions already
ui        package: the address of its `keifu ui`
console   function: the errors that the page's console and scripts report
page      function: a page that gathers these errors; leaves a picture in the test's directory when the test fails
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from keifu_quality.defs.partitions import synchronise
from keifu_quality.sample.load import load_roster
from keifu_quality.sample.roster import generate
from tests.dagster.instance import Deployment, deployment
from tests.sample_fixtures import SAMPLE_SIZE
from tests.ui_server import running_ui

EXECUTABLES = ("chromium", "chromium-browser", "google-chrome")
# Headless in a container, and silent towards the servers of its maker.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
VIEWPORT = (1400, 900)
STEP_SECONDS = 120
"""How long one step of a page may take on a loaded machine."""

FAILED = pytest.StashKey[bool]()


# Of session scope, since `deployed` takes the variables out of the environment.
@pytest.fixture(scope="session")
def chromium() -> str:
    for name in EXECUTABLES:
        if path := shutil.which(name):
            return path
    missing = f"no browser: none of {', '.join(EXECUTABLES)} is on the PATH"
    if os.environ.get("KEIFU_REQUIRE_BROWSER") == "1":
        pytest.fail(missing)
    pytest.skip(missing)


@pytest.fixture(scope="session")
def picture() -> Path | None:
    path = os.environ.get("KEIFU_BROWSER_PICTURE")
    return Path(path).absolute() if path else None


# Not of session scope: Playwright keeps an event loop running in this thread, in which no other test could start one.
@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield launched
        launched.close()


@pytest.fixture(scope="package")
def deployed(
    browser: Browser, picture: Path | None, new_databases: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    del browser, picture
    databases = new_databases(dagster=True)
    roster = generate(SAMPLE_SIZE)
    load_roster(roster, databases.business_owner)
    with deployment(databases, tmp_path_factory.mktemp("ui")) as made:
        synchronise(made.instance, [label.slug for label in roster.labels])
        yield made


@pytest.fixture(scope="package")
def ui(deployed: Deployment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    del deployed
    with running_ui(tmp_path_factory.mktemp("ui_server")) as server:
        yield server.url


@pytest.fixture
def console() -> list[str]:
    return []


@pytest.fixture
def page(browser: Browser, console: list[str], request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Page]:
    width, height = VIEWPORT
    expect.set_options(timeout=STEP_SECONDS * 1000)
    opened = browser.new_page(viewport={"width": width, "height": height}, locale="en-US", timezone_id="Asia/Tokyo")
    opened.set_default_timeout(STEP_SECONDS * 1000)
    opened.on("console", lambda message: _note(console, message))
    opened.on("pageerror", lambda error: console.append(str(error)))
    yield opened
    if request.node.stash.get(FAILED, False):
        opened.screenshot(path=tmp_path / "failed.png")
    opened.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report: pytest.TestReport = yield
    if call.when == "call":
        item.stash[FAILED] = report.failed
    return report


def _note(console: list[str], message: ConsoleMessage) -> None:
    # Leaving a page cuts the connection for its live updates, which the browser reports as an error at times.
    if message.type == "error" and not message.text.startswith("WebSocket connection to"):
        console.append(message.text)
