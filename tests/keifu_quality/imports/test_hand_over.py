"""Handing athletes over: each exactly once, whatever fails in between."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC

import pytest
from sqlalchemy import Engine, text

from keifu_quality.db.agent import ImportOutcome, ImportRole
from keifu_quality.db.imports.hand_over import HandOver, settle_people
from keifu_quality.db.imports.requested import requested_hand_overs
from keifu_quality.imports import ImportWatch
from tests.keifu_quality.imports.site import FixedClock, Site, at

pytestmark = pytest.mark.postgres

DIAGNOSED, FAILED, SKIPPED = ImportOutcome.DIAGNOSED, ImportOutcome.FAILED, ImportOutcome.SKIPPED


def slugs(taken: HandOver | None) -> list[str]:
    assert taken is not None
    return [person.slug for person in taken.people]


def statuses(agent: Engine) -> dict[str, str]:
    with agent.connect() as connection:
        rows = connection.execute(text("SELECT batch_id, status FROM import_events"))
        return {row[0]: row[1] for row in rows}


def settle(agent: Engine, hand_over_id: str, outcomes: Mapping[str, ImportOutcome]) -> None:
    with agent.begin() as connection:
        settle_people(connection, hand_over_id, outcomes)


@pytest.fixture
def imported(site: Site, watch: ImportWatch, clock: FixedClock) -> ImportWatch:
    """A watch that has seen one import of three athletes, at minute 3."""
    site.run("b1", "r1", ["asa", "ito", "uno"], start=1)
    clock.minutes = 3
    watch.poll()
    return watch


def test_an_event_is_handed_over_once(imported: ImportWatch, agent: Engine) -> None:
    taken = imported.hand_over(dagster_run_id="run-1")
    assert slugs(taken) == ["asa", "ito", "uno"]
    assert imported.hand_over() is None
    assert statuses(agent) == {"b1": "requested"}


def test_watches_at_once_hand_over_once(
    imported: ImportWatch, agent: Engine, business: Engine, clock: FixedClock
) -> None:
    watches = [imported, ImportWatch(agent, business, clock=clock)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda one: one.hand_over(), watches))
    assert [taken is None for taken in found].count(True) == 1


def test_shards_share_the_athletes_without_gap_or_double(site: Site, watch: ImportWatch, clock: FixedClock) -> None:
    everybody = [f"asa-{number}" for number in range(40)]
    site.run("b1", "r1", everybody, start=1)
    clock.minutes = 3
    watch.poll()
    taken = watch.hand_over()
    assert taken is not None
    parts = [watch.people(taken.hand_over_id, shard=shard, shards=3) for shard in range(3)]
    assert all(parts)
    assert sorted(person.slug for part in parts for person in part) == sorted(everybody)


def test_it_is_done_when_everybody_is_settled_and_a_failed_athlete_holds_nobody_up(
    imported: ImportWatch, agent: Engine
) -> None:
    taken = imported.hand_over()
    assert taken is not None
    settle(agent, taken.hand_over_id, {"p-asa": DIAGNOSED, "p-ito": FAILED})
    assert imported.finish(taken.hand_over_id) == 1
    assert statuses(agent) == {"b1": "requested"}
    settle(agent, taken.hand_over_id, {"p-uno": DIAGNOSED, "p-asa": SKIPPED})
    assert imported.finish(taken.hand_over_id) == 0
    assert statuses(agent) == {"b1": "done"}
    with agent.connect() as connection:
        told = connection.execute(text("SELECT outcome FROM import_event_people WHERE person_id = 'p-asa'"))
        assert told.scalar_one() == "diagnosed", "the first word counts"


def test_an_event_whose_athletes_are_all_gone_is_skipped(imported: ImportWatch, site: Site, agent: Engine) -> None:
    site.archive.execute('DELETE FROM "Person"')
    taken = imported.hand_over()
    assert taken is not None
    assert taken.people == ()
    assert imported.finish(taken.hand_over_id) == 0
    assert statuses(agent) == {"b1": "skipped"}


def test_after_a_failure_another_attempt_has_those_who_are_left(
    imported: ImportWatch, agent: Engine, clock: FixedClock
) -> None:
    first = imported.hand_over(dagster_run_id="run-1")
    assert first is not None
    settle(agent, first.hand_over_id, {"p-asa": DIAGNOSED})
    imported.fail(first.hand_over_id, "the run worker was killed")
    assert imported.hand_over() is None, "not within the pause"
    clock.minutes += 1
    second = imported.hand_over()
    assert slugs(second) == ["ito", "uno"]
    assert second is not None
    assert (second.attempt, second.hand_over_id != first.hand_over_id) == (1, True)
    settle(agent, first.hand_over_id, {"p-ito": DIAGNOSED})
    assert len(imported.people(second.hand_over_id)) == 2, "a late word of the first attempt changes nothing"
    imported.fail(second.hand_over_id, "again")
    clock.minutes += 1
    assert imported.hand_over() is None, "the pause grows"
    clock.minutes += 1
    assert slugs(imported.hand_over()) == ["ito", "uno"]
    with agent.connect() as connection:
        assert connection.execute(text("SELECT error_message FROM import_events")).scalar_one() == "again"


def test_a_hand_over_that_nobody_settles_is_taken_back(imported: ImportWatch, clock: FixedClock) -> None:
    imported.hand_over()
    clock.minutes += 5 * 60
    assert imported.hand_over() is None
    clock.minutes += 60
    taken = imported.hand_over()
    assert slugs(taken) == ["asa", "ito", "uno"]


def test_a_settled_hand_over_is_not_taken_back(imported: ImportWatch, agent: Engine, clock: FixedClock) -> None:
    taken = imported.hand_over()
    assert taken is not None
    settle(agent, taken.hand_over_id, dict.fromkeys(("p-asa", "p-ito", "p-uno"), DIAGNOSED))
    imported.finish(taken.hand_over_id)
    imported.fail(taken.hand_over_id, "too late to fail")
    clock.minutes += 24 * 60
    assert imported.hand_over() is None


def test_an_import_run_again_at_once_waits_so_that_its_athletes_are_diagnosed_once_more_and_no_oftener(
    imported: ImportWatch, site: Site, clock: FixedClock
) -> None:
    imported.hand_over()
    for start in (3.1, 3.7):
        site.run("b1", "r1", ["asa", "ito", "uno"], start=start, minutes=0.4)
        clock.minutes = start + 0.5
        assert len(imported.poll().new_events) == 1
        assert imported.hand_over() is None
    site.run("b2", "r2", ["eda"], start=4.3, minutes=0.1)
    clock.minutes = 4.5
    imported.poll()
    assert slugs(imported.hand_over()) == ["eda"], "others do not wait"
    clock.minutes = 6.1
    assert slugs(imported.hand_over()) == ["asa", "ito", "uno"]
    assert imported.hand_over() is None


def test_who_was_touched_by_one_event_and_an_opponent_in_another_counts_as_touched(
    site: Site, watch: ImportWatch, clock: FixedClock
) -> None:
    site.run("b1", "r1", ["asa", "ito"], start=1)
    clock.minutes = 3
    watch.poll()
    taken = watch.hand_over()
    assert taken is not None
    clock.minutes = 10
    site.start("b2", 10, {"raceSlug": "slug-r1", "entries": [{"slug": "asa"}, {"slug": "ito"}]})
    site.entry("b2", "r1", "asa", 10.1)
    site.end("b2", 11)
    site.start("b3", 12, {"raceSlug": "slug-r2", "entries": [{"slug": "ito"}]})
    site.entry("b3", "r2", "ito", 12.1)
    site.end("b3", 13)
    clock.minutes = 14
    first, second = watch.poll().new_events
    assert (first.opponents(), second.touched()) == ({"p-ito"}, {"p-ito"})
    again = watch.hand_over()
    assert again is not None
    assert {person.slug: person.role for person in again.people} == dict.fromkeys(("asa", "ito"), ImportRole.TOUCHED)


def test_the_run_that_works_on_a_hand_over_is_kept(imported: ImportWatch, agent: Engine) -> None:
    taken = imported.hand_over()
    assert taken is not None
    imported.started(taken.hand_over_id, "run-7")
    with agent.connect() as connection:
        assert connection.execute(text("SELECT dagster_run_id FROM import_events")).scalar_one() == "run-7"


def test_a_hand_over_stays_open_until_it_is_closed(imported: ImportWatch, agent: Engine) -> None:
    taken = imported.hand_over()
    assert taken is not None
    settle(agent, taken.hand_over_id, dict.fromkeys(("p-asa", "p-ito", "p-uno"), DIAGNOSED))
    assert [(found.hand_over_id, found.athletes) for found in requested_hand_overs(agent)] == [(taken.hand_over_id, 0)]
    imported.finish(taken.hand_over_id)
    assert requested_hand_overs(agent) == []


def test_another_attempt_knows_the_runs_of_those_before(
    imported: ImportWatch, agent: Engine, clock: FixedClock
) -> None:
    first = imported.hand_over(dagster_run_id="run-1")
    assert first is not None
    insert = text(
        "INSERT INTO agent_runs (run_id, graph_name, graph_version, rule_set_version, status, outcome, triggered_by,"
        " person_id, input_json, dagster_run_id, started_at) VALUES (:id, 'g', '1', '1', 'completed', 'completed',"
        " :trigger, :person, '{}', :run, :at)"
    )
    runs = (
        ("a", "import_sensor", "p-asa", "run-1", clock.now()),
        ("b", "import_sensor", "p-asa", "run-long-ago", at(-60 * 24).replace(tzinfo=UTC)),
        ("c", "schedule", "p-asa", "run-of-a-sweep", clock.now()),
        ("d", "import_sensor", "p-eda", "run-of-others", clock.now()),
    )
    with agent.begin() as connection:
        for run_id, trigger, person, run, started in runs:
            connection.execute(insert, {"id": run_id, "trigger": trigger, "person": person, "run": run, "at": started})
    settle(agent, first.hand_over_id, {"p-asa": DIAGNOSED})
    imported.fail(first.hand_over_id, "the run worker was killed")
    clock.minutes += 1
    second = imported.hand_over()
    assert second is not None
    assert imported.earlier_runs(second.hand_over_id) == ["run-1"]
