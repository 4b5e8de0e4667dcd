"""Runs of batches that are not plain: whom they touched, nobody twice and nobody lost."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from keifu_quality.db.agent import ImportKind, ImportOutcome
from keifu_quality.db.imports.events import AffectedPerson, ImportEvent, Reason
from keifu_quality.imports import ImportWatch
from tests.keifu_quality.imports.site import SECOND, FixedClock, Site, at, payload

pytestmark = pytest.mark.postgres


def reasons(event: ImportEvent) -> dict[str, set[str]]:
    """By slug, why an athlete counts as touched."""
    return {person.slug: {str(reason) for reason in person.reasons} for person in touched(event)}


def touched(event: ImportEvent) -> list[AffectedPerson]:
    return [person for person in event.people if person.person_id in event.touched()]


def slugs(event: ImportEvent) -> list[str]:
    return [person.slug for person in touched(event)]


def only_event(watch: ImportWatch, clock: FixedClock, minutes: float) -> ImportEvent:
    """The one event that a look at this minute finds; a second look finds none."""
    clock.minutes = minutes
    [event] = watch.poll().new_events
    assert watch.poll().new_events == ()
    return event


WHOLE = {"result", "audit", "source_reference"}


class TestRunAgain:
    def test_a_completed_batch_run_again_is_a_new_event_of_the_new_run(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa", "ito"], start=1)
        first = only_event(watch, clock, 3)
        site.run("b1", "r1", ["asa", "ito"], start=5)
        again = only_event(watch, clock, 7)
        assert [first.batch.key, again.batch.key] == ["b1@2026-08-01T10:02:00.000Z", "b1@2026-08-01T10:06:00.000Z"]
        assert reasons(again) == {"asa": WHOLE, "ito": WHOLE}

    def test_rows_of_the_earlier_run_alone_are_leftovers(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa", "ito"], start=1)
        only_event(watch, clock, 3)
        site.run("b1", "r1", ["asa"], start=5)
        assert reasons(only_event(watch, clock, 7)) == {"asa": WHOLE, "ito": {"leftover"}}

    def test_two_runs_between_looks_are_one_event_of_both(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa", "ito"], start=1)
        site.run("b1", "r1", ["asa", "uno"], start=5)
        event = only_event(watch, clock, 7)
        assert event.batch.key == "b1@2026-08-01T10:06:00.000Z"
        assert slugs(event) == ["asa", "ito", "uno"]
        assert reasons(event)["ito"] >= {"audit", "leftover"}

    def test_two_runs_between_looks_after_a_known_one_leave_the_known_one_out(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa"], start=1)
        site.archive.execute('UPDATE "RaceResult" SET "sourceId" = NULL')
        only_event(watch, clock, 3)
        site.run("b1", "r1", ["ito"], start=5)
        site.run("b1", "r1", ["uno"], start=9)
        assert slugs(only_event(watch, clock, 11)) == ["ito", "uno"]

    def test_running_the_newest_batch_again_is_no_older_archive(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa"], start=1)
        site.run("b2", "r2", ["ito"], start=3)
        clock.minutes = 5
        watch.poll()
        site.start("b2", 6, payload("r2", ["ito"]))
        clock.minutes = 7
        assert watch.poll().notices == ()
        assert not watch.full_sweep_due()


class TestFailed:
    def test_before_its_first_entry_it_touched_nobody_and_says_why(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa"], start=1)
        only_event(watch, clock, 3)
        site.start("b1", 5, payload("r1", ["asa", "ito"]))
        site.end("b1", 6, error="duplicate slug in payload")
        event = only_event(watch, clock, 7)
        assert (event.batch.kind, event.people) == (ImportKind.FAILED, ())
        assert event.notice is not None
        assert "duplicate slug in payload" in event.notice
        assert watch.hand_over() is not None, "the first event"
        assert watch.hand_over() is None, "nobody is diagnosed for the failed one"

    def test_midway_it_touched_what_it_wrote_and_the_entry_where_it_broke_off(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa", "ito", "uno", "eda"], start=1)
        only_event(watch, clock, 3)
        site.start("b1", 5, payload("r1", ["asa", "ito", "uno", "eda"]))
        site.entry("b1", "r1", "asa", 5.1)
        site.entry("b1", "r1", "ito", 5.2)
        site.end("b1", 6, error="no such organization")
        event = only_event(watch, clock, 7)
        assert reasons(event) == {"asa": WHOLE, "ito": WHOLE, "uno": {"payload"}}
        assert event.opponents() == {"p-eda"}

    def test_in_its_first_entry_it_touched_that_athlete(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.start("b1", 5, payload("r1", ["asa", "ito"]))
        site.write_person("asa", 5.1)
        site.end("b1", 6, error="no such organization")
        assert reasons(only_event(watch, clock, 7)) == {"asa": {"payload"}}

    def test_after_its_last_entry_it_touched_every_entry(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.start("b1", 5, payload("r1", ["asa", "ito"]))
        site.entry("b1", "r1", "asa", 5.1)
        site.entry("b1", "r1", "ito", 5.2)
        site.end("b1", 6, error="connection lost")
        assert reasons(only_event(watch, clock, 7)) == {"asa": WHOLE, "ito": WHOLE}

    def test_when_run_again_the_audit_rows_of_the_earlier_run_hide_no_entry(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa", "ito"], start=1)
        site.start("b1", 5, payload("r1", ["asa", "ito"]))
        site.entry("b1", "r1", "asa", 5.1)
        site.end("b1", 6, error="no such organization")
        assert reasons(only_event(watch, clock, 7))["ito"] >= {"payload"}


class TestStuck:
    def test_it_is_an_event_once_silent_and_touched_as_a_failed_one(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.start("b1", 1, payload("r1", ["asa", "ito", "uno"]))
        site.entry("b1", "r1", "asa", 25)
        site.write_person("ito", 25.1)
        clock.minutes = 34
        assert watch.poll().new_events == (), "its last audit row is nine minutes old"
        event = only_event(watch, clock, 36)
        assert event.batch.kind is ImportKind.STUCK
        assert reasons(event) == {"asa": WHOLE, "ito": {"payload"}}
        assert event.notice is not None
        assert "stuck" in event.notice

    def test_it_does_not_take_over_what_later_batches_of_its_source_wrote(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.start("b1", 1, payload("r1", ["asa"]))
        site.entry("b1", "r1", "asa", 2)
        site.run("b2", "r2", ["ito"], start=5)
        clock.minutes = 40
        assert {event.batch.batch_id: event.touched() for event in watch.poll().new_events} == {
            "b1": {"p-asa"},
            "b2": {"p-ito"},
        }

    def test_a_young_run_is_none(self, site: Site, watch: ImportWatch, clock: FixedClock) -> None:
        site.start("b1", 1, payload("r1", ["asa"]))
        clock.minutes = 30
        assert watch.poll().new_events == ()

    def test_completed_after_all_it_is_a_second_event_of_the_whole_run(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.start("b1", 1, payload("r1", ["asa", "ito"]))
        site.entry("b1", "r1", "asa", 2)
        only_event(watch, clock, 40)
        site.entry("b1", "r1", "ito", 41)
        site.end("b1", 42)
        event = only_event(watch, clock, 43)
        assert event.batch.kind is ImportKind.COMPLETED
        assert reasons(event) == {"asa": WHOLE, "ito": WHOLE}


class TestPayloads:
    def test_a_team_only_batch_touches_nobody_of_its_payload(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa", "ito"], start=1)
        only_event(watch, clock, 3)
        site.start("b2", 5, payload("r1", ["asa", "ito"]), key="example-ekiden-leg-1-team-only")
        site.audit("b2", "t1", 5.5, "TeamCompetitionResult")
        site.end("b2", 6)
        event = only_event(watch, clock, 7)
        assert (event.people, event.notice) == ((), None)

    def test_a_team_only_batch_right_after_its_leg_does_not_take_over_the_rows_of_the_leg(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa"], start=1, minutes=2 * SECOND)
        site.start("b2", 1 + 3 * SECOND, payload("r1", ["asa"]), key="example-ekiden-leg-1-team-only")
        site.audit("b2", "t1", 1 + 4 * SECOND, "TeamCompetitionResult")
        site.end("b2", 1 + 5 * SECOND)
        clock.minutes = 2
        assert [len(event.people) for event in watch.poll().new_events] == [1, 0]

    def test_of_a_repair_batch_the_rows_decide_and_not_the_payload(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        for number in range(1, 7):
            site.run(f"b{number}", f"r{number}", [f"asa-{number}", f"ito-{number}"], start=number)
        clock.minutes = 9
        assert len(watch.poll().people) == 12
        site.start("b7", 10, payload("r1", ["asa-1", "ito-1"]), key="example-ekiden-2024-repair-1")
        for number in range(1, 7):
            site.entry("b7", f"r{number}", f"asa-{number}", 10 + number * SECOND)
        site.end("b7", 11)
        event = only_event(watch, clock, 12)
        assert slugs(event) == [f"asa-{number}" for number in range(1, 7)]
        assert event.opponents() == {f"p-ito-{number}" for number in range(1, 7)}

    def test_of_a_protected_slug_only_the_audit_row_tells(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.write_person("asa", 0)
        site.start("b1", 5, payload("r1", ["asa", "ito"]))
        site.audit("b1", site.write_result("r1", "asa", 0), 5.1)
        site.entry("b1", "r1", "ito", 5.2)
        site.end("b1", 6)
        assert reasons(only_event(watch, clock, 7)) == {"asa": {"audit"}, "ito": WHOLE}

    @pytest.mark.parametrize("given", [None, "{broken", 7, ["asa"], {"raceSlug": 3, "entries": {"slug": "eda"}}])
    def test_without_a_readable_payload_the_written_rows_tell(
        self, site: Site, watch: ImportWatch, clock: FixedClock, given: Any
    ) -> None:
        site.start("b1", 5, given)
        site.entry("b1", "r1", "asa", 5.1)
        site.entry("b1", "r1", "ito", 5.2)
        site.end("b1", 6)
        event = only_event(watch, clock, 7)
        assert reasons(event) == {"asa": {"audit", "source_reference"}, "ito": {"audit", "source_reference"}}
        assert event.notice is not None
        assert "payload of key-b1" in event.notice

    def test_entries_of_a_wrong_shape_are_passed_over(self, site: Site, watch: ImportWatch, clock: FixedClock) -> None:
        site.start("b1", 5, {"raceSlug": "slug-r1", "entries": [None, 4, {"slug": 9}, {}, {"slug": "asa"}]})
        site.write_person("asa", 5.1)
        site.end("b1", 6, error="broken entry")
        assert slugs(only_event(watch, clock, 7)) == ["asa"]


class TestClocks:
    def test_a_completion_before_the_start_widens_the_window_by_five_minutes(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.start("b1", 20, None)
        site.archive.execute('UPDATE "ImportBatch" SET payload = %(p)s', p=Jsonb(payload("r1", ["asa"])))
        site.write_person("asa", 21)
        site.write_result("r1", "asa", 21)
        site.write_person("ito", 6)
        site.write_result("r2", "ito", 6)
        site.end("b1", 15)
        assert reasons(only_event(watch, clock, 22)) == {"asa": {"result"}}

    def test_rows_by_a_clock_behind_that_of_the_batch_are_found(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.start("b1", 65, payload("r1", ["asa", "ito"]))
        site.entry("b1", "r1", "asa", 5)
        site.entry("b1", "r1", "ito", 5 + SECOND)
        site.end("b1", 66)
        assert slugs(only_event(watch, clock, 7)) == ["asa", "ito"]

    def test_rows_by_a_clock_ahead_of_that_of_the_batch_are_found(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.start("b1", 5, payload("r1", ["asa", "ito"]))
        site.entry("b1", "r1", "asa", 65)
        site.write_person("ito", 64)
        site.write_result("r1", "ito", 64)
        site.end("b1", 6)
        assert slugs(only_event(watch, clock, 7)) == ["asa", "ito"]

    def test_when_no_row_can_be_matched_the_payload_names_the_athletes(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        for slug in ("asa", "ito", "uno"):
            site.write_person(slug, -600)
            site.write_result("r1", slug, -600)
        site.start("b1", 5, payload("r1", ["asa", "ito", "gone", "lost"]))
        site.archive.audit(
            "m1", "p-ito", oldValue={"mergedPersonSlug": "gone"}, newValue={"canonicalPersonId": "p-ito"}
        )
        site.end("b1", 6)
        event = only_event(watch, clock, 7)
        assert reasons(event) == {"asa": {"payload"}, "ito": {"payload", "merge"}}
        assert event.opponents() == {"p-uno"}
        assert event.unresolved == ("lost",)
        assert event.notice is not None
        assert "lost" in event.notice

    def test_a_batch_of_a_late_clock_is_found_however_late(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa"], start=100)
        only_event(watch, clock, 102)
        site.run("b2", "r2", ["ito"], start=3)
        assert slugs(only_event(watch, clock, 104)) == ["ito"]

    def test_a_batch_of_the_future_hides_no_later_one(self, site: Site, watch: ImportWatch, clock: FixedClock) -> None:
        site.run("b1", "r1", ["asa"], start=100_000)
        only_event(watch, clock, 5)
        site.run("b2", "r2", ["ito"], start=6)
        assert slugs(only_event(watch, clock, 8)) == ["ito"]
        assert not watch.full_sweep_due()


class TestWithoutBatch:
    def test_an_import_for_debugging_is_no_event_but_a_hint(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.entry("debug-import-race-entry", "r1", "asa", 5)
        clock.minutes = 7
        assert watch.poll().new_events == ()
        assert [person.slug for person in watch.hints(since=FixedClock(4).now()).people] == ["asa"]

    @pytest.mark.parametrize("batch", [None, "merge-person-duplicates-20260629"])
    def test_a_merge_is_no_event_but_a_hint_at_the_kept_and_at_the_caches_that_name_the_merged(
        self, site: Site, watch: ImportWatch, clock: FixedClock, batch: str | None
    ) -> None:
        for slug in ("asa", "ito", "uno", "eda"):
            site.write_person(slug, 0)
        for slug in ("asa", "ito", "uno"):
            site.write_result("r1", slug, 0)
        site.archive.relation_cache("k1", "p-ito", {"topRelations": [{"relatedPersonId": "p-gone", "rawScore": 20}]})
        site.archive.relation_cache("k2", "p-uno", {"topRelations": [{"relatedPersonId": "p-asa"}]})
        site.archive.relation_cache("k3", "p-eda", ["spoilt"])
        site.archive.audit(
            "m1",
            "p-asa",
            batchId=batch,
            createdAt=at(5),
            oldValue={"mergedPersonId": "p-gone", "mergedPersonSlug": "gone"},
            newValue={"canonicalPersonId": "p-asa"},
        )
        clock.minutes = 7
        assert watch.poll().new_events == ()
        people = watch.hints(since=FixedClock(4).now()).people
        assert [(person.slug, person.kept_by_merge, person.cache_names_merged) for person in people] == [
            ("asa", True, False),
            ("ito", False, True),
        ]
        assert not watch.hints(since=FixedClock(6).now()).anything()

    def test_rows_changed_without_audit_are_neither(self, site: Site, watch: ImportWatch, clock: FixedClock) -> None:
        site.write_person("asa", 0)
        site.archive.personal_best("q1", "p-asa", "m5000", "14:00")
        site.archive.execute('DELETE FROM "PersonalBest"')
        clock.minutes = 7
        assert watch.poll().new_events == ()
        assert not watch.hints(since=FixedClock(-10).now()).anything()


class TestAfterTheEvent:
    def test_an_older_archive_resets_the_watch_and_asks_for_a_full_sweep(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.run("b1", "r1", ["asa"], start=1)
        site.run("b2", "r2", ["ito"], start=20)
        clock.minutes = 30
        watch.poll()
        site.archive.execute("DELETE FROM \"ImportBatch\" WHERE id = 'b2'")
        clock.minutes = 31
        found = watch.poll()
        assert found.new_events == ()
        assert len(found.notices) == 1
        assert "backup" in found.notices[0]
        assert watch.full_sweep_due()
        assert watch.poll().notices == (), "it is told once"
        site.run("b3", "r3", ["uno"], start=10)
        assert slugs(only_event(watch, clock, 32)) == ["uno"]
        watch.full_sweep_done(started_at=FixedClock(30).now())
        assert watch.full_sweep_due(), "that sweep began before the reset"
        watch.full_sweep_done(started_at=FixedClock(33).now())
        assert not watch.full_sweep_due()

    def test_athletes_deleted_or_merged_since_are_skipped_and_who_is_left_is_diagnosed(
        self, site: Site, watch: ImportWatch, clock: FixedClock
    ) -> None:
        site.write_person("eda", 0)
        site.run("b1", "r1", ["asa", "ito", "uno"], start=1)
        only_event(watch, clock, 3)
        site.archive.execute("DELETE FROM \"Person\" WHERE slug IN ('ito', 'uno')")
        site.archive.audit(
            "m1", "p-middle", oldValue={"mergedPersonId": "p-ito"}, newValue={"canonicalPersonId": "p-middle"}
        )
        site.archive.audit(
            "m2", "p-eda", oldValue={"mergedPersonId": "p-middle"}, newValue={"canonicalPersonId": "p-eda"}
        )
        taken = watch.hand_over()
        assert taken is not None
        assert [(person.slug, Reason.MERGE in person.reasons) for person in taken.people] == [
            ("asa", False),
            ("eda", True),
        ]
        watch.settle(taken.hand_over_id, dict.fromkeys(("p-asa", "p-eda"), ImportOutcome.DIAGNOSED))
        assert watch.finish(taken.hand_over_id) == 0
