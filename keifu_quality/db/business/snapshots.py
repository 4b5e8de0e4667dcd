"""One consistent read of many athletes, from ids to snapshots.

Belongs here: the order of the statements and the joining of their rows. Stays out: SQL text (`statements`), the making
of single records (`rows`), opponents and peers (`relations`, `surroundings`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from sqlalchemy import Engine

from graphs.facts import (
    BirthDayPeers,
    Candidate,
    Judgement,
    Membership,
    MergeRecord,
    Person,
    RaceResult,
    RelationCache,
    RelationInputs,
    Snapshot,
    SourceReference,
    TeamMove,
    Unavailable,
)
from graphs.rules.relation_cache.payload import related_person_ids
from keifu_quality.db.athlete_index import NamedAlike
from keifu_quality.db.business import enum_values, rows, statements
from keifu_quality.db.business.access import Faults, Rows, Run, consistent_read, first_fault, text_array
from keifu_quality.db.business.race_memory import RaceMemory
from keifu_quality.db.business.relations import OpponentsOfRaces, relation_inputs
from keifu_quality.db.business.surroundings import Questions, move_questions, read_surroundings

T = TypeVar("T")
Section = Mapping[str, Sequence[T]] | Unavailable[T]
"""The rows of a section by person, or why there are none, for anybody or for one person."""

RELATION_TABLES = (*statements.RESULT_TABLES, *statements.MEMBERSHIP_TABLES, *statements.CACHE_TABLES)


def load_snapshots(
    engine: Engine,
    person_ids: Sequence[str],
    alike: Mapping[str, NamedAlike],
    judgements: Mapping[str, Sequence[Judgement]],
    *,
    faults: Faults,
    payload_limit: int,
    races: RaceMemory,
) -> Mapping[str, Snapshot]:
    """The snapshots of these athletes, in the order of their ids; people who are gone are left out.

    `payload_limit` is the size in bytes of JSON text up to which a relation cache is read. `races` may remember an
    earlier read; an athlete with a relation cache is seen beside its races of now all the same.
    """
    races.make_room()
    with consistent_read(engine) as run:
        batch = _Batch(run, person_ids, alike, faults, payload_limit, races)
    return {
        person_id: batch.snapshot(person_id, judgements.get(person_id, ()))
        for person_id in person_ids
        if person_id in batch.people
    }


class _Batch:
    """Everything that was read for a batch, athletes and candidates alike."""

    def __init__(
        self,
        run: Run,
        person_ids: Sequence[str],
        alike: Mapping[str, NamedAlike],
        faults: Faults,
        payload_limit: int,
        races: RaceMemory,
    ) -> None:
        self._run = run
        self._races = races
        self._faults = faults
        self._alike = alike
        self._parameters: dict[str, Any] = {
            "ids": text_array({*person_ids, *(other for found in alike.values() for other in found.shared_keys)}),
            "diagnosed": text_array(person_ids),
            "payload_limit": payload_limit,
        }
        self.people, self._caches = self._read_people()
        self._athletes = [self.people[person_id] for person_id in person_ids if person_id in self.people]
        self._read_sections()
        self._merges = self._read_merges()

    def _ask(self, statement: str, tables: Iterable[str]) -> Rows | Unavailable[Any]:
        fault = first_fault(self._faults, tables)
        return self._run(statement, self._parameters) if fault is None else fault.unavailable()

    def _read_people(self) -> tuple[Mapping[str, Person], Section[RelationCache]]:
        fault = first_fault(self._faults, statements.CACHE_TABLES)
        if fault is not None:
            found = self._run(statements.PERSONS, self._parameters)
            return {row[0]: rows.person(row) for row in found}, fault.unavailable()
        found = self._run(statements.PERSONS_WITH_CACHES, self._parameters)
        caches = {row[0]: (rows.relation_cache(row),) for row in found if row[rows.CACHE_ID] is not None}
        return {row[0]: rows.person(row) for row in found}, caches

    def _read_sections(self) -> None:
        membership_rows = self._ask(statements.MEMBERSHIPS, statements.MEMBERSHIP_TABLES)
        best_rows = self._ask(statements.PERSONAL_BESTS, statements.PERSONAL_BEST_TABLES)
        result_rows = self._ask(statements.RESULTS, statements.RESULT_TABLES)
        reference_rows = self._ask(statements.SOURCE_REFERENCES, statements.REFERENCE_TABLES)
        organizations = {row[rows.MEMBERSHIP_ORGANIZATION_ID] for row in _readable(membership_rows)}
        organizations |= {row[rows.RESULT_ORGANIZATION_ID] for row in _readable(result_rows)}
        self._parameters["organizations"] = text_array(organizations - {None})
        variant_rows = self._ask(statements.NAME_VARIANTS, statements.NAME_VARIANT_TABLES)

        maker = rows.RecordMaker(
            _section("NameVariant", enum_values.NAME_VARIANT_ENUMS, variant_rows, rows.organization_names, owner=1)
        )
        self._memberships = _section("Membership", enum_values.MEMBERSHIP_ENUMS, membership_rows, maker.memberships)
        self._personal_bests = _section(
            "PersonalBest", enum_values.PERSONAL_BEST_ENUMS, best_rows, maker.personal_bests
        )
        self._name_variants = _section("NameVariant", enum_values.NAME_VARIANT_ENUMS, variant_rows, maker.name_variants)
        self._source_references = _made(reference_rows, maker.source_references)
        questions = self._questions(result_rows)
        self._around = read_surroundings(self._run, questions, self._faults)
        self._races.add_people(self._around.people_of_races)
        self._races.add_imports(questions.imported_races, self._around.last_imports)
        self._results = _section(
            "RaceResult",
            enum_values.RESULT_ENUMS,
            result_rows,
            lambda found: maker.results(found, self._races.last_imports),
        )

    def _questions(self, result_rows: Rows | Unavailable[Any]) -> Questions:
        diagnosed = {athlete.id for athlete in self._athletes}
        cached = set() if isinstance(self._caches, Unavailable) else set(self._caches)
        found = _readable(result_rows)
        run_in = {row[rows.RESULT_RACE_ID] for row in found if row[0] in diagnosed}
        compared = {row[rows.RESULT_RACE_ID] for row in found if row[0] in cached} if cached else set()
        questions = Questions(
            cached=cached,
            races=self._races.without_people(run_in) | compared,
            imported_races=self._races.without_imports(row[rows.RESULT_RACE_ID] for row in found),
        )
        for athlete in self._athletes:
            questions.related |= self._related(athlete.id)
            if athlete.birth_date is not None:
                questions.birth_dates.add(athlete.birth_date)
                sources = self._sources(athlete.id)
                if sources is not None:
                    questions.source_sets.add(sources)
            memberships = _of(self._memberships, athlete.id)
            if not isinstance(memberships, Unavailable):
                questions.moves.extend(move_questions(athlete.id, memberships))
        return questions

    def _related(self, person_id: str) -> frozenset[str]:
        caches = _of(self._caches, person_id)
        if isinstance(caches, Unavailable):
            return frozenset()
        return frozenset(found for cache in caches for found in related_person_ids(cache.payload))

    def _sources(self, person_id: str) -> frozenset[str] | None:
        references: Sequence[SourceReference] = _of(self._source_references, person_id)
        if isinstance(references, Unavailable):
            return None
        return frozenset(reference.source.id for reference in references)

    def _read_merges(self) -> Sequence[MergeRecord] | Unavailable[MergeRecord]:
        self._parameters["diagnosed_slugs"] = text_array(athlete.slug for athlete in self._athletes)
        related = {found for athlete in self._athletes for found in self._related(athlete.id)}
        self._parameters["gone"] = text_array(related - self._around.related.keys())
        found = self._ask(statements.MERGES, statements.MERGE_TABLES)
        return _made(found, lambda records: [rows.merge_record(row) for row in records])

    def snapshot(self, person_id: str, judgements: Sequence[Judgement]) -> Snapshot:
        """The snapshot of one athlete of the batch."""
        person = self.people[person_id]
        alike = self._alike.get(person_id, NamedAlike())
        candidates = tuple(
            self._candidate(other, shared_keys)
            for other, shared_keys in alike.shared_keys.items()
            if other in self.people
        )
        strict_candidates = sum("strict" in candidate.shared_keys for candidate in candidates)
        results = _of(self._results, person_id)
        memberships = _of(self._memberships, person_id)
        return Snapshot(
            person=person,
            memberships=memberships,
            personal_bests=_of(self._personal_bests, person_id),
            results=results,
            name_variants=_of(self._name_variants, person_id),
            source_references=_of(self._source_references, person_id),
            relation_caches=_of(self._caches, person_id),
            opponents=(
                cast("Unavailable[Any]", results)
                if isinstance(results, Unavailable)
                else OpponentsOfRaces(person_id, results, self._races.people)
            ),
            relation_inputs=self._relation_inputs(person, results, memberships),
            candidates=candidates,
            strict_candidate_count=alike.strict_count if alike.strict_count > strict_candidates else None,
            merge_records=self._merges_of(person),
            judgements=tuple(judgements),
            birth_date_sharers=self._around.birth_date_sharers(person),
            birth_day_peers=self._birth_day_peers(person),
            team_moves=self._team_moves(person_id, memberships),
        )

    def _candidate(self, person_id: str, shared_keys: frozenset[str]) -> Candidate:
        return Candidate(
            self.people[person_id],
            shared_keys,
            _of(self._memberships, person_id),
            _of(self._personal_bests, person_id),
            _of(self._results, person_id),
            _of(self._name_variants, person_id),
            _of(self._source_references, person_id),
        )

    def _team_moves(self, person_id: str, memberships: Sequence[Membership]) -> Sequence[TeamMove]:
        if isinstance(memberships, Unavailable):
            return cast("Unavailable[Any]", memberships)
        return self._around.team_moves(person_id)

    def _relation_inputs(
        self, person: Person, results: Sequence[RaceResult], memberships: Sequence[Membership]
    ) -> Sequence[RelationInputs]:
        fault = first_fault(self._faults, RELATION_TABLES)
        if fault is not None:
            return fault.unavailable()
        if not _of(self._caches, person.id):
            return ()
        for section in (results, memberships):
            if isinstance(section, Unavailable):
                return cast("Unavailable[Any]", section)
        named = self._related(person.id)
        related = {found: self._around.related[found] for found in named & self._around.related.keys()}
        gone = named - related.keys()
        merge_audit_ids = {
            merge.merged_person_id: merge.audit_id
            for merge in (() if isinstance(self._merges, Unavailable) else self._merges)
            if merge.merged_person_id in gone
        }
        others_changed_at = self._around.changes_of_others.get(person.id)
        return (relation_inputs(person, results, memberships, others_changed_at, related, merge_audit_ids),)

    def _merges_of(self, person: Person) -> Sequence[MergeRecord]:
        if isinstance(self._merges, Unavailable):
            return self._merges
        return tuple(
            merge
            for merge in self._merges
            if merge.merged_slug == person.slug or merge.canonical_person_id == person.id
        )

    def _birth_day_peers(self, person: Person) -> BirthDayPeers | None:
        sources = self._sources(person.id) if person.birth_date is not None else None
        return None if sources is None else self._around.birth_day_peers(person, sources)


def _of(section: Section[T], person_id: str) -> Sequence[T]:
    # Asked ten times an athlete, and an abstract class such as `Unavailable` is slow to ask for.
    return section.get(person_id, ()) if isinstance(section, dict) else cast("Unavailable[T]", section)


def _readable(found: Rows | Unavailable[Any]) -> Rows:
    return () if isinstance(found, Unavailable) else found


def _section(
    table: str,
    enums: Mapping[int, str],
    found: Rows | Unavailable[Any],
    make: Callable[[Rows], Mapping[str, Sequence[T]]],
    *,
    owner: int = 0,
) -> Section[T]:
    if isinstance(found, Unavailable):
        return cast("Unavailable[T]", found)
    known, apart = enum_values.set_apart(table, enums, found, owner=owner)
    return {**make(known), **apart}


def _made(found: Rows | Unavailable[Any], make: Callable[[Rows], T]) -> T | Unavailable[Any]:
    return found if isinstance(found, Unavailable) else make(found)
