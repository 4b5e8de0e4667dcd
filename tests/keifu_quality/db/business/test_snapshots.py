"""The facts of athletes as they come out of a real database."""

from datetime import UTC, date, datetime

import pytest

from graphs.facts import BirthDayPeers, MergeRecord, OrganizationName, TeamMove
from graphs.person_diagnosis.snapshot_codec import decode_snapshot, encode_snapshot
from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.reader import DatabaseReader
from tests.keifu_quality.db.archive import Archive

pytestmark = pytest.mark.postgres

CREATED = datetime(2026, 7, 1, 12, tzinfo=UTC)


def test_every_table_ends_in_its_section(filled: Archive, reader: DatabaseReader) -> None:
    snapshot = reader.load_snapshots(["p1"])["p1"]

    person = snapshot.person
    assert (person.slug, person.name_ja, person.search_key, person.kana) == (
        "asahi-satomi",
        "里見 朝日",
        "里見朝日",
        "サトミ アサヒ",
    )
    assert (person.birth_date, person.height_cm, person.weight_kg) == (date(2003, 6, 15), 170, None)
    assert (person.notes, person.created_at, person.updated_at) == ("覚え", CREATED, CREATED)
    [membership] = snapshot.memberships
    assert (membership.start_date, membership.end_date, membership.end_year) == (date(2022, 4, 1), None, 2026)
    assert (membership.type, membership.role, membership.status) == ("enrolled", "athlete", "pending")
    assert (membership.cohort, membership.faculty, membership.department) == ("2026", "文学部", None)
    assert membership.source is not None
    assert membership.source.reliability == 5
    organization = membership.organization
    assert (organization.name_ja, organization.short_name, organization.prefecture) == ("例示大学", "例大", "長野県")
    assert tuple(organization.names) == (OrganizationName("旧例示大学", "former"),)
    [best] = snapshot.personal_bests
    assert (best.discipline, best.mark, best.mark_millis) == ("m5000", "13:45.60", 825_600)
    assert (best.organization_id, best.organization_exists, best.achieved_on) == ("gone", False, None)
    assert best.source is membership.source
    [result] = snapshot.results
    assert (result.mark, result.mark_millis, result.rank, result.grade_at_race) == ("1:01:02", 3_662_000, 3, 3)
    assert result.organization is organization
    race = result.race
    assert (race.id, race.leg, race.distance_meters, race.starts_at) == ("r1", 1, 21_300, None)
    assert (race.edition_year, race.edition_starts_on) == (2025, datetime(2025, 1, 2, tzinfo=UTC))
    assert (race.edition_id, race.competition_id, race.competition_type) == ("r1-e", "r1-c", "university_ekiden")
    assert race.updated_at == CREATED
    [variant] = snapshot.name_variants
    assert (variant.value, variant.type, variant.language, variant.source) == ("さとみ", "short", "ja", None)
    [reference] = snapshot.source_references
    assert (reference.entity_type, reference.entity_key, reference.name_ja) == ("person", "key-f1", "里見　朝日")
    assert (reference.name_kana, reference.name_roman) == ("サトミアサヒ", None)


def test_relations_are_counted_as_the_builder_counts(filled: Archive, reader: DatabaseReader) -> None:
    filled.race("r2", startsAt="2025-11-02 01:00:00", leg=None, discipline="m5000")
    filled.race("r3", year=2020)
    for number, race in enumerate(("r2", "r2", "r3")):
        filled.result(f"own{number}", "p1", race)
        filled.result(f"other{number}", "p2", race)
    snapshot = reader.load_snapshots(["p1"])["p1"]

    [opponent] = snapshot.opponents
    assert opponent.person_id == "p2"
    assert (opponent.matchups, opponent.dated_matchups) == (4, 3)
    assert opponent.latest_match_at == datetime(2025, 11, 2, 1, tzinfo=UTC)
    assert opponent.stages == ("university",)
    [cache] = snapshot.relation_caches
    assert (cache.payload["personId"], cache.too_large, cache.generated_at) == ("p1", False, CREATED)
    [inputs] = snapshot.relation_inputs
    assert inputs.other_results == datetime(2026, 7, 3, tzinfo=UTC)
    assert inputs.own_results == inputs.races == inputs.profile == CREATED
    assert inputs.existing_person_ids == {"p2"}


def test_relation_inputs_know_the_stays_of_named_people_and_merges_of_gone_ones(
    filled: Archive, reader: DatabaseReader
) -> None:
    filled.membership("m2", "p2", "o1", updatedAt="2026-08-01 00:00:00")
    filled.execute('DELETE FROM "PlayerRelationCache"')
    filled.relation_cache("k2", "p1", {"topRelations": [{"relatedPersonId": "p2"}, {"relatedPersonId": "old"}]})
    filled.audit("a1", "p2", oldValue={"mergedPersonSlug": "old-slug", "mergedPersonId": "old"})
    [inputs] = reader.load_snapshots(["p1"])["p1"].relation_inputs

    assert inputs.memberships == datetime(2026, 8, 1, tzinfo=UTC)
    assert inputs.existing_person_ids == {"p2"}
    assert inputs.merge_audit_ids == {"old": "a1"}


def test_snapshots_survive_their_json(filled: Archive, reader: DatabaseReader) -> None:
    snapshot = reader.load_snapshots(["p1"])["p1"]
    assert decode_snapshot(encode_snapshot(snapshot)) == snapshot


def test_candidates_come_with_their_facts(filled: Archive, index: AthleteIndex, reader: DatabaseReader) -> None:
    filled.person("p3", "里見朝日", slug="satomi-asahi")
    filled.membership("m3", "p3", "o1")
    filled.personal_best("b3", "p3", "m10000", "28:30.00")
    filled.result("x3", "p3", "r1")
    index.refresh()
    snapshot = reader.load_snapshots(["p1"])["p1"]

    [candidate] = snapshot.candidates
    assert candidate.person.id == "p3"
    assert candidate.shared_keys == {"strict", "variant", "loose", "slug"}
    assert [m.id for m in candidate.memberships] == ["m3"]
    assert [b.id for b in candidate.personal_bests] == ["b3"]
    assert [r.id for r in candidate.results] == ["x3"]
    assert snapshot.strict_candidate_count is None


def test_people_who_are_gone_are_left_out(filled: Archive, index: AthleteIndex, reader: DatabaseReader) -> None:
    filled.person("p3", "里見朝日")
    index.refresh()
    filled.execute('DELETE FROM "Person" WHERE id = %(id)s', id="p3")

    found = reader.load_snapshots(["p3", "p1", "nobody"])
    assert list(found) == ["p1"]
    assert len(found["p1"].candidates) == 0
    assert reader.load_snapshots([]) == {}


def test_ids_are_taken_literally(archive: Archive, reader: DatabaseReader) -> None:
    awkward = "a\"b\\c,{d}'e %s"
    archive.person(awkward, "例山 花")
    assert list(reader.load_snapshots([awkward])) == [awkward]


class TestMerges:
    @pytest.fixture(autouse=True)
    def people(self, archive: Archive) -> None:
        archive.person("p1", "例山 一郎", slug="kept")
        archive.person("p2", "例山 一郎", slug="risen")

    def test_a_merge_is_known_to_the_risen_and_to_the_kept(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.audit("a1", "p1", oldValue={"mergedPersonSlug": "risen"}, newValue={"canonicalPersonId": "p1"})
        found = reader.load_snapshots(["p1", "p2"])
        record = MergeRecord("a1", "risen", None, "p1", CREATED, "kept")
        assert tuple(found["p1"].merge_records) == tuple(found["p2"].merge_records) == (record,)

    def test_an_older_form_counts(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.audit("a1", "p1", action="delete", oldValue={"dropSlug": "risen", "dropPersonId": "p0"})
        [record] = reader.load_snapshots(["p2"])["p2"].merge_records
        assert (record.merged_slug, record.merged_person_id, record.canonical_person_id) == ("risen", "p0", "p1")

    def test_other_audits_of_a_person_are_no_merges(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.audit("a1", "p1", action="update", oldValue={"notes": "risen"})
        archive.audit("a2", "p1", action="update", oldValue=["risen"], newValue=[1])
        assert len(reader.load_snapshots(["p1"])["p1"].merge_records) == 0


class TestLeftovers:
    @pytest.fixture(autouse=True)
    def import_run(self, archive: Archive) -> None:
        archive.source("s1")
        archive.race("r1")
        archive.person("p1", "例山 一郎")
        archive.person("p2", "例山 二郎")
        archive.result("new", "p2", "r1", sourceId="s1", createdAt="2026-07-02 00:00:30")
        archive.completed_import("batch", "s1", started_at="2026-07-02 00:00:00", created="new")

    def is_leftover(self, reader: DatabaseReader) -> bool:
        [result] = reader.load_snapshots(["p1"])["p1"].results
        return result.is_leftover

    def test_an_older_row_of_the_same_source_is_left_over(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.result("old", "p1", "r1", sourceId="s1", createdAt="2026-07-01 00:00:00")
        assert self.is_leftover(reader)

    def test_a_row_of_the_run_is_not(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.result("early", "p1", "r1", sourceId="s1", createdAt="2026-07-02 00:00:10")
        assert not self.is_leftover(reader)

    def test_a_row_of_another_source_is_not(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.source("s2")
        archive.result("old", "p1", "r1", sourceId="s2", createdAt="2026-07-01 00:00:00")
        assert not self.is_leftover(reader)

    def test_a_run_that_failed_says_nothing(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.execute("""UPDATE "ImportBatch" SET status = 'failed'""")
        archive.result("old", "p1", "r1", sourceId="s1", createdAt="2026-07-01 00:00:00")
        assert not self.is_leftover(reader)


class TestCrowdedBirthDays:
    def test_peers_are_those_of_a_common_source(self, archive: Archive, reader: DatabaseReader) -> None:
        for source in ("s1", "s2", "s3"):
            archive.source(source)
        births = {"p1": "2000-04-01", "p2": "2001-04-01", "p3": "1999-04-02", "p4": "2000-04-01", "p5": None}
        for person, birth in births.items():
            archive.person(person, f"例山 {person}", birthDate=birth)
        references = [("p1", "s1"), ("p1", "s2"), ("p2", "s1"), ("p2", "s2"), ("p3", "s2"), ("p4", "s3"), ("p5", "s1")]
        for number, (person, source) in enumerate(references):
            archive.reference(f"f{number}", person, source)
        found = reader.load_snapshots(list(births))

        assert found["p1"].birth_day_peers == BirthDayPeers(known=3, same_day=2)
        assert found["p4"].birth_day_peers == BirthDayPeers(known=1, same_day=1)
        assert found["p1"].birth_date_sharers == found["p4"].birth_date_sharers == 2
        assert found["p3"].birth_date_sharers == 1
        assert (found["p5"].birth_day_peers, found["p5"].birth_date_sharers) == (None, None)

    def test_without_a_source_the_archive_is_the_peer(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.person("p1", "例山 一郎", birthDate="2000-02-29")
        archive.person("p2", "例山 二郎", birthDate="1996-02-29")
        archive.person("p3", "例山 三郎", birthDate="1996-03-01")
        peers = reader.load_snapshots(["p1"])["p1"].birth_day_peers
        assert peers == BirthDayPeers(known=3, same_day=2)


class TestTeamMoves:
    @pytest.fixture(autouse=True)
    def teams(self, archive: Archive) -> None:
        archive.organization("o1", "例示製作所", "corporate_team")
        archive.organization("o2", "例示重工", "corporate_team")
        for person in ("p1", "p2", "p3"):
            archive.person(person, f"例山 {person}")
        self.move(archive, "p1", leaves="2020-03-31", joins="2020-04-01")

    def move(self, archive: Archive, person: str, *, leaves: str, joins: str) -> None:
        row = {"type": "affiliated"}
        archive.membership(f"{person}-1", person, "o1", startDate="2015-04-01", endDate=leaves, **row)
        archive.membership(f"{person}-2", person, "o2", startDate=joins, **row)

    def test_others_who_moved_then_are_counted(self, archive: Archive, reader: DatabaseReader) -> None:
        self.move(archive, "p2", leaves="2020-03-31", joins="2020-05-01")
        self.move(archive, "p3", leaves="2018-03-31", joins="2018-04-01")
        assert tuple(reader.load_snapshots(["p1"])["p1"].team_moves) == (TeamMove("o1", "o2", 1),)

    def test_years_stand_for_their_days(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.membership("y1", "p2", "o1", type="affiliated", endYear=2020)
        archive.membership("y2", "p2", "o2", type="affiliated", startYear=2020)
        archive.membership("y3", "p3", "o1", type="affiliated", endYear=99_999)
        archive.membership("y4", "p3", "o2", type="affiliated", startDate="infinity")
        assert tuple(reader.load_snapshots(["p1"])["p1"].team_moves) == (TeamMove("o1", "o2", 1),)

    def test_nobody_else_is_nothing(self, reader: DatabaseReader) -> None:
        assert tuple(reader.load_snapshots(["p1"])["p1"].team_moves) == ()
