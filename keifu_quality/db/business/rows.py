"""Rows of the business database made into facts.

Belongs here: the positions of columns in the statements, time zones, and the sharing of equal records within one read.
Stays out: SQL, and every judgement. Timestamps come naive in UTC and leave aware; calendar dates are those of the UTC
value.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from graphs.facts import (
    Membership,
    MergeRecord,
    NameVariant,
    Organization,
    OrganizationName,
    Person,
    PersonalBest,
    Race,
    RaceResult,
    RelationCache,
    Source,
    SourceReference,
    Unavailable,
)
from keifu_quality.db.business import enum_values

T = TypeVar("T")
Row = tuple[Any, ...]

MEMBERSHIP_ORGANIZATION = slice(15, 22)
MEMBERSHIP_SOURCE = slice(22, 27)
MEMBERSHIP_ORGANIZATION_ID = 15
CACHE_ID = 18
RESULT_RACE = slice(13, 33)
RESULT_RACE_ID = 13
RESULT_ORGANIZATION_ID = 33
RESULT_ORGANIZATION = slice(33, 40)


def instant(value: datetime) -> datetime:
    """The instant that a stored timestamp means."""
    return value.replace(tzinfo=UTC)


def instant_or_none(value: datetime | None) -> datetime | None:
    """The instant that a stored timestamp means, if there is one."""
    return None if value is None else value.replace(tzinfo=UTC)


def day_or_none(value: datetime | None) -> date | None:
    """The calendar date of a stored timestamp, if there is one."""
    return None if value is None else value.date()


def person(row: Row) -> Person:
    """A profile from the columns of `PERSON_COLUMNS`."""
    kind, status = enum_values.known_values("Person", enum_values.PERSON_ENUMS, row)
    columns: Row = (
        *row[:8],
        day_or_none(row[8]),
        *row[9:13],
        kind,
        status,
        row[15],
        instant(row[16]),
        instant(row[17]),
    )
    return Person(*columns)


def relation_cache(row: Row) -> RelationCache:
    """A relation cache from the last columns of `PERSONS_WITH_CACHES`.

    JSON that nests deeper or holds longer or larger numbers than Python reads counts as too large.
    """
    cache_id, size, text, generated_at, source_hash, updated_at = row[CACHE_ID:]
    payload, too_large = None, text is None
    if text is not None:
        try:
            payload = json.loads(text, parse_float=_finite)
        except (ValueError, RecursionError):
            too_large = True
    return RelationCache(cache_id, payload, size, too_large, instant(generated_at), source_hash, instant(updated_at))


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("PostgreSQL keeps larger numbers than a float holds")
    return number


def merge_record(row: Row) -> MergeRecord:
    """A merge from a row of `MERGES`."""
    return MergeRecord(row[0], row[1], row[2], row[3], instant(row[4]), row[5])


class RecordMaker:
    """Makes the records of one read; organizations, sources and races that repeat are one object each."""

    def __init__(
        self,
        organization_names: Mapping[str, Sequence[OrganizationName]] | Unavailable[OrganizationName],
    ) -> None:
        """`organization_names` holds the other names of organizations by id."""
        self._organization_names = organization_names
        self._organizations: dict[str, Organization] = {}
        self._sources: dict[str, Source] = {}
        self._races: dict[str, Race] = {}

    def memberships(self, rows: Iterable[Row]) -> dict[str, tuple[Membership, ...]]:
        """Memberships by person, from rows of `MEMBERSHIPS`."""
        found: defaultdict[str, list[Membership]] = defaultdict(list)
        for row in rows:
            found[row[0]].append(
                Membership(
                    row[1],
                    self._organization(row[MEMBERSHIP_ORGANIZATION]),
                    row[2],
                    row[3],
                    day_or_none(row[4]),
                    day_or_none(row[5]),
                    row[6],
                    row[7],
                    row[8],
                    row[9],
                    row[10],
                    self._source(row[MEMBERSHIP_SOURCE]),
                    row[11].replace(tzinfo=UTC),
                    row[12].replace(tzinfo=UTC),
                    row[13],
                    row[14],
                )
            )
        return _frozen(found)

    def personal_bests(self, rows: Iterable[Row]) -> dict[str, tuple[PersonalBest, ...]]:
        """Personal bests by person, from rows of `PERSONAL_BESTS`."""
        found: defaultdict[str, list[PersonalBest]] = defaultdict(list)
        for row in rows:
            times = (instant(row[15]), instant(row[16]))
            columns: Row = (*row[1:5], day_or_none(row[5]), *row[6:15], self._source(row[17:]), *times)
            found[row[0]].append(PersonalBest(*columns))
        return _frozen(found)

    def results(
        self, rows: Iterable[Row], last_imports: Mapping[tuple[str, str | None], datetime]
    ) -> dict[str, tuple[RaceResult, ...]]:
        """Results by person, from rows of `RESULTS`.

        `last_imports` says by race and source when the last import of the race started, naive in UTC.
        """
        found: defaultdict[str, list[RaceResult]] = defaultdict(list)
        races = self._races
        for row in rows:
            race = races.get(row[13]) or self._race(row[RESULT_RACE])
            last_import = last_imports.get((row[13], row[10]))
            found[row[0]].append(
                RaceResult(
                    row[1],
                    race,
                    None if row[33] is None else self._organization(row[RESULT_ORGANIZATION]),
                    row[2],
                    row[3],
                    row[4],
                    row[5],
                    row[6],
                    row[7],
                    row[8],
                    row[9],
                    row[10],
                    row[11].replace(tzinfo=UTC),
                    row[12].replace(tzinfo=UTC),
                    last_import is not None and row[11] < last_import,
                )
            )
        return _frozen(found)

    def name_variants(self, rows: Iterable[Row]) -> dict[str, tuple[NameVariant, ...]]:
        """Other names by person, from rows of `NAME_VARIANTS`; those of organizations are passed over."""
        found: defaultdict[str, list[NameVariant]] = defaultdict(list)
        for row in rows:
            if row[0] is not None:
                found[row[0]].append(NameVariant(row[2], row[3], row[4], row[5], self._source(row[6:])))
        return _frozen(found)

    def source_references(self, rows: Iterable[Row]) -> dict[str, tuple[SourceReference, ...]]:
        """What sources printed, by person, from rows of `SOURCE_REFERENCES`."""
        found: defaultdict[str, list[SourceReference]] = defaultdict(list)
        for row in rows:
            source = self._source(row[8:])
            if source is not None:
                found[row[0]].append(
                    SourceReference(row[1], source, row[2], row[3], row[4], row[5], row[6], instant(row[7]))
                )
        return _frozen(found)

    def _organization(self, columns: Row) -> Organization:
        known = self._organizations.get(columns[0])
        if known is None:
            names = self._organization_names
            own = names if isinstance(names, Unavailable) else names.get(columns[0], ())
            fields: Row = (*columns, own if isinstance(own, Unavailable) else tuple(own))
            known = Organization(*fields)
            self._organizations[columns[0]] = known
        return known

    def _source(self, columns: Row) -> Source | None:
        if columns[0] is None:
            return None
        known = self._sources.get(columns[0])
        if known is None:
            fields: Row = (*columns[:4], instant(columns[4]))
            known = Source(*fields)
            self._sources[columns[0]] = known
        return known

    def _race(self, columns: Row) -> Race:
        times = (instant_or_none(columns[8]), instant_or_none(columns[14]), instant(columns[19]))
        fields: Row = (*columns[:8], times[0], *columns[9:14], times[1], *columns[15:19], times[2])
        race = Race(*fields)
        self._races[race.id] = race
        return race


def organization_names(rows: Iterable[Row]) -> dict[str, list[OrganizationName]]:
    """Other names by organization, from rows of `NAME_VARIANTS`; those of people are passed over."""
    found: defaultdict[str, list[OrganizationName]] = defaultdict(list)
    for row in rows:
        if row[1] is not None:
            found[row[1]].append(OrganizationName(row[3], row[4]))
    return found


def _frozen(lists: Mapping[str, list[T]]) -> dict[str, tuple[T, ...]]:
    return {key: tuple(values) for key, values in lists.items()}
