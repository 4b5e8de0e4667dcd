"""Rows of the business database, one dataclass a table.

Belongs here: the columns of each table in COPY order, and how a field is called in the database. Stays out: every
value. Times are naive datetimes that hold UTC, as the archive stores them; enum values are plain text; JSON columns
hold dicts and lists.
"""

from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from typing import Any, ClassVar


@dataclass(slots=True)
class Row:
    """Base of all rows; the order of the fields is the order of the columns in COPY."""

    table: ClassVar[str]


@dataclass(slots=True)
class Source(Row):
    table = "Source"
    id: str
    name: str
    type: str
    reliability: int
    created_at: datetime
    updated_at: datetime
    url: str | None = None
    notes: str | None = None


@dataclass(slots=True)
class Competition(Row):
    table = "Competition"
    id: str
    slug: str
    name_ja: str
    type: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True)
class CompetitionEdition(Row):
    table = "CompetitionEdition"
    id: str
    competition_id: str
    slug: str
    edition_number: int | None
    year: int
    official_name: str
    starts_on: datetime | None
    source_id: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True)
class Organization(Row):
    table = "Organization"
    id: str
    slug: str
    name_ja: str
    type: str
    prefecture: str | None
    country: str
    created_at: datetime
    updated_at: datetime
    short_name: str | None = None


@dataclass(slots=True)
class Race(Row):
    table = "Race"
    id: str
    competition_edition_id: str
    slug: str
    name: str
    discipline: str
    leg: int | None
    heat: str | None
    distance_meters: int | None
    starts_at: datetime | None
    source_id: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True)
class Person(Row):
    table = "Person"
    id: str
    slug: str
    display_name_ja: str
    display_name_ja_search: str
    created_at: datetime
    updated_at: datetime
    display_name_kana: str | None = None
    display_name_roman: str | None = None
    birth_date: datetime | None = None
    hometown: str | None = None
    nationality: str | None = None
    height_cm: int | None = None
    weight_kg: int | None = None
    type: str = "athlete"
    status: str = "pending"


@dataclass(slots=True)
class Membership(Row):
    table = "Membership"
    id: str
    person_id: str
    organization_id: str
    type: str
    start_date: datetime | None
    end_date: datetime | None
    start_year: int | None
    end_year: int | None
    source_id: str | None
    created_at: datetime
    updated_at: datetime
    role: str = "athlete"
    cohort: str | None = None
    status: str = "pending"
    notes: str | None = None


@dataclass(slots=True)
class PersonalBest(Row):
    table = "PersonalBest"
    id: str
    person_id: str
    discipline: str
    mark: str
    mark_millis: int | None
    source_id: str | None
    created_at: datetime
    updated_at: datetime
    achieved_on: datetime | None = None
    competition_name: str | None = None
    venue: str | None = None
    organization_id: str | None = None
    stage: str | None = None
    is_high_school_pb: bool = False
    is_college_pb: bool = False
    status: str = "pending"
    notes: str | None = None


@dataclass(slots=True)
class RaceResult(Row):
    table = "RaceResult"
    id: str
    person_id: str
    race_id: str
    organization_id: str | None
    mark: str | None
    mark_millis: int | None
    grade_at_race: int | None
    source_id: str | None
    created_at: datetime
    updated_at: datetime
    is_entry: bool = True
    is_starter: bool = True
    rank: int | None = None
    status: str = "pending"
    notes: str | None = None


@dataclass(slots=True)
class NameVariant(Row):
    table = "NameVariant"
    id: str
    value: str
    type: str
    person_id: str | None
    organization_id: str | None
    source_id: str | None
    created_at: datetime
    updated_at: datetime
    language: str | None = None


@dataclass(slots=True)
class SourceReference(Row):
    table = "SourceReference"
    id: str
    source_id: str
    source_entity_type: str
    source_entity_key: str
    person_id: str | None
    metadata: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True)
class ImportBatch(Row):
    table = "ImportBatch"
    id: str
    key: str
    type: str
    status: str
    source_id: str | None
    payload: Any
    started_at: datetime | None
    completed_at: datetime | None
    error_message: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True)
class AuditLog(Row):
    table = "AuditLog"
    id: str
    entity_type: str
    entity_id: str
    action: str
    reason_type: str
    source_id: str | None
    actor_type: str
    batch_id: str | None
    created_at: datetime
    old_value: Any = None
    new_value: Any = None
    metadata: Any = None


@dataclass(slots=True)
class CacheInvalidation(Row):
    table = "CacheInvalidation"
    id: str
    scope: str
    version: datetime
    created_at: datetime
    updated_at: datetime


@dataclass(slots=True)
class PlayerRelationCache(Row):
    table = "PlayerRelationCache"
    id: str
    person_id: str
    payload: Any
    generated_at: datetime
    created_at: datetime
    updated_at: datetime
    source_hash: str | None = None


LOAD_ORDER: tuple[type[Row], ...] = (
    Source,
    Competition,
    CompetitionEdition,
    ImportBatch,
    Organization,
    Race,
    Person,
    Membership,
    PersonalBest,
    RaceResult,
    NameVariant,
    SourceReference,
    AuditLog,
    PlayerRelationCache,
    CacheInvalidation,
)
"""Every table of a roster, so ordered that foreign keys hold while rows are loaded."""


@cache
def columns(row_type: type[Row]) -> tuple[str, ...]:
    """The columns of a table in COPY order, spelled as in the database (camelCase)."""
    return tuple(_camel(field.name) for field in fields(row_type))


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)
