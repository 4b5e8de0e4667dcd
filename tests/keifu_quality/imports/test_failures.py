"""Runs that failed or never ended: whom they touched before."""

import pytest

from keifu_quality.db.agent import ImportKind
from keifu_quality.imports import ImportWatch
from tests.keifu_quality.imports.seen import WHOLE, only_event, reasons
from tests.keifu_quality.imports.site import FixedClock, Site, payload

pytestmark = pytest.mark.postgres


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
