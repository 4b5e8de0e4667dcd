"""Fixtures of this folder.

chromium  session: the path of the system's Chromium; skips the test without one, or fails it with
          KEIFU_REQUIRE_BROWSER=1
picture   session: where the test is to leave its picture, from KEIFU_BROWSER_PICTURE, or None
console   function: the errors that the page's console and scripts report
page      function: a page of headless Chromium that gathers these errors
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Page, sync_playwright

from tests.sample_fixtures import sample, sample_settings

__all__ = ["sample", "sample_settings"]

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


# Of session scope, since `sample_settings` takes the variables out of the environment.
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


@pytest.fixture
def console() -> list[str]:
    return []


@pytest.fixture
def page(chromium: str, console: list[str]) -> Iterator[Page]:
    width, height = VIEWPORT
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        opened = browser.new_page(viewport={"width": width, "height": height}, locale="en-US", timezone_id="Asia/Tokyo")
        opened.set_default_timeout(STEP_SECONDS * 1000)
        opened.on("console", lambda message: _note(console, message))
        opened.on("pageerror", lambda error: console.append(str(error)))
        yield opened
        browser.close()


def _note(console: list[str], message: ConsoleMessage) -> None:
    # Leaving a page cuts the connection for its live updates, which the browser reports as an error at times.
    if message.type == "error" and not message.text.startswith("WebSocket connection to"):
        console.append(message.text)
