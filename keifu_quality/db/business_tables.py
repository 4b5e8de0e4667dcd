"""The tables, columns, types and enum labels of the business database that the product reads.

What belongs here: the declaration alone. What stays out: columns that nobody reads, and the comparison with a real
database (`keifu_quality.db.business_contract`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from graphs import facts

TIMESTAMP = "timestamp without time zone"
ENUMS: Mapping[str, frozenset[str]] = {
    "AuditAction": frozenset({"create", "update", "delete", "verify", "merge", "split"}),
    "AuditActorType": frozenset({"admin", "import_script", "system"}),
    "CompetitionType": frozenset(get_args(facts.CompetitionType)),
    "DataStatus": frozenset(get_args(facts.DataStatus)),
    "EventDiscipline": frozenset(get_args(facts.Discipline)),
    "ImportBatchStatus": frozenset({"pending", "running", "completed", "failed"}),
    "MembershipRole": frozenset(get_args(facts.MembershipRole)),
    "MembershipType": frozenset(get_args(facts.MembershipType)),
    "NameVariantType": frozenset(get_args(facts.NameVariantType)),
    "OrganizationType": frozenset(get_args(facts.OrganizationType)),
    "PersonType": frozenset(get_args(facts.PersonType)),
    "SourceType": frozenset(
        {
            "university_official",
            "hakone_official",
            "ntv",
            "jaaf",
            "rikujokyogi_magazine",
            "data_site",
            "fan_site",
            "pdf",
            "manual",
        }
    ),
}


@dataclass(frozen=True, slots=True)
class ExpectedColumn:
    """One column: its type as `format_type` names it without length, or the name of an enum."""

    type: str
    nullable: bool = False


def _columns(
    *,
    required: str,
    optional: str = "",
    types: Mapping[str, str] | None = None,
    default_type: str = "text",
) -> dict[str, ExpectedColumn]:
    types = types or {}
    return {
        name: ExpectedColumn(types.get(name, default_type), nullable)
        for names, nullable in ((required, False), (optional, True))
        for name in names.split()
    }


_AUDITED = {"createdAt": TIMESTAMP, "updatedAt": TIMESTAMP}

TABLES: Mapping[str, Mapping[str, ExpectedColumn]] = {
    "Person": _columns(
        required="id slug displayNameJa displayNameJaSearch type status createdAt updatedAt",
        optional="displayNameKana displayNameRoman displayNameZh displayNameEn birthDate hometown nationality"
        " heightCm weightKg notes",
        types={
            **_AUDITED,
            "birthDate": TIMESTAMP,
            "heightCm": "integer",
            "weightKg": "integer",
            "type": "PersonType",
            "status": "DataStatus",
        },
    ),
    "Membership": _columns(
        required="id personId organizationId type role status createdAt updatedAt",
        optional="startYear endYear startDate endDate faculty department cohort notes sourceId",
        types={
            **_AUDITED,
            "startDate": TIMESTAMP,
            "endDate": TIMESTAMP,
            "startYear": "integer",
            "endYear": "integer",
            "type": "MembershipType",
            "role": "MembershipRole",
            "status": "DataStatus",
        },
    ),
    "PersonalBest": _columns(
        required="id personId discipline mark isHighSchoolPb isCollegePb status createdAt updatedAt",
        optional="markMillis achievedOn competitionName venue organizationId stage notes sourceId",
        types={
            **_AUDITED,
            "achievedOn": TIMESTAMP,
            "markMillis": "integer",
            "isHighSchoolPb": "boolean",
            "isCollegePb": "boolean",
            "discipline": "EventDiscipline",
            "status": "DataStatus",
        },
    ),
    "RaceResult": _columns(
        required="id personId raceId isEntry isStarter status createdAt updatedAt",
        optional="organizationId mark markMillis rank gradeAtRace notes sourceId",
        types={
            **_AUDITED,
            "isEntry": "boolean",
            "isStarter": "boolean",
            "markMillis": "integer",
            "rank": "integer",
            "gradeAtRace": "integer",
            "status": "DataStatus",
        },
    ),
    "Race": _columns(
        required="id competitionEditionId slug name discipline updatedAt",
        optional="leg round heat distanceMeters startsAt sourceId",
        types={
            **_AUDITED,
            "startsAt": TIMESTAMP,
            "leg": "integer",
            "distanceMeters": "integer",
            "discipline": "EventDiscipline",
        },
    ),
    "CompetitionEdition": _columns(
        required="id competitionId slug year officialName updatedAt",
        optional="editionNumber startsOn",
        types={**_AUDITED, "startsOn": TIMESTAMP, "year": "integer", "editionNumber": "integer"},
    ),
    "Competition": _columns(
        required="id slug nameJa updatedAt", optional="type", types={**_AUDITED, "type": "CompetitionType"}
    ),
    "Organization": _columns(
        required="id slug nameJa type country updatedAt",
        optional="shortName prefecture",
        types={**_AUDITED, "type": "OrganizationType"},
    ),
    "Source": _columns(
        required="id name type reliability createdAt",
        types={**_AUDITED, "type": "SourceType", "reliability": "integer"},
    ),
    "SourceReference": _columns(
        required="id sourceId sourceEntityType sourceEntityKey updatedAt",
        optional="personId raceId metadata",
        types={**_AUDITED, "metadata": "jsonb"},
    ),
    "NameVariant": _columns(
        required="id value type updatedAt",
        optional="language personId organizationId sourceId",
        types={**_AUDITED, "type": "NameVariantType"},
    ),
    "PlayerRelationCache": _columns(
        required="id personId payload generatedAt updatedAt",
        optional="sourceHash",
        types={**_AUDITED, "payload": "jsonb", "generatedAt": TIMESTAMP},
    ),
    "ImportBatch": _columns(
        required="id key type status createdAt updatedAt",
        optional="sourceId payload startedAt completedAt errorMessage",
        types={
            **_AUDITED,
            "status": "ImportBatchStatus",
            "payload": "jsonb",
            "startedAt": TIMESTAMP,
            "completedAt": TIMESTAMP,
        },
    ),
    "AuditLog": _columns(
        required="id entityType entityId action actorType createdAt",
        optional="fieldName oldValue newValue batchId metadata",
        types={
            **_AUDITED,
            "action": "AuditAction",
            "actorType": "AuditActorType",
            "oldValue": "jsonb",
            "newValue": "jsonb",
            "metadata": "jsonb",
        },
    ),
    "CacheInvalidation": _columns(required="scope version updatedAt", types={**_AUDITED, "version": TIMESTAMP}),
}
