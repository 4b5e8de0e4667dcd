"""How many statements the business database sees, and that no time zone changes what they give."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Engine, event

from graphs.contracts import DiagnosisInput
from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.reader import DatabaseReader
from keifu_quality.db.business_tables import TABLES
from tests.keifu_quality.db.archive import Archive

pytestmark = pytest.mark.postgres


class Wire:
    """What a connection sends, as libpq writes it down: statements, BEGIN and COMMIT included."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = 0

    def statements(self) -> list[str]:
        """Statements since the last call. One is sent as a Query, or as a Bind, with a Parse before it at first."""
        lines = [line for line in self._path.read_text(errors="replace").splitlines() if "\tF\t" in line]
        new, self._seen = lines[self._seen :], len(lines)
        return [line for line in new if line.split("\t")[3] in ("Query", "Bind")]


@pytest.fixture
def wire(business: Engine, tmp_path: Path, people: list[str]) -> Iterator[Wire]:
    path = tmp_path / "wire.txt"
    business.dispose()
    with path.open("wb") as file:

        @event.listens_for(business, "connect")
        def _trace(connection: psycopg.Connection, _record: object) -> None:
            connection.pgconn.trace(file.fileno())

        with business.connect():
            pass
        made = Wire(path)
        made.statements()
        yield made
        business.dispose()


@pytest.fixture(autouse=True)
def people(archive: Archive, index: AthleteIndex) -> list[str]:
    archive.source("s1")
    archive.organization("o1", "例示製作所", "corporate_team")
    archive.organization("o2", "例示重工", "corporate_team")
    for number in range(2):
        archive.race(f"r{number}", starts_on="2025-01-02")
    ids = [f"p{number}" for number in range(12)]
    for number, person in enumerate(ids):
        archive.person(person, f"例山 {'一二三'[number % 3]}郎", birthDate="2000-04-01", slug=f"slug-{number}")
        archive.membership(f"m{number}", person, "o1", type="affiliated", endYear=2020, sourceId="s1")
        archive.membership(f"n{number}", person, "o2", type="affiliated", startYear=2020, sourceId="s1")
        archive.personal_best(f"b{number}", person, "m5000", "14:00.00", sourceId="s1")
        for race in range(2):
            archive.result(f"x{number}-{race}", person, f"r{race}", createdAt=f"2026-07-0{number % 9 + 1}")
        archive.reference(f"f{number}", person, "s1")
        archive.relation_cache(f"k{number}", person, {"topRelations": [{"relatedPersonId": "p0"}]})
    index.refresh()
    return ids


def test_one_athlete_costs_few_statements(index: AthleteIndex, reader: DatabaseReader, wire: Wire) -> None:
    index.refresh()
    reader.find_people(DiagnosisInput(person_name="例山 一郎"), limit=20)
    reader.load_snapshots(["p0"])
    # Two more prove the role and check the contract when the database is opened: fifteen is what a diagnosis may cost.
    assert 8 < len(wire.statements()) <= 13


def test_any_number_of_athletes_costs_the_same(reader: DatabaseReader, wire: Wire, people: list[str]) -> None:
    reader.load_snapshots(people[:1])
    one = len(wire.statements())
    reader.load_snapshots(people)
    assert 8 < len(wire.statements()) == one


def test_a_search_is_one_statement(reader: DatabaseReader, wire: Wire) -> None:
    for request in (
        {"person_name": "例山一郎"},
        {"person_slug": "slug-1"},
        {"person_id": "p1", "person_slug": "slug-1"},
    ):
        reader.find_people(DiagnosisInput.model_validate(request), limit=20)
        assert len(wire.statements()) == 1


def test_a_read_sees_one_moment(reader: DatabaseReader, wire: Wire) -> None:
    reader.load_snapshots(["p0"])
    first, *_, last = wire.statements()
    assert "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" in first
    assert "COMMIT" in last


def test_nothing_is_read_that_the_contract_does_not_name(
    archive: Archive, business: Engine, index: AthleteIndex, reader: DatabaseReader, people: list[str]
) -> None:
    with business.connect() as connection:
        columns = connection.exec_driver_sql(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
        ).all()
    undeclared = [(table, column) for table, column in columns if column not in TABLES.get(table, {})]
    assert undeclared
    for table, column in undeclared:
        archive.execute(f'ALTER TABLE "{table}" DROP COLUMN "{column}" CASCADE')
    index.refresh()
    assert len(reader.find_people(DiagnosisInput(person_name="例山一郎"), limit=20)[0]) == 4
    snapshot = reader.load_snapshots(people)["p0"]
    assert len(snapshot.memberships) == len(snapshot.results) == 2


SCRIPT = """
import sys
from graphs.person_diagnosis.snapshot_codec import encode_snapshot
from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.reader import DatabaseReader
from keifu_quality.db.engine import agent_engine, business_engine
from keifu_quality.settings import load_settings
import json
settings = load_settings()
business = business_engine(settings)
reader = DatabaseReader(business, AthleteIndex(agent_engine(settings), business), inspect=dict)
sys.stdout.write(json.dumps(encode_snapshot(reader.load_snapshots(["p0"])["p0"]), sort_keys=True))
"""


def test_the_time_zone_of_the_process_changes_nothing(archive: Archive, business_url: str, agent_url: str) -> None:
    archive.execute('UPDATE "Race" SET "startsAt" = %(at)s', at="2024-12-31 23:30:00")

    def snapshot_in(zone: str) -> str:
        environment = {
            **os.environ,
            "TZ": zone,
            "PGTZ": zone,
            "TASUKI_KEIFU_BUSINESS_DATABASE_URL": business_url,
            "TASUKI_KEIFU_AGENT_DATABASE_URL": agent_url,
        }
        done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, check=True)
        return done.stdout.decode()

    expected = snapshot_in("UTC")
    assert "2024-12-31T23:30:00+00:00" in expected
    assert '"birthDate": "2000-04-01"' in expected
    assert snapshot_in("Asia/Tokyo") == snapshot_in("America/Los_Angeles") == expected
