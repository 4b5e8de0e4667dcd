"""Fixtures for tests of imports: an archive to be filled by hand, the importer's traces, a watch that has begun."""

import pytest
from sqlalchemy import Engine

from keifu_quality.imports import ImportWatch
from tests.keifu_quality.db.archive import Archive
from tests.keifu_quality.db.conftest import agent, archive, business
from tests.keifu_quality.imports.site import FixedClock, Site

__all__ = ["agent", "archive", "business"]


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def site(archive: Archive) -> Site:
    """An archive with a source and the races r1 to r6, without results."""
    made = Site(archive)
    made.prepare(*(f"r{number}" for number in range(1, 7)))
    return made


@pytest.fixture
def watch(site: Site, agent: Engine, business: Engine, clock: FixedClock) -> ImportWatch:
    """A watch that has looked at the archive once, at minute 0, before any import."""
    made = ImportWatch(agent, business, clock=clock)
    made.poll()
    return made
