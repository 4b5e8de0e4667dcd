"""Reads that share what they find of races."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import pytest
from sqlalchemy import Engine, event

from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.race_memory import LONGEST_SECONDS, RaceMemory
from keifu_quality.db.business.reader import DatabaseReader
from keifu_quality.db.engine import agent_engine, business_engine
from keifu_quality.settings import Settings
from tests.keifu_quality.db.archive import Archive
from tests.sample_fixtures import SAMPLE_SIZE

AT = datetime.fromisoformat("2026-07-01 00:00:00")


@dataclass(frozen=True)
class Sample:
    """The sample roster: its people, and how to read them."""

    people: list[str]
    business: Engine
    index: AthleteIndex

    def reader(self, races: RaceMemory | None) -> DatabaseReader:
        return DatabaseReader(self.business, self.index, inspect=dict, races=races)


@pytest.fixture
def sample_readers(sample_settings: Settings) -> Iterator[Sample]:
    business, agent = business_engine(sample_settings), agent_engine(sample_settings)
    index = AthleteIndex(agent, business)
    index.refresh()
    with business.connect() as connection:
        people = [row[0] for row in connection.exec_driver_sql('SELECT id FROM "Person" ORDER BY md5(id)')]
    yield Sample(people, business, index)
    business.dispose()
    agent.dispose()


@pytest.mark.postgres
@pytest.mark.parametrize("most_rows", [200_000, 40], ids=["everything is remembered", "it forgets now and then"])
def test_what_is_remembered_is_what_would_be_read(sample_readers: Sample, most_rows: int) -> None:
    alone, sharing = sample_readers.reader(None), sample_readers.reader(RaceMemory(most_rows=most_rows))
    for start in range(0, SAMPLE_SIZE, 20):
        people = sample_readers.people[start : start + 20]
        assert sharing.load_snapshots(people) == alone.load_snapshots(people)


@pytest.mark.postgres
def test_races_that_are_known_are_not_asked_for(archive: Archive, business: Engine, index: AthleteIndex) -> None:
    for number in (1, 2, 3):
        archive.person(f"p{number}", f"例田 {number}郎", slug=f"reida-{number}")
        archive.race(f"r{number}")
        archive.result(f"x{number}", f"p{number}", f"r{number}")
        archive.result(f"y{number}", f"p{number}", "r1") if number > 1 else None
    index.refresh()
    asked: list[str] = []

    @event.listens_for(business, "before_cursor_execute")
    def note(_connection: object, _cursor: object, _statement: str, parameters: dict[str, str], *_: object) -> None:
        asked.extend(parameters[name] for name in ("races", "imported_races") if name in parameters)

    reader = DatabaseReader(business, index, inspect=dict, races=RaceMemory())
    for person in ("p1", "p2", "p2", "p3"):
        assert len(reader.load_snapshots([person])[person].opponents) == 2
    assert asked == ['{"r1"}', '{"r1"}', '{"r2"}', '{"r2"}', '{"r3"}', '{"r3"}']


@pytest.mark.postgres
def test_a_relation_cache_is_compared_with_the_races_of_now(
    archive: Archive, business: Engine, index: AthleteIndex
) -> None:
    for person in ("p1", "p2", "p3"):
        archive.person(person, f"例田 {person}", slug=person)
    archive.race("r1")
    archive.result("x1", "p1", "r1")
    archive.result("x2", "p2", "r1")
    archive.relation_cache("k1", "p1", {"personId": "p1", "topRelations": []})
    index.refresh()
    reader = DatabaseReader(business, index, inspect=dict, races=RaceMemory())

    def opponents(person: str) -> list[str]:
        return [opponent.person_id for opponent in reader.load_snapshots([person])[person].opponents]

    assert (opponents("p1"), opponents("p2")) == (["p2"], ["p1"])
    archive.result("x3", "p3", "r1")
    assert opponents("p2") == ["p1"]
    assert opponents("p1") == ["p2", "p3"]
    assert opponents("p2") == ["p1", "p3"]


def test_a_memory_counts_rows_once_and_forgets_all_of_them() -> None:
    now = [100.0]
    memory = RaceMemory(most_rows=3, clock=lambda: now[0])
    memory.add_people({"r1": {"a": 1, "b": 2}})
    memory.add_people({"r1": {"a": 1, "b": 1, "c": 1}})
    memory.add_imports(["r1", "r2"], {("r1", None): AT})
    memory.make_room()
    assert memory.without_people(["r1", "r2"]) == {"r2"}
    assert memory.without_imports(["r1", "r2", "r3"]) == {"r3"}
    given = memory.people
    memory.add_people({"r2": {"a": 1}})
    memory.make_room()
    assert memory.without_people(["r1", "r2"]) == {"r1", "r2"}
    assert memory.without_imports(["r1"]) == {"r1"}
    assert memory.last_imports == {}
    assert given.keys() == {"r1", "r2"}
    memory.add_people({"r1": {"a": 1}})
    now[0] += LONGEST_SECONDS
    memory.make_room()
    assert memory.without_people(["r1"]) == set()
    now[0] += 1
    memory.make_room()
    assert memory.without_people(["r1"]) == {"r1"}


@pytest.mark.postgres
def test_what_an_import_left_over_is_remembered_as_such(
    archive: Archive, business: Engine, index: AthleteIndex
) -> None:
    """Two athletes of a race that was imported twice, read one after the other."""
    archive.source("s1")
    archive.race("r1")
    for person, created in (
        ("p1", "2026-07-01 00:00:00"),
        ("p2", "2026-07-01 00:00:00"),
        ("p3", "2026-07-02 00:00:30"),
    ):
        archive.person(person, f"例田 {person}", slug=person)
        archive.result(f"x-{person}", person, "r1", sourceId="s1", createdAt=created)
    archive.completed_import("batch", "s1", started_at="2026-07-02 00:00:00", created="x-p3")
    index.refresh()
    reader = DatabaseReader(business, index, inspect=dict, races=RaceMemory())
    found = {person: reader.load_snapshots([person])[person].results[0].is_leftover for person in ("p1", "p2", "p3")}
    assert found == {"p1": True, "p2": True, "p3": False}
