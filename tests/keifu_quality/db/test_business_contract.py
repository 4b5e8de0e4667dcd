"""The comparison of the business database with what the product reads: every difference is named with what it costs."""

import pytest

from keifu_quality.db.business_contract import ContractReport, Severity, check_contract
from keifu_quality.db.business_tables import TABLES
from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.db.engine import business_engine
from keifu_quality.errors import BusinessContractBroken
from keifu_quality.settings import Settings
from tests.conftest import settings_for
from tests.keifu_quality.db.conftest import Administer

pytestmark = pytest.mark.postgres


def report_of(settings: Settings) -> ContractReport:
    engine = business_engine(settings)
    try:
        with engine.connect() as connection:
            return check_contract(connection)
    finally:
        engine.dispose()


def test_the_real_shape_has_no_difference(settings: Settings) -> None:
    report = report_of(settings)
    assert report.differences == ()
    report.require()


def test_a_missing_column_is_named_and_costs_its_table(settings: Settings, administer: Administer) -> None:
    administer('ALTER TABLE "Membership" RENAME COLUMN "cohort" TO "entryCohort"')
    report = report_of(settings)
    (difference,) = report.differences
    assert (difference.table, difference.column, difference.severity) == ("Membership", "cohort", Severity.UNAVAILABLE)
    assert report.unavailable() == {"Membership": 'The table "Membership" has no column "cohort".'}
    report.require()


def test_a_missing_column_of_the_people_is_fatal(settings: Settings, administer: Administer) -> None:
    administer('ALTER TABLE "Person" DROP COLUMN "displayNameKana"')
    with pytest.raises(BusinessContractBroken, match='"Person" has no column "displayNameKana"'):
        report_of(settings).require()


def test_a_missing_table_is_named(settings: Settings, administer: Administer) -> None:
    administer('DROP TABLE "PlayerRelationCache"')
    assert report_of(settings).unavailable() == {"PlayerRelationCache": 'There is no table "PlayerRelationCache".'}


def test_denied_select_names_the_role_and_the_remedy(settings: Settings, administer: Administer) -> None:
    administer('REVOKE SELECT ON "AuditLog" FROM keifu_reader')
    reason = report_of(settings).unavailable()["AuditLog"]
    assert reason == (
        'The role "keifu_reader" may not SELECT from "AuditLog". Run: GRANT SELECT ON "AuditLog" TO "keifu_reader";'
    )


def test_denied_columns_are_named(settings: Settings, administer: Administer) -> None:
    readable = ", ".join(f'"{name}"' for name in TABLES["Source"] if name != "reliability")
    administer('REVOKE SELECT ON "Source" FROM keifu_reader')
    administer(f'GRANT SELECT ({readable}) ON "Source" TO keifu_reader')
    assert '"Source" (reliability)' in report_of(settings).unavailable()["Source"]


def test_another_type_is_named(settings: Settings, administer: Administer) -> None:
    administer('ALTER TABLE "Race" ALTER "startsAt" TYPE timestamptz')
    reason = report_of(settings).unavailable()["Race"]
    assert reason == '"Race"."startsAt" has the type timestamp with time zone instead of timestamp without time zone.'


def test_a_type_that_reads_the_same_is_no_difference(settings: Settings, administer: Administer) -> None:
    administer('ALTER TABLE "RaceResult" ALTER "markMillis" TYPE bigint')
    administer('ALTER TABLE "Source" ALTER "name" TYPE varchar(200)')
    assert report_of(settings).differences == ()


def test_an_enum_that_became_text_is_named(settings: Settings, administer: Administer) -> None:
    administer('ALTER TABLE "NameVariant" ALTER "type" TYPE text')
    assert "has the type text instead of NameVariantType" in report_of(settings).unavailable()["NameVariant"]


def test_new_and_lost_enum_values_are_warnings(settings: Settings, administer: Administer) -> None:
    administer("""ALTER TYPE "EventDiscipline" ADD VALUE 'm5000sc'""")
    administer("""ALTER TYPE "EventDiscipline" RENAME VALUE 'm800' TO 'm_800'""")
    report = report_of(settings)
    assert report.unavailable() == {}
    assert [warning.split(",")[0] for warning in report.warnings()] == [
        'The enum "EventDiscipline" has the value m5000sc',
        'The enum "EventDiscipline" has the value m_800',
        'The enum "EventDiscipline" has lost the value m800.',
    ]


def test_a_column_that_may_be_null_now_is_a_warning(settings: Settings, administer: Administer) -> None:
    administer('ALTER TABLE "Membership" ALTER "organizationId" DROP NOT NULL')
    assert report_of(settings).warnings() == ('"Membership"."organizationId" may be null, which was not so before.',)


def test_a_schema_that_is_not_there_is_fatal_and_says_so(databases: DatabaseUrls, settings: Settings) -> None:
    elsewhere = DatabaseUrls(
        databases.business_owner, f"{databases.business}&schema=archive", databases.agent, databases.dagster
    )
    with pytest.raises(BusinessContractBroken, match=r"\?schema="):
        report_of(settings_for(elsewhere, settings.home)).require()


def test_the_schema_of_the_url_is_the_one_compared(
    databases: DatabaseUrls, settings: Settings, administer: Administer
) -> None:
    administer("ALTER SCHEMA public RENAME TO archive")
    elsewhere = DatabaseUrls(
        databases.business_owner, f"{databases.business}&schema=archive", databases.agent, databases.dagster
    )
    assert report_of(settings_for(elsewhere, settings.home)).differences == ()
