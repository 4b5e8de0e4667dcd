"""Runs that completed in ways that are not plain: whom they touched, nobody twice and nobody lost."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from keifu_quality.imports import ImportWatch
from tests.keifu_quality.imports.seen import WHOLE, only_event, reasons, slugs
from tests.keifu_quality.imports.site import SECOND, FixedClock, Site, payload

pytestmark = pytest.mark.postgres


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
