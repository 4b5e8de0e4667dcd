"""The view of an athlete that rules work on: the snapshot in a stable order, with what is derived from it once.

Belongs here: orderings and derived facts that several rules need. Stays out: thresholds and judgements.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, get_args

from graphs.facts import (
    Candidate,
    FactsUnavailableError,
    Judgement,
    Membership,
    MergeRecord,
    NameVariant,
    Opponent,
    Person,
    PersonalBest,
    RaceResult,
    RelationCache,
    RelationInputs,
    Snapshot,
    SourceReference,
    Unavailable,
)
from graphs.lazy import lazy_property
from graphs.rules.periods import start_of
from graphs.rules.racing import date_of, mark_of, parsed_mark
from graphs.rules.relation_cache.payload import PayloadReading, read_payload
from graphs.text.marks import ParsedMark
from graphs.text.names import NameKeys, name_keys
from graphs.text.school_year import RaceDate

RowSection = Literal[
    "memberships",
    "personal_bests",
    "results",
    "relation_caches",
    "candidates",
    "merge_records",
    "payload_bests",
]
Section = RowSection | Literal["several_memberships", "several_results"]
"""Sections of a snapshot whose emptiness tells beforehand that certain rules cannot fire. `several_…` is the section
from its second row on."""

ROW_SECTIONS: tuple[RowSection, ...] = get_args(RowSection)
SEVERAL: Mapping[Section, RowSection] = MappingProxyType(
    {"several_memberships": "memberships", "several_results": "results"}
)


class Athlete:
    """One athlete's facts. Rows come in an order that does not depend on the database's.

    Reading rows that were not available raises `graphs.facts.FactsUnavailableError`.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @property
    def person(self) -> Person:
        """The profile row."""
        return self.snapshot.person

    @lazy_property
    def empty_sections(self) -> frozenset[Section]:
        """Sections that were read and have no row; one that could not be read is not among them."""
        snapshot = self.snapshot
        # Not `isinstance`, which is slow for an abstract class such as `Unavailable` and is asked here for everybody.
        counts: dict[RowSection, int] = {
            section: len(rows)
            for section in ROW_SECTIONS
            if type(rows := getattr(snapshot, section)) is not Unavailable
        }
        empty: set[Section] = {section for section, count in counts.items() if not count}
        empty.update(several for several, section in SEVERAL.items() if counts.get(section, 2) < 2)
        return frozenset(empty)

    @lazy_property
    def keys(self) -> NameKeys:
        """The written-name keys of the display name."""
        return name_keys(self.person.name_ja)

    @lazy_property
    def memberships(self) -> Sequence[Membership]:
        """All memberships, by start (unknown last), organization and id."""
        rows = self.snapshot.memberships
        if len(rows) < 2:
            return rows
        return sorted(
            rows,
            key=lambda m: (
                start_of(m) is None,
                start_of(m) or m.created_at.date(),
                m.organization.slug,
                m.id,
            ),
        )

    @lazy_property
    def athlete_memberships(self) -> Sequence[Membership]:
        """Memberships as an athlete; coaches' and staff's rows are left out."""
        return [m for m in self.memberships if m.role == "athlete"]

    @lazy_property
    def personal_bests(self) -> Sequence[PersonalBest]:
        """All personal bests, by discipline, mark and id."""
        return sorted(self.snapshot.personal_bests, key=lambda pb: (pb.discipline, pb.mark, pb.id))

    @lazy_property
    def parsed_bests(self) -> Mapping[str, ParsedMark]:
        """Parsed mark of every personal best, by row id."""
        return {pb.id: parsed_mark(pb.mark, pb.discipline) for pb in self.personal_bests}

    @lazy_property
    def results(self) -> Sequence[RaceResult]:
        """All results, by day of the race, race and id."""
        rows = self.snapshot.results
        if len(rows) < 2:
            return rows
        return sorted(rows, key=lambda r: (date_of(r).value, r.race.slug, r.id))

    @lazy_property
    def race_dates(self) -> Mapping[str, RaceDate]:
        """Day of every result, by result id."""
        return {r.id: date_of(r) for r in self.results}

    @lazy_property
    def parsed_results(self) -> Mapping[str, ParsedMark]:
        """Parsed mark of every result, by result id."""
        return {r.id: mark_of(r) for r in self.results}

    @lazy_property
    def results_by_organization(self) -> Mapping[str, Sequence[RaceResult]]:
        """Results that name an organization, by its id, each group in the order of `results`."""
        groups: dict[str, list[RaceResult]] = {}
        for result in self.results:
            if result.organization is not None:
                groups.setdefault(result.organization.id, []).append(result)
        return groups

    @lazy_property
    def finishes(self) -> Sequence[RaceResult]:
        """Results whose mark is a time, in the order of `results`."""
        parsed = self.parsed_results
        return [r for r in self.results if parsed[r.id].kind == "time"]

    @lazy_property
    def name_variants(self) -> Sequence[NameVariant]:
        """All recorded other names, by type, value and id."""
        return sorted(self.snapshot.name_variants, key=lambda v: (v.type, v.value, v.id))

    @lazy_property
    def source_references(self) -> Sequence[SourceReference]:
        """What sources printed, by source and key."""
        return sorted(self.snapshot.source_references, key=lambda s: (s.source.id, s.entity_key, s.id))

    @lazy_property
    def candidates(self) -> Sequence[Candidate]:
        """Possible doubles, by slug and id."""
        return sorted(self.snapshot.candidates, key=lambda c: (c.person.slug, c.person.id))

    @lazy_property
    def opponents(self) -> Sequence[Opponent]:
        """Athletes of the same races, by id."""
        return sorted(self.snapshot.opponents, key=lambda o: o.person_id)

    @lazy_property
    def merge_records(self) -> Sequence[MergeRecord]:
        """Merges that name this athlete or its slug, oldest first."""
        return sorted(self.snapshot.merge_records, key=lambda m: (m.created_at, m.audit_id))

    @lazy_property
    def judgements(self) -> Sequence[Judgement]:
        """What maintainers said of this athlete and others, oldest first."""
        return sorted(self.snapshot.judgements, key=lambda j: (j.decided_at, j.person_ids))

    @property
    def relation_cache(self) -> RelationCache | None:
        """The cached relations, if there is a row."""
        rows = self.snapshot.relation_caches
        return rows[0] if len(rows) else None

    @lazy_property
    def relation_payload(self) -> PayloadReading | None:
        """The payload of the cached relations as read, None without a row.

        The only place that reads a payload: one beyond the reading limit raises `FactsUnavailableError`.
        """
        row = self.relation_cache
        if row is None:
            return None
        if row.too_large:
            message = f"the relation payload has {row.payload_bytes} bytes, more than the reading limit"
            raise FactsUnavailableError("PlayerRelationCache", "payload_too_large", message)
        return read_payload(row.payload, self.person.id, row.generated_at)

    @property
    def relation_inputs(self) -> RelationInputs | None:
        """When the inputs of the relation builder last changed."""
        rows = self.snapshot.relation_inputs
        return rows[0] if len(rows) else None
