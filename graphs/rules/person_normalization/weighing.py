"""Weighs whether two records of one written name are one person.

Belongs here: the one list of what decides and of what merely supports, and the verdict over it. Stays out: which
pairs are weighed, and what a rule reports (the rules of this folder).

A recorded judgement wins over everything. Equal names never decide, and neither do equal readings.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from graphs.facts import Judgement, MergeRecord, Organization
from graphs.rules.person_normalization.cohorts import (
    CohortSpan,
    SpanPair,
    cohort_spans,
    contradiction,
    is_foreign,
    same_class,
)
from graphs.rules.person_normalization.encounters import met_as_two, ran_apart_by_sex
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.stays import (
    concurrent_schools,
    consecutive_schools,
    continued_stay,
    shared_organizations,
    stays_fit,
    transfer,
)
from graphs.rules.person_normalization.thresholds import PersonNormalizationThresholds
from graphs.rules.rule import Evidence, RuleContext
from graphs.text.names import kana_key

SchoolClass = tuple[CohortSpan, CohortSpan] | None
"""What `same_class` found on the two records."""

Verdict = Literal["same", "different", "uncertain", "conflicting"]

IndicationKind = Literal[
    "birth_dates_differ",
    "ran_against_each_other",
    "ran_apart_by_sex",
    "concurrent_schools",
    "cohorts_differ",
    "birth_date_and_organization_equal",
    "source_entity_shared",
    "merge_recorded",
    "slugs_reversed",
    "personal_bests_equal",
    "organization_and_cohort_equal",
    "kana_equal",
    "kana_differs",
    "birth_date_equal",
    "cohort_equal",
    "organization_in_common",
    "stay_continued",
    "stages_consecutive",
    "school_transfer",
]


@dataclass(frozen=True, slots=True)
class Indication(Evidence):
    """One thing that speaks for or against one person, with the values that say so, first record's value first."""

    kind: IndicationKind
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Weighing:
    """The verdict on two records and what it rests on.

    `same` and `different` hold what decides, `supporting` what does not decide alone, `missing` the facts whose
    absence leaves the matter open. `registry_entry` is the group of slugs known to be different people, if both
    belong to one. A judgement, where there is one, is the verdict: then no evidence against it is gathered.
    """

    verdict: Verdict
    same: tuple[Indication, ...] = ()
    different: tuple[Indication, ...] = ()
    supporting: tuple[Indication, ...] = ()
    missing: tuple[str, ...] = ()
    judgement: Judgement | None = None
    registry_entry: tuple[str, ...] | None = None

    @property
    def registry_only(self) -> bool:
        """Whether nothing but the list of known namesakes speaks against one person."""
        return self.verdict == "different" and self.judgement is None and not self.different


def weigh(
    first: Record,
    second: Record,
    context: RuleContext,
    *,
    judgements: Sequence[Judgement] = (),
    merge_records: Sequence[MergeRecord] = (),
) -> Weighing:
    """Weighs two records whose names are alike.

    Raises `graphs.facts.FactsUnavailableError` where rows that weigh could not be read, unless a judgement that they
    are different makes them irrelevant.
    """
    judgement = judgement_on(first.person.id, second.person.id, judgements)
    registry = _registry_entry(first, second, context)
    if judgement is not None and judgement.verdict == "different":
        return Weighing("different", judgement=judgement, registry_entry=registry)
    limits = context.configuration.person_normalization
    spans = cohort_spans(first, limits), cohort_spans(second, limits)
    different = tuple(_deciding_different(first, second, spans, context))
    shared = shared_organizations(first, second)
    school_class = same_class(*spans)
    same = tuple(_deciding_same(first, second, shared, school_class, limits, merge_records))
    return Weighing(
        _verdict(judgement, registry, same=same, different=different),
        same=same,
        different=different,
        supporting=tuple(_supporting(first, second, shared, school_class, spans, limits)),
        missing=() if same or different else _missing(first, second, shared, spans),
        judgement=judgement,
        registry_entry=registry,
    )


def judgement_on(first_id: str, second_id: str, judgements: Sequence[Judgement]) -> Judgement | None:
    """The newest judgement on two people, by their ids in any order."""
    if not judgements:
        return None
    pair = tuple(sorted((first_id, second_id)))
    found = [j for j in judgements if tuple(sorted(j.person_ids)) == pair]
    return max(found, key=lambda j: j.decided_at) if found else None


def _verdict(
    judgement: Judgement | None,
    registry: tuple[str, ...] | None,
    *,
    same: tuple[Indication, ...],
    different: tuple[Indication, ...],
) -> Verdict:
    if judgement is not None:
        return "same" if judgement.verdict == "same" else "uncertain"
    if same:
        return "conflicting" if different or registry is not None else "same"
    return "different" if different or registry is not None else "uncertain"


def _deciding_different(first: Record, second: Record, spans: SpanPair, context: RuleContext) -> Iterator[Indication]:
    limits = context.configuration.person_normalization
    births = first.person.birth_date, second.person.birth_date
    if births[0] is not None and births[1] is not None and births[0] != births[1]:
        yield Indication("birth_dates_differ", (births[0].isoformat(), births[1].isoformat()))
    meeting = met_as_two(first, second)
    if meeting is not None:
        yield Indication("ran_against_each_other", meeting)
    races = ran_apart_by_sex(first, second)
    if races is not None:
        yield Indication("ran_apart_by_sex", races)
    schools = concurrent_schools(first, second, context)
    if schools is not None:
        yield Indication("concurrent_schools", schools)
    apart = contradiction(*spans, limits)
    if apart is not None and any(is_foreign(r.person.name_ja, r.person.nationality) for r in (first, second)):
        apart = contradiction(*spans, limits, foreign=True)
    # Two birthdays that differ have been reported as such.
    if apart is not None and not (apart[0].ground == apart[1].ground == "birth"):
        yield Indication("cohorts_differ", (str(apart[0]), str(apart[1])))


def _deciding_same(
    first: Record,
    second: Record,
    shared: Sequence[Organization],
    school_class: SchoolClass,
    limits: PersonNormalizationThresholds,
    merge_records: Sequence[MergeRecord],
) -> Iterator[Indication]:
    birth = first.person.birth_date
    if birth is not None and birth == second.person.birth_date and shared:
        names = (organization.name_ja for organization in shared)
        yield Indication("birth_date_and_organization_equal", (birth.isoformat(), *names))
    keys = _shared_source_entity(first, second)
    if keys is not None:
        yield Indication("source_entity_shared", keys)
    merge = _merge_of(first, second, merge_records)
    if merge is not None:
        yield Indication("merge_recorded", (merge.audit_id,))
    if slugs_reversed(first.person.slug, second.person.slug):
        yield Indication("slugs_reversed", (first.person.slug, second.person.slug))
    bests = _equal_bests(first, second)
    if len(bests) >= limits.equal_bests:
        yield Indication("personal_bests_equal", bests)
    # Classmates of one name have birthdays of their own, and those say more than the class.
    if school_class is not None and (birth is None or second.person.birth_date in (None, birth)):
        fitting = tuple(o.name_ja for o in shared if stays_fit(first, second, o, limits))
        if fitting:
            yield Indication("organization_and_cohort_equal", (*fitting, *map(str, school_class)))


def _supporting(
    first: Record,
    second: Record,
    shared: Sequence[Organization],
    school_class: SchoolClass,
    spans: SpanPair,
    limits: PersonNormalizationThresholds,
) -> Iterator[Indication]:
    kana = first.person.kana, second.person.kana
    if kana[0] and kana[1]:
        kind = "kana_equal" if kana_key(kana[0]) == kana_key(kana[1]) else "kana_differs"
        yield Indication(kind, (kana[0], kana[1]))
    birth = first.person.birth_date
    if birth is not None and birth == second.person.birth_date:
        yield Indication("birth_date_equal", (birth.isoformat(),))
    if school_class is not None:
        yield Indication("cohort_equal", (str(school_class[0]), str(school_class[1])))
    if shared:
        yield Indication("organization_in_common", tuple(o.name_ja for o in shared))
        continued = tuple(o.name_ja for o in shared if continued_stay(first, second, o, limits))
        if continued:
            yield Indication("stay_continued", continued)
    stages = consecutive_schools(first, second)
    if stages is not None:
        yield Indication("stages_consecutive", stages)
    moved = transfer(first, second, spans)
    if moved is not None:
        yield Indication("school_transfer", moved)


def _missing(first: Record, second: Record, shared: Sequence[Organization], spans: SpanPair) -> tuple[str, ...]:
    people = first.person, second.person
    lacking = {
        "birthDate": any(p.birth_date is None for p in people),
        "displayNameKana": any(not p.kana for p in people),
        "organization": not (first.organizations and second.organizations),
        "organizationInCommon": not shared,
        "personalBests": not (len(first.facts.personal_bests) and len(second.facts.personal_bests)),
        "schoolYears": not all(any(g not in ("work", "race") for g in span) for span in spans),
    }
    return tuple(name for name, lacks in lacking.items() if lacks)


def slugs_reversed(first: str, second: str) -> bool:
    """Whether two readable slugs are the two romanisation orders of one name."""
    if len(first) != len(second) or first == second or first.startswith("person-") or second.startswith("person-"):
        return False
    tokens = first.split("-"), second.split("-")
    return len(tokens[0]) > 1 and sorted(tokens[0]) == sorted(tokens[1])


def _registry_entry(first: Record, second: Record, context: RuleContext) -> tuple[str, ...] | None:
    for group in context.configuration.known_distinct:
        if first.person.slug in group and second.person.slug in group:
            return tuple(sorted(group))
    return None


def _shared_source_entity(first: Record, second: Record) -> tuple[str, str] | None:
    """The keys under which one source knows both; the part after #, @ or ? tells editions of one entity apart."""
    ours, theirs = first.references, second.references
    if not ours or not theirs:
        return None
    known = {(s.source.id, _entity_family(s.entity_key)): s.entity_key for s in ours}
    for reference in theirs:
        key = known.get((reference.source.id, _entity_family(reference.entity_key)))
        if key is not None:
            return key, reference.entity_key
    return None


def _entity_family(key: str) -> str:
    head = key.strip().casefold()
    for separator in "#@?":
        head = head.split(separator, 1)[0]
    return head.rstrip("/")


def _merge_of(first: Record, second: Record, merge_records: Sequence[MergeRecord]) -> MergeRecord | None:
    for merge in merge_records:
        for gone, kept in ((first.person, second.person), (second.person, first.person)):
            if merge.canonical_person_id == kept.id and (
                merge.merged_slug == gone.slug or merge.merged_person_id == gone.id
            ):
                return merge
    return None


def _equal_bests(first: Record, second: Record) -> tuple[str, ...]:
    # Both are looked at first, so that unreadable bests of either raise although the other has none.
    counts = len(first.facts.personal_bests), len(second.facts.personal_bests)
    if 0 in counts:
        return ()
    ours = {(pb.discipline, pb.mark_millis): pb.mark for pb in first.facts.personal_bests}
    theirs = {(pb.discipline, pb.mark_millis) for pb in second.facts.personal_bests if pb.mark_millis is not None}
    return tuple(sorted(f"{key[0]} {ours[key]}" for key in ours.keys() & theirs))
