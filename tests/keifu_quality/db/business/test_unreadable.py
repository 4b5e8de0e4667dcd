"""What the reader does where a table cannot be read, or holds what Python cannot."""

from datetime import UTC, date, datetime

import psycopg
import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError, ProgrammingError

from graphs.contracts import Category
from graphs.facts import FactsUnavailableError, Unavailable
from graphs.person_diagnosis.snapshot_codec import decode_snapshot, encode_snapshot
from graphs.retry import is_transient
from graphs.rules.athlete import Athlete
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.evaluate import evaluate_family
from graphs.rules.rule import RuleContext
from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.reader import DatabaseReader
from keifu_quality.db.engine import business_engine
from keifu_quality.settings import Settings
from tests.keifu_quality.db.archive import Archive
from tests.keifu_quality.db.conftest import Administer

pytestmark = pytest.mark.postgres


class TestUnknownEnumValues:
    """PostgreSQL lets nobody use a new value in the transaction that adds it, so each has a statement of its own."""

    @pytest.mark.parametrize(
        ("enum", "table", "column", "section"),
        [
            ("EventDiscipline", "PersonalBest", "discipline", "personal_bests"),
            ("DataStatus", "PersonalBest", "status", "personal_bests"),
            ("MembershipRole", "Membership", "role", "memberships"),
            ("OrganizationType", "Organization", "type", "memberships"),
            ("EventDiscipline", "Race", "discipline", "results"),
            ("CompetitionType", "Competition", "type", "results"),
            ("NameVariantType", "NameVariant", "type", "name_variants"),
        ],
    )
    def test_one_costs_the_section_of_its_owner_alone(
        self, filled: Archive, reader: DatabaseReader, enum: str, table: str, column: str, section: str
    ) -> None:
        filled.personal_best("b2", "p2", "m5000", "14:00.00")
        filled.execute(f"ALTER TYPE \"{enum}\" ADD VALUE 'of_tomorrow'")
        where = "WHERE id <> 'b2'" if table == "PersonalBest" else ""
        filled.execute(f'UPDATE "{table}" SET "{column}" = \'of_tomorrow\' {where}')
        found = reader.load_snapshots(["p1", "p2"])

        unreadable = getattr(found["p1"], section)
        assert isinstance(unreadable, Unavailable)
        assert "of_tomorrow" in unreadable.message
        assert len(found["p2"].personal_bests) == 1
        assert encode_snapshot(decode_snapshot(encode_snapshot(found["p1"]))) == encode_snapshot(found["p1"])

    @pytest.mark.parametrize(("enum", "column"), [("PersonType", "type"), ("DataStatus", "status")])
    def test_one_of_the_athlete_costs_the_rules_that_look_at_it(
        self, filled: Archive, reader: DatabaseReader, enum: str, column: str
    ) -> None:
        filled.execute(f"ALTER TYPE \"{enum}\" ADD VALUE 'of_tomorrow'")
        filled.execute(f"UPDATE \"Person\" SET \"{column}\" = 'of_tomorrow' WHERE id = 'p1'")
        snapshot = reader.load_snapshots(["p1"])["p1"]
        revived = decode_snapshot(encode_snapshot(snapshot))
        for person in (snapshot.person, revived.person):
            with pytest.raises(FactsUnavailableError, match=r"p1.*of_tomorrow"):
                assert getattr(person, column) == "athlete"
            with pytest.raises(FactsUnavailableError, match="of_tomorrow"):
                assert getattr(person, column) not in frozenset({"athlete"})
        assert revived == snapshot
        now = datetime(2026, 11, 1, tzinfo=UTC)
        context = RuleContext(today=now.date(), now=now, configuration=RuleConfiguration())
        found = [evaluate_family(category, Athlete(revived), context) for category in Category]
        causes = {rule.rule: rule for family in found for rule in family.not_evaluated}
        assert {cause.code for cause in causes.values()} == {"unknown_enum_value"}
        assert {"type": "PC07", "status": "PC03"}[column] in causes
        assert not any(code.startswith(("PN", "PB", "RC")) for code in causes)


class TestUnreadableTables:
    def test_without_other_names_a_snapshot_survives_its_json(
        self, filled: Archive, reader: DatabaseReader, administer: Administer
    ) -> None:
        administer('REVOKE SELECT ON "NameVariant" FROM keifu_reader')
        encoded = encode_snapshot(reader.load_snapshots(["p1"])["p1"])
        assert encode_snapshot(decode_snapshot(encoded)) == encoded

    def test_a_denied_table_costs_its_section_alone(
        self, filled: Archive, reader: DatabaseReader, administer: Administer
    ) -> None:
        administer('REVOKE SELECT ON "PersonalBest" FROM keifu_reader')
        snapshot = reader.load_snapshots(["p1"])["p1"]

        bests = snapshot.personal_bests
        assert isinstance(bests, Unavailable)
        assert bests.table == "PersonalBest"
        assert "keifu_reader" in bests.message
        assert "GRANT SELECT" in bests.message
        with pytest.raises(FactsUnavailableError):
            len(bests)
        assert len(snapshot.memberships) == len(snapshot.results) == len(snapshot.opponents) == 1
        assert len(snapshot.relation_inputs) == 1

    def test_a_missing_column_costs_its_section_alone(
        self, filled: Archive, reader: DatabaseReader, administer: Administer
    ) -> None:
        administer('ALTER TABLE "SourceReference" DROP COLUMN metadata')
        snapshot = reader.load_snapshots(["p1"])["p1"]

        assert isinstance(snapshot.source_references, Unavailable)
        assert "metadata" in snapshot.source_references.message
        assert len(snapshot.name_variants) == 1
        assert snapshot.birth_day_peers is None

    @pytest.mark.parametrize(
        ("table", "sections"),
        [
            ("Membership", {"memberships", "relation_inputs", "team_moves"}),
            ("RaceResult", {"results", "opponents", "relation_inputs"}),
            ("Race", {"results", "opponents", "relation_inputs"}),
            ("NameVariant", {"name_variants"}),
            ("AuditLog", {"merge_records"}),
            ("PlayerRelationCache", {"relation_caches", "relation_inputs"}),
            (
                "Organization",
                {"memberships", "personal_bests", "results", "opponents", "relation_inputs", "team_moves"},
            ),
            (
                "Source",
                {
                    "memberships",
                    "personal_bests",
                    "name_variants",
                    "source_references",
                    "relation_inputs",
                    "team_moves",
                },
            ),
        ],
    )
    def test_what_depends_on_a_table_goes_with_it(
        self, filled: Archive, reader: DatabaseReader, administer: Administer, table: str, sections: set[str]
    ) -> None:
        administer(f'DROP TABLE "{table}" CASCADE')
        snapshot = reader.load_snapshots(["p1"])["p1"]
        found = {
            name for name in type(snapshot).__dataclass_fields__ if isinstance(getattr(snapshot, name), Unavailable)
        }
        assert found == sections

    def test_names_of_organizations_are_no_empty_list(
        self, filled: Archive, reader: DatabaseReader, administer: Administer
    ) -> None:
        administer('REVOKE SELECT ON "NameVariant" FROM keifu_reader')
        [membership] = reader.load_snapshots(["p1"])["p1"].memberships
        assert isinstance(membership.organization.names, Unavailable)

    def test_without_people_the_fault_rises(
        self, filled: Archive, reader: DatabaseReader, administer: Administer
    ) -> None:
        administer('REVOKE SELECT ON "Person" FROM keifu_reader')
        with pytest.raises(ProgrammingError, match="permission denied for table Person"):
            reader.load_snapshots(["p1"])

    def test_a_fault_that_passes_rises(
        self, filled: Archive, business_owner_url: str, index: AthleteIndex, settings: Settings
    ) -> None:
        impatient = business_engine(settings.model_copy(update={"lock_timeout_ms": 50}))
        owner = psycopg.connect(business_owner_url.replace("postgresql+psycopg", "postgresql", 1))
        try:
            owner.execute('LOCK TABLE "Membership"')
            with pytest.raises(OperationalError) as caught:
                DatabaseReader(impatient, index, inspect=dict).load_snapshots(["p1"])
        finally:
            owner.close()
            impatient.dispose()
        assert is_transient(caught.value)


class TestExtremes:
    def test_times_that_python_cannot_hold_are_read(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.organization("o1", "例示大学")
        archive.person("p1", "例山 一郎", birthDate="0044-03-15 BC", updatedAt="infinity")
        archive.membership("m1", "p1", "o1", startDate="-infinity", endDate="infinity")
        snapshot = reader.load_snapshots(["p1"])["p1"]

        assert snapshot.person.birth_date == date(1, 1, 2)
        assert snapshot.person.updated_at.year == 9999
        [membership] = snapshot.memberships
        assert membership.start_date == date(1, 1, 2)
        assert membership.end_date == date(9999, 12, 30)
        assert snapshot.birth_date_sharers == 1

    def test_a_large_payload_is_read(self, archive: Archive, reader: DatabaseReader) -> None:
        archive.person("p1", "例山 一郎")
        archive.relation_cache("k1", "p1", {"topRelations": [], "padding": "長" * 3_500_000})
        [cache] = reader.load_snapshots(["p1"])["p1"].relation_caches
        assert not cache.too_large
        assert cache.payload_bytes > 10_000_000
        assert len(cache.payload["padding"]) == 3_500_000

    def test_a_giant_payload_stays_on_the_server(self, archive: Archive, index: AthleteIndex, business: Engine) -> None:
        archive.person("p1", "例山 一郎")
        archive.relation_cache("k1", "p1", {"padding": "x" * 1_000})
        small = DatabaseReader(business, index, inspect=dict, payload_limit=1_000)
        [cache] = small.load_snapshots(["p1"])["p1"].relation_caches
        assert (cache.payload, cache.too_large) == (None, True)
        assert cache.payload_bytes > 1_000

    @pytest.mark.parametrize("text", ["[" * 3_000 + "]" * 3_000, "1" * 5_000, "1" * 400 + ".5"])
    def test_json_that_python_refuses_counts_as_too_large(
        self, archive: Archive, reader: DatabaseReader, text: str
    ) -> None:
        archive.person("p1", "例山 一郎")
        archive.relation_cache("k1", "p1", {})
        archive.execute('UPDATE "PlayerRelationCache" SET payload = %(text)s::jsonb', text=text)
        [cache] = reader.load_snapshots(["p1"])["p1"].relation_caches
        assert (cache.payload, cache.too_large) == (None, True)
