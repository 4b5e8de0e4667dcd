"""A loaded sample roster for tests that need athletes.

sample           session: a generated roster and the databases that hold it; only to be read
sample_settings  function: the sample's business database beside a fresh agent and a fresh Dagster database, also in the
                 environment, so that the command line and Dagster find them

changing         function: settings of the same sample in a business database of its own, which the test may change

Import those that are used in the conftest.py of the folder that uses them.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.sample.load import load_roster
from keifu_quality.sample.roster import Roster, generate
from keifu_quality.settings import Settings, load_settings
from tests.conftest import OWN_VARIABLES, settings_for

SAMPLE_SIZE = 120


@dataclass(frozen=True)
class SampleRoster:
    """A generated roster and the business database that holds it; nothing changes either."""

    roster: Roster
    databases: DatabaseUrls


@pytest.fixture(scope="session")
def sample(new_databases: Any) -> SampleRoster:
    databases = new_databases()
    roster = generate(SAMPLE_SIZE)
    load_roster(roster, databases.business_owner)
    return SampleRoster(roster=roster, databases=databases)


@pytest.fixture
def sample_settings(
    sample: SampleRoster, new_databases: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    databases = new_databases(dagster=True)
    for name in [name for name in os.environ if name.startswith(OWN_VARIABLES)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TASUKI_KEIFU_BUSINESS_DATABASE_URL", sample.databases.business)
    monkeypatch.setenv("TASUKI_KEIFU_AGENT_DATABASE_URL", databases.agent)
    monkeypatch.setenv("DAGSTER_PG_URL", databases.dagster)
    monkeypatch.setenv("KEIFU_HOME", str(tmp_path / "keifu"))
    return load_settings()


@pytest.fixture
def changing(
    sample: SampleRoster, databases: DatabaseUrls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    for name in [name for name in os.environ if name.startswith(OWN_VARIABLES)]:
        monkeypatch.delenv(name)
    load_roster(sample.roster, databases.business_owner)
    return settings_for(databases, tmp_path / "keifu")
