"""Digests that are kept between sweeps: equal states of the archive let them stand, everything else does not."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, text

from keifu_quality.app import Business, open_agent, open_business, open_index
from keifu_quality.db import content_digests
from keifu_quality.db.archive_state import ARE_IN_HEAPS, DAYS_OF_TODAY, TABLES, archive_state
from keifu_quality.db.business.access import TableFault
from keifu_quality.db.content_digests import DigestScope, open_digests
from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.db.engine import business_engine
from keifu_quality.db.known_digests import ArchiveDigests, refresh_digests
from keifu_quality.sample.load import load_roster
from keifu_quality.settings import Settings
from keifu_quality.sweep import SweepReport, SweepRequest, sweep_roster
from tests.conftest import settings_for
from tests.own_server import own_server
from tests.sample_fixtures import SAMPLE_SIZE, SampleRoster, changing, sample

__all__ = ["changing", "sample"]

DAY = date(2026, 7, 1)
STATEMENTS = " ".join(
    (
        content_digests.COMMON,
        content_digests.FIELDS,
        content_digests.LAST_IMPORT,
        content_digests.ORGANIZATION_NAMES,
        content_digests.PEOPLE,
        *(part for part, _ in content_digests.PARTS),
    )
)

VARIANT = """
INSERT INTO "NameVariant" (id, "personId", value, type, "updatedAt")
SELECT 'variant', min(id), '架空 別名', 'former', now() FROM "Person"
""".encode()
REMOVED_VARIANTS = b'DELETE FROM "NameVariant"'


@pytest.fixture
def owner(changing: Settings, databases: DatabaseUrls) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(databases.business_owner.replace("+psycopg", ""), autocommit=True) as connection:
        yield connection


@pytest.fixture
def business(changing: Settings) -> Iterator[Business]:
    with open_business(changing) as opened:
        yield opened


@pytest.fixture
def agent(changing: Settings) -> Iterator[Engine]:
    with open_agent(changing) as engine:
        yield engine


class Archive:
    """The archive as a plan asks it; counts how often it had to give digests."""

    def __init__(self, business: Business, *, day: date = DAY) -> None:
        self.business = business
        self.scope = DigestScope(day, business.faults)
        self.asked = 0

    def refresh(self, agent: Engine) -> bool:
        """Whether a plan of now asks for digests."""
        before = self.asked

        def digests() -> Any:
            self.asked += 1
            return open_digests(self.business.engine, self.scope)

        open_index(self.business, agent).refresh()
        with agent.begin() as connection:
            refresh_digests(
                connection,
                ArchiveDigests(lambda: archive_state(self.business.engine, self.scope), digests, self.scope.identity()),
            )
        return self.asked > before


def known(agent: Engine) -> dict[str, str]:
    with agent.connect() as connection:
        rows = connection.execute(text("SELECT person_id, digest FROM athlete_digests"))
        return {row[0]: row[1] for row in rows}


def sweep(settings: Settings, **request: Any) -> SweepReport:
    return sweep_roster(settings, SweepRequest(**{"workers": 1, **request}))


def test_the_state_covers_every_table_and_day_of_the_digests() -> None:
    assert set(re.findall(r'(?:FROM|JOIN) "(\w+)"', STATEMENTS)) == set(TABLES)
    days = sorted(re.findall(r'"(\w+)" [<>] today\.day', STATEMENTS))
    assert days == sorted(re.findall(r'"(\w+)"', " ".join(part for parts in DAYS_OF_TODAY.values() for part in parts)))


@pytest.mark.postgres
@pytest.mark.parametrize("table", TABLES)
def test_whatever_is_written_to_a_table_changes_the_state(
    table: str, business: Business, owner: psycopg.Connection[Any]
) -> None:
    scope = DigestScope(DAY, business.faults)
    owner.execute(VARIANT)
    before = archive_state(business.engine, scope)
    assert before is not None
    assert archive_state(business.engine, scope) == before
    changed = owner.execute(f'UPDATE "{table}" SET id = id WHERE ctid = (SELECT max(ctid) FROM "{table}")'.encode())
    assert changed.rowcount == 1
    written = archive_state(business.engine, scope)
    assert written != before
    with owner.transaction(force_rollback=True):
        owner.execute(f'UPDATE "{table}" SET id = id'.encode())
    assert archive_state(business.engine, scope) == written


@pytest.mark.postgres
def test_rows_that_come_and_go_change_the_state(business: Business, owner: psycopg.Connection[Any]) -> None:
    scope = DigestScope(DAY, business.faults)
    states = [archive_state(business.engine, scope)]
    for statement in (VARIANT, REMOVED_VARIANTS, VARIANT):
        owner.execute(statement)
        states.append(archive_state(business.engine, scope))
    none, inserted, removed, again = states
    assert none == removed
    assert len({none, inserted, again}) == 3


SCHEMA_CHANGES = {
    "a column made anew": "ALTER TABLE \"Person\" DROP COLUMN hometown, ADD COLUMN hometown text DEFAULT '架空町'",
    "columns that change places": """
        ALTER TABLE "Person" RENAME "displayNameZh" TO moved;
        ALTER TABLE "Person" RENAME "displayNameEn" TO "displayNameZh";
        ALTER TABLE "Person" RENAME moved TO "displayNameEn"
    """,
    "labels that change places": """
        ALTER TYPE "DataStatus" RENAME VALUE 'missing' TO 'moved';
        ALTER TYPE "DataStatus" RENAME VALUE 'pending' TO 'missing';
        ALTER TYPE "DataStatus" RENAME VALUE 'moved' TO 'pending'
    """,
}


@pytest.mark.postgres
@pytest.mark.parametrize("change", SCHEMA_CHANGES.values(), ids=SCHEMA_CHANGES.keys())
def test_a_change_of_the_schema_that_writes_no_row_changes_the_state(
    change: str, business: Business, owner: psycopg.Connection[Any]
) -> None:
    scope = DigestScope(DAY, business.faults)
    before = archive_state(business.engine, scope)
    owner.execute("ANALYZE")
    assert archive_state(business.engine, scope) == before
    owner.execute(change.encode())
    assert archive_state(business.engine, scope) not in {before, None}


@pytest.mark.postgres
def test_another_database_and_another_server_have_other_states(
    business: Business, sample: SampleRoster, tmp_path: Path
) -> None:
    """Two copies of one archive, on this server and on one that was filled in the same way, step by step."""
    scope = DigestScope(DAY, business.faults)
    states = {archive_state(business.engine, scope)}
    other = business_engine(settings_for(sample.databases, tmp_path))
    states.add(archive_state(other, scope))
    other.dispose()
    for _ in range(2):
        with own_server("keifu-test-state-") as (embedded, directory):
            load_roster(sample.roster, embedded.urls().business_owner)
            copied = business_engine(settings_for(embedded.urls(), directory / "keifu"))
            states.add(archive_state(copied, scope))
            copied.dispose()
    assert len(states) == 4
    assert None not in states


@pytest.mark.postgres
def test_a_day_that_goes_by_changes_the_state_only_if_a_date_lies_on_it(
    business: Business, owner: psycopg.Connection[Any]
) -> None:
    owner.execute('UPDATE "Person" SET "birthDate" = NULL, notes = \'\'')
    owner.execute('UPDATE "PersonalBest" SET "achievedOn" = NULL')
    owner.execute('UPDATE "Membership" SET "startDate" = NULL, "endDate" = NULL')

    def states() -> list[str | None]:
        return [
            archive_state(business.engine, DigestScope(DAY + timedelta(days=days), business.faults)) for days in (0, 1)
        ]

    assert len(set(states())) == 1
    for column in ('"Person" SET "birthDate"', '"PersonalBest" SET "achievedOn"', '"Membership" SET "startDate"'):
        owner.execute(f"UPDATE {column} = '2026-07-02 00:00'".encode())
        assert len(set(states())) == 2, column
        owner.execute(f"UPDATE {column} = NULL".encode())
    owner.execute('UPDATE "Membership" SET "endDate" = \'2026-07-01 00:00\'')
    assert len(set(states())) == 2


@pytest.mark.postgres
def test_the_state_of_anything_but_plain_tables_is_unknown(
    changing: Settings, business: Business, owner: psycopg.Connection[Any]
) -> None:
    scope = DigestScope(DAY, business.faults)
    fault = TableFault("NameVariant", "42501", "not readable")
    owner.execute(VARIANT)
    owner.execute('ALTER TABLE "NameVariant" RENAME TO "StoredVariant"')
    owner.execute('CREATE VIEW "NameVariant" AS SELECT * FROM "StoredVariant"')
    owner.execute('GRANT SELECT ON "NameVariant" TO keifu_reader')
    assert archive_state(business.engine, scope) is None
    assert archive_state(business.engine, DigestScope(DAY, {"NameVariant": fault})) is not None
    with owner.transaction(force_rollback=True):
        owner.execute('DROP VIEW "NameVariant"')
        owner.execute('ALTER TABLE "StoredVariant" RENAME TO "NameVariant"')
        owner.execute('CREATE TABLE "YoungVariant" () INHERITS ("NameVariant")')
        is_known = owner.execute(ARE_IN_HEAPS.encode(), {"tables": ["NameVariant"]}).fetchone()
        assert is_known == (False,)
    first, second = sweep(changing), sweep(changing)
    assert (first.counts.diagnosed, second.sweep.unchanged) == (SAMPLE_SIZE, SAMPLE_SIZE)
    owner.execute('UPDATE "StoredVariant" SET value = value || \'子\' WHERE "personId" IS NOT NULL')
    assert sweep(changing).counts.diagnosed > 0


@pytest.mark.postgres
def test_digests_are_computed_again_when_something_changed(
    agent: Engine, business: Business, owner: psycopg.Connection[Any]
) -> None:
    archive = Archive(business)
    assert archive.refresh(agent)
    first = known(agent)
    assert len(first) == SAMPLE_SIZE
    assert not archive.refresh(agent)
    person, other = sorted(first)[:2]

    owner.execute('UPDATE "Person" SET "heightCm" = 171 WHERE id = %s', (person,))
    assert archive.refresh(agent)
    second = known(agent)
    assert second[person] != first[person]
    assert not archive.refresh(agent)

    with agent.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO identity_judgements "
                "(first_person_id, second_person_id, first_slug, second_slug, verdict, decided_by) "
                "VALUES (:first, :second, 'a', 'b', 'different', 'tester')"
            ),
            {"first": person, "second": other},
        )
    assert archive.refresh(agent)
    assert known(agent)[person] != second[person]
    assert not archive.refresh(agent)

    with agent.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO import_watch (watching_since, polled_at, finished_digest, reset_at) "
                "VALUES (now(), now(), '', now())"
            )
        )
    assert archive.refresh(agent)
    assert Archive(business, day=date(2026, 8, 1)).refresh(agent)
    for table in ("Membership", "PersonalBest", "RaceResult", "PlayerRelationCache", "NameVariant", "SourceReference"):
        owner.execute(f'DELETE FROM "{table}" WHERE "personId" = %s'.encode(), (person,))
    owner.execute('DELETE FROM "Person" WHERE id = %s', (person,))
    assert archive.refresh(agent)
    assert known(agent).keys() == first.keys() - {person}


@pytest.mark.postgres
def test_rows_that_only_moved_leave_everybody_unchanged(changing: Settings, owner: psycopg.Connection[Any]) -> None:
    sweep(changing)
    for table in TABLES:
        owner.execute(f'VACUUM FULL "{table}"'.encode())
    owner.execute('UPDATE "RaceResult" SET id = id')
    assert sweep(changing).sweep.unchanged == SAMPLE_SIZE


@pytest.mark.postgres
def test_shards_of_one_night_compute_the_digests_once(
    changing: Settings, agent: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        opened.append(arguments)
        return open_digests(*arguments, **options)

    monkeypatch.setattr("keifu_quality.sweep.open_digests", counted)
    diagnosed = [sweep(changing, shard=shard, shards=3).counts.diagnosed for shard in range(3)]
    unchanged = [sweep(changing, shard=shard, shards=3).sweep.unchanged for shard in range(3)]
    assert sum(diagnosed) == SAMPLE_SIZE
    assert unchanged == diagnosed
    assert len(opened) == 1
    with agent.connect() as connection:
        ids = connection.execute(text("SELECT run_id FROM agent_runs WHERE status = 'unchanged'")).scalars().all()
    assert len(set(ids)) == SAMPLE_SIZE
    assert all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", i) for i in ids)
