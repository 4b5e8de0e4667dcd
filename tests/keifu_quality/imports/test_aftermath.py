"""What changes without a batch, and what becomes of an event when the archive changes after it."""

import pytest
from sqlalchemy import Engine

from keifu_quality.db.agent import ImportOutcome
from keifu_quality.db.imports.events import Reason
from keifu_quality.db.imports.hand_over import settle_people
from keifu_quality.imports import ImportWatch
from tests.keifu_quality.imports.seen import only_event, slugs
from tests.keifu_quality.imports.site import FixedClock, Site, at

pytestmark = pytest.mark.postgres


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
        self, site: Site, watch: ImportWatch, agent: Engine, clock: FixedClock
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
        with agent.begin() as connection:
            settle_people(connection, taken.hand_over_id, dict.fromkeys(("p-asa", "p-eda"), ImportOutcome.DIAGNOSED))
        assert watch.finish(taken.hand_over_id) == 0
