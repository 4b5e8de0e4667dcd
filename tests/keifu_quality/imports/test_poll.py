"""Looking for import events: each run of a batch once, in order, whoever looks."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC

import pytest
from sqlalchemy import Engine, text

from keifu_quality.db.business.access import TableFault
from keifu_quality.db.imports.ledger import hold_ledger
from keifu_quality.db.sweeps import PLANNING_LOCK
from keifu_quality.imports import ImportsUnreadable, ImportWatch
from tests.keifu_quality.imports.site import SECOND, FixedClock, Site, at, payload

pytestmark = pytest.mark.postgres


def test_the_first_look_takes_what_is_there_as_known(
    site: Site, agent: Engine, business: Engine, clock: FixedClock
) -> None:
    site.run("b1", "r1", ["asa"], start=-20)
    watch = ImportWatch(agent, business, clock=clock)
    found = watch.poll()
    assert (found.new_events, found.people) == ((), ())
    assert "1 finished import" in found.notices[0]
    assert watch.hand_over() is None
    site.run("b1", "r1", ["ito"], start=5)
    assert [event.batch.key for event in watch.poll().new_events] == ["b1@2026-08-01T10:06:00.000Z"]


def test_an_import_that_runs_at_the_first_look_is_seen_whole_when_it_completes(
    site: Site, agent: Engine, business: Engine, clock: FixedClock
) -> None:
    site.start("b1", -5, payload("r1", ["asa", "ito"]))
    site.entry("b1", "r1", "asa", -4)
    watch = ImportWatch(agent, business, clock=clock)
    watch.poll()
    site.entry("b1", "r1", "ito", 1)
    site.end("b1", 2)
    assert [person.slug for person in watch.poll().people] == ["asa", "ito"]


def test_events_come_in_order_of_completion_and_id(site: Site, watch: ImportWatch, clock: FixedClock) -> None:
    for batch, race in (("b3", "r3"), ("b1", "r1"), ("b2", "r2")):
        site.run(batch, race, [f"asa-{batch}"], start=1)
    site.run("b0", "r4", ["asa-b0"], start=2)
    clock.minutes = 4
    assert [event.batch.batch_id for event in watch.poll().new_events] == ["b1", "b2", "b3", "b0"]


def test_an_event_of_the_same_millisecond_as_a_known_one_is_new(
    site: Site, watch: ImportWatch, clock: FixedClock
) -> None:
    site.run("b2", "r2", ["asa"], start=1)
    clock.minutes = 3
    assert len(watch.poll().new_events) == 1
    site.run("b1", "r1", ["ito"], start=1)
    assert [event.batch.batch_id for event in watch.poll().new_events] == ["b1"]


def test_a_run_that_was_committed_late_is_found(site: Site, watch: ImportWatch, clock: FixedClock) -> None:
    site.archive.execute("BEGIN")
    site.run("b1", "r1", ["asa"], start=1)
    clock.minutes = 3
    assert watch.poll().new_events == ()
    site.archive.execute("COMMIT")
    clock.minutes = 60
    assert [event.touched() for event in watch.poll().new_events] == [{"p-asa"}]


def test_opponents_are_those_of_the_races_that_were_written(site: Site, watch: ImportWatch, clock: FixedClock) -> None:
    site.run("b1", "r1", ["asa", "ito"], start=1)
    site.run("b2", "r2", ["asa", "eda"], start=3)
    clock.minutes = 5
    watch.poll()
    site.start("b3", 6, payload("r1", ["asa"]))
    site.archive.execute('UPDATE "RaceResult" SET "sourceId" = NULL')
    site.entry("b3", "r1", "asa", 6.5)
    site.end("b3", 7)
    clock.minutes = 8
    [event] = watch.poll().new_events
    assert (event.touched(), event.opponents()) == ({"p-asa"}, {"p-ito"})


def test_a_burst_of_ten_batches_names_each_athlete_once(site: Site, watch: ImportWatch, clock: FixedClock) -> None:
    for number in range(6):
        site.run(f"b{number}", f"r{number + 1}", ["asa", f"ito-{number}"], start=1 + number)
    for number in range(6, 10):
        site.run(f"b{number}", "r1", ["asa", f"ito-{number}"], start=1 + number)
    clock.minutes = 12
    found = watch.poll()
    assert len(found.new_events) == 10
    assert [person.slug for person in found.people] == ["asa", *(f"ito-{number}" for number in range(10))]
    taken = watch.hand_over()
    assert taken is not None
    assert [person.slug for person in taken.people] == [person.slug for person in found.people]


def test_neighbours_of_a_burst_keep_their_own_athletes(site: Site, watch: ImportWatch, clock: FixedClock) -> None:
    for number in range(1, 4):
        site.run(f"b{number}", f"r{number}", [f"asa-{number}"], start=number)
    clock.minutes = 5
    assert [event.touched() for event in watch.poll().new_events] == [{"p-asa-1"}, {"p-asa-2"}, {"p-asa-3"}]


def test_watches_at_once_find_each_event_once(
    site: Site, watch: ImportWatch, agent: Engine, business: Engine, clock: FixedClock
) -> None:
    for number in range(1, 7):
        site.run(f"b{number}", f"r{number}", [f"asa-{number}"], start=number)
    clock.minutes = 9
    watches = [watch, ImportWatch(agent, business, clock=clock)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda one: one.poll(), watches))
    keys = [event.batch.key for result in found for event in result.new_events]
    assert len(keys) == len(set(keys)) == 6
    with agent.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM import_event_people")).scalar_one() == 6


def test_a_look_that_failed_has_entered_nothing(
    site: Site, watch: ImportWatch, agent: Engine, business: Engine, clock: FixedClock
) -> None:
    site.run("b1", "r1", ["asa"], start=1)
    clock.minutes = 3
    with agent.begin() as connection:
        connection.execute(text("ALTER TABLE import_event_people RENAME TO elsewhere"))
    with pytest.raises(Exception, match="import_event_people"):
        watch.poll()
    with agent.begin() as connection:
        connection.execute(text("ALTER TABLE elsewhere RENAME TO import_event_people"))
    assert len(watch.poll().new_events) == 1


def test_a_payload_of_many_megabytes_stays_on_the_server(
    site: Site, watch: ImportWatch, clock: FixedClock, business: Engine
) -> None:
    large = payload("r1", ["asa", "ito"]) | {"notes": "長" * 3_500_000}
    site.start("b1", 1, large)
    site.entry("b1", "r1", "asa", 1.5)
    site.write_person("ito", 1.6)
    site.end("b1", 2, error="x" * 10_000)
    clock.minutes = 3
    [event] = watch.poll().new_events
    assert event.touched() == {"p-asa", "p-ito"}
    assert event.notice is not None
    assert len(event.notice) < 3_000


def test_times_that_no_calendar_has_do_not_stop_the_watch(site: Site, watch: ImportWatch, clock: FixedClock) -> None:
    site.run("b1", "r1", ["asa"], start=1)
    site.run("b2", "r2", ["ito"], start=3)
    site.archive.execute("UPDATE \"ImportBatch\" SET \"completedAt\" = 'infinity' WHERE id = 'b1'")
    clock.minutes = 5
    found = {event.batch.batch_id: event.touched() for event in watch.poll().new_events}
    assert found["b1"] >= {"p-asa"}
    assert found["b2"] == {"p-ito"}
    assert watch.poll().new_events == ()


def test_an_unreadable_table_is_told_with_its_remedy(agent: Engine, business: Engine, clock: FixedClock) -> None:
    fault = TableFault("AuditLog", "table_unreadable", "Run: GRANT SELECT")
    watch = ImportWatch(agent, business, clock=clock, faults={"AuditLog": fault})
    with pytest.raises(ImportsUnreadable, match="GRANT SELECT"):
        watch.poll()


def test_a_bump_of_a_cache_is_a_hint_unless_a_batch_explains_it(
    site: Site, watch: ImportWatch, clock: FixedClock
) -> None:
    site.run("b1", "r1", ["asa"], start=1)
    for identifier, scope, minutes in (("c1", "player-detail", 2 - SECOND), ("c2", "competition-detail", 4)):
        site.archive.insert("CacheInvalidation", identifier, scope=scope, version=at(minutes))
    found = watch.hints(since=clock.now())
    assert found.bumps == (("competition-detail", at(4).replace(tzinfo=UTC)),)
    assert found.people == ()


def test_a_look_does_not_wait_for_a_sweep_that_is_planned(agent: Engine) -> None:
    with agent.begin() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PLANNING_LOCK})
        with agent.begin() as another:
            another.execute(text("SET LOCAL lock_timeout = '1s'"))
            hold_ledger(another)
