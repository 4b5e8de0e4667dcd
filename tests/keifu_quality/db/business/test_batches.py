"""A whole roster read at once, and one athlete at a time."""

from collections.abc import Iterator

import pytest

from graphs.facts import Unavailable
from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.reader import DatabaseReader
from keifu_quality.db.engine import agent_engine, business_engine
from keifu_quality.settings import Settings

pytestmark = pytest.mark.postgres


@pytest.fixture
def people_and_reader(sample_settings: Settings) -> Iterator[tuple[list[str], DatabaseReader]]:
    business, agent = business_engine(sample_settings), agent_engine(sample_settings)
    index = AthleteIndex(agent, business)
    index.refresh()
    with business.connect() as connection:
        people = [row[0] for row in connection.exec_driver_sql('SELECT id FROM "Person" ORDER BY id')]
    yield people, DatabaseReader(business, index, inspect=dict)
    business.dispose()
    agent.dispose()


def test_a_batch_gives_what_single_reads_give(people_and_reader: tuple[list[str], DatabaseReader]) -> None:
    people, reader = people_and_reader
    batch = reader.load_snapshots(people)
    assert list(batch) == people
    for person in people[::7]:
        assert reader.load_snapshots([person])[person] == batch[person]


def test_the_sample_has_something_in_every_section(people_and_reader: tuple[list[str], DatabaseReader]) -> None:
    people, reader = people_and_reader
    batch = reader.load_snapshots(people)
    for section in (
        "memberships",
        "personal_bests",
        "results",
        "source_references",
        "relation_caches",
        "opponents",
        "relation_inputs",
        "candidates",
    ):
        found = [getattr(snapshot, section) for snapshot in batch.values()]
        assert not any(isinstance(rows, Unavailable) for rows in found)
        assert any(len(rows) > 0 for rows in found), section


def test_opponents_count_the_same_before_and_after_they_are_looked_at(
    people_and_reader: tuple[list[str], DatabaseReader],
) -> None:
    people, reader = people_and_reader
    for snapshot in reader.load_snapshots(people).values():
        count = len(snapshot.opponents)
        assert len(list(snapshot.opponents)) == count
        assert snapshot.person.id not in {opponent.person_id for opponent in snapshot.opponents}
