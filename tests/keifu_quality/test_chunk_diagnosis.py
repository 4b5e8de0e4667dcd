"""Athletes that somebody named, many at once, on real databases: what is stored, and what later sweeps make of it."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, text

from keifu_quality.app import Business, open_agent, open_business, open_index
from keifu_quality.chunk_diagnosis import diagnose_athletes
from keifu_quality.db.athlete_digests import digests_of
from keifu_quality.db.content_digests import open_digests
from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.digest_scope import digest_scope
from keifu_quality.roster import RosterDiagnostician
from keifu_quality.sample.load import load_roster
from keifu_quality.settings import Settings
from keifu_quality.sweep import SweepReport, SweepRequest, sweep_roster
from tests.conftest import OWN_VARIABLES, settings_for
from tests.sample_fixtures import SAMPLE_SIZE, SampleRoster

pytestmark = pytest.mark.postgres


@pytest.fixture
def changing(
    sample: SampleRoster, databases: DatabaseUrls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    """The sample in a business database of its own, which the test may change."""
    for name in [name for name in os.environ if name.startswith(OWN_VARIABLES)]:
        monkeypatch.delenv(name)
    load_roster(sample.roster, databases.business_owner)
    return settings_for(databases, tmp_path / "keifu")


@pytest.fixture
def agent(changing: Settings) -> Iterator[Engine]:
    with open_agent(changing) as engine:
        yield engine


@pytest.fixture
def business(changing: Settings, agent: Engine) -> Iterator[Business]:
    """The archive, with the index of names up to date."""
    with open_business(changing) as opened:
        open_index(opened, agent).refresh()
        yield opened


def change(databases: DatabaseUrls, statement: str) -> None:
    with psycopg.connect(databases.business_owner.replace("+psycopg", ""), autocommit=True) as owner:
        assert owner.execute(statement.encode()).rowcount > 0


def rows(agent: Engine, statement: str, **parameters: Any) -> list[Any]:
    with agent.connect() as connection:
        return [row[0] if len(row) == 1 else tuple(row) for row in connection.execute(text(statement), parameters)]


def everybody(agent: Engine) -> list[str]:
    return rows(agent, "SELECT person_id FROM athlete_index ORDER BY 1")


def sweep(settings: Settings, **request: Any) -> SweepReport:
    return sweep_roster(settings, SweepRequest(**{"workers": 1, **request}))


def diagnose(settings: Settings, business: Business, agent: Engine, people: Sequence[str]) -> None:
    diagnose_athletes(
        settings,
        business,
        agent,
        people,
        triggered_by="import_sensor",
        dagster_run_id=None,
        chunk_done=lambda _header, _runs: None,
    )


def test_the_digests_of_some_are_those_that_a_sweep_keeps(
    changing: Settings, business: Business, agent: Engine
) -> None:
    sweep(changing)
    kept = dict(rows(agent, "SELECT person_id, content_digest FROM athlete_index"))
    scope = digest_scope(changing, business)

    def digests(some: Sequence[str]) -> Any:
        return digests_of(
            agent,
            some,
            lambda ids: open_digests(business.engine, scope.archive, person_ids=ids),
            scope=scope.identity,
        )

    people = everybody(agent)
    assert len(set(kept.values())) == SAMPLE_SIZE
    assert digests(people) == kept
    for start in range(0, SAMPLE_SIZE, 3):
        alone = people[start : start + 1 + start % 2]
        assert digests(alone) == {person_id: kept[person_id] for person_id in alone}
    assert digests(["nobody"]) == {}
    assert digests([]) == {}


def test_a_sweep_after_it_finds_those_athletes_unchanged(changing: Settings, business: Business, agent: Engine) -> None:
    people = everybody(agent)[::3]
    diagnose(changing, business, agent, people)
    report = sweep(changing)
    assert (report.sweep.unchanged, report.counts.diagnosed) == (len(people), SAMPLE_SIZE - len(people))
    unchanged = rows(agent, "SELECT person_id FROM agent_runs WHERE status = 'unchanged' ORDER BY 1")
    assert unchanged == people


@pytest.mark.parametrize("before", [True, False], ids=["before the facts are read", "after they are read"])
def test_what_changes_meanwhile_is_looked_at_again(
    changing: Settings,
    business: Business,
    agent: Engine,
    databases: DatabaseUrls,
    monkeypatch: pytest.MonkeyPatch,
    *,
    before: bool,
) -> None:
    people = everybody(agent)[:5]
    statement = f"UPDATE \"Person\" SET hometown = '架空町' WHERE id = '{people[2]}'"
    diagnosing = RosterDiagnostician.diagnose

    def disturbed(self: RosterDiagnostician, *arguments: Any, **options: Any) -> Any:
        if before:
            change(databases, statement)
        made = diagnosing(self, *arguments, **options)
        if not before:
            change(databases, statement)
        return made

    with monkeypatch.context() as patch:
        patch.setattr(RosterDiagnostician, "diagnose", disturbed)
        diagnose(changing, business, agent, people)
    sweep(changing)
    unchanged = rows(agent, "SELECT person_id FROM agent_runs WHERE status = 'unchanged'")
    assert people[2] not in unchanged
    assert unchanged
