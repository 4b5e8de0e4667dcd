"""The other people of the athlete's name, each weighed once for all rules of this family.

Belongs here: who belongs to the name group, the verdict on each, and judgements that contradict one another. Stays
out: what a rule reports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from graphs.facts import Candidate, Judgement
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.record import AthleteRecord, Record
from graphs.rules.person_normalization.weighing import Weighing, judgement_on, weigh
from graphs.rules.rule import RuleContext
from graphs.text.names import is_placeholder_name


@dataclass(frozen=True, slots=True)
class Member:
    """Another person of the name, and the verdict on it and the athlete."""

    record: Record
    weighing: Weighing


@dataclass(frozen=True, slots=True)
class Namesakes:
    """Everybody else of the athlete's strict key, in a stable order, before anybody is weighed.

    `size` counts all that are not judged to be somebody else, those that were not read included; `overflows` says
    that it is beyond the limit of the configuration.
    """

    key: str
    size: int
    overflows: bool
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class NameGroup:
    """The athlete's namesakes, weighed; nobody where they are too many.

    `contradicted` holds the ids of people, the athlete included or none, of whom two are judged different while a
    third is close to both.
    """

    key: str
    members: tuple[Member, ...]
    contradicted: frozenset[str]


_NOBODY = Namesakes(key="", size=0, overflows=False, records=())
_NO_GROUP = NameGroup(key="", members=(), contradicted=frozenset())


def namesakes(athlete: Athlete, context: RuleContext) -> Namesakes:
    """Everybody else of the athlete's strict key; looks at names and judgements only."""
    return _namesakes(athlete, context) if len(athlete.snapshot.candidates) else _NOBODY


@lru_cache(maxsize=64)
def _namesakes(athlete: Athlete, context: RuleContext) -> Namesakes:
    key = athlete.keys.strict
    others = tuple(record for record in candidate_records(athlete) if record.keys.strict == key)
    if not others:
        return _NOBODY
    settled = sum(1 for other in others if _is_judged_different(athlete, other, athlete.judgements))
    size = max(len(others), athlete.snapshot.strict_candidate_count or 0) - settled
    return Namesakes(key, size, size > context.configuration.person_normalization.name_group_limit, others)


def name_group(athlete: Athlete, context: RuleContext) -> NameGroup:
    """Everybody of the athlete's strict key, weighed unless there are too many.

    Raises `graphs.facts.FactsUnavailableError` where rows that weigh could not be read.
    """
    return _weighed_group(athlete, context) if len(athlete.snapshot.candidates) else _NO_GROUP


@lru_cache(maxsize=64)
def _weighed_group(athlete: Athlete, context: RuleContext) -> NameGroup:
    others = namesakes(athlete, context)
    if others.overflows or not others.records:
        return _NO_GROUP
    subject, judgements = own_record(athlete), athlete.judgements
    members = tuple(
        Member(other, weigh(subject, other, context, judgements=judgements, merge_records=athlete.merge_records))
        for other in others.records
    )
    return NameGroup(others.key, members, _contradicted(athlete, members, context))


@lru_cache(maxsize=64)
def own_record(athlete: Athlete) -> Record:
    """The diagnosed athlete as one side of every comparison."""
    return AthleteRecord(athlete)


def candidate_records(athlete: Athlete) -> Sequence[Record]:
    """The candidates of an athlete that has a name, without those whose name is a placeholder, by slug and id."""
    return _candidate_records(athlete) if len(athlete.snapshot.candidates) else ()


@lru_cache(maxsize=64)
def _candidate_records(athlete: Athlete) -> Sequence[Record]:
    if is_nameless(athlete):
        return ()
    return tuple(Record(c) for c in athlete.candidates if not _is_placeholder(c.person.name_ja))


def shared_keys(record: Record) -> frozenset[str]:
    """The keys that brought a candidate in."""
    return record.facts.shared_keys if isinstance(record.facts, Candidate) else frozenset()


def is_nameless(athlete: Athlete) -> bool:
    """Whether the display name is a placeholder or holds no letter: fifteen people called N/A are not one person."""
    return _is_placeholder(athlete.person.name_ja)


@lru_cache(maxsize=1024)
def _is_placeholder(name: str) -> bool:
    """Every rule of the family asks this first, of the same few names in turn."""
    return is_placeholder_name(name)


def _is_judged_different(athlete: Athlete, other: Record, judgements: Sequence[Judgement]) -> bool:
    judgement = judgement_on(athlete.person.id, other.person.id, judgements)
    return judgement is not None and judgement.verdict == "different"


def _contradicted(athlete: Athlete, members: tuple[Member, ...], context: RuleContext) -> frozenset[str]:
    """A third record close to two people that are judged different cannot be both, and nobody has said which."""
    judgements = athlete.judgements
    if len(members) < 2 or not any(j.verdict == "different" for j in judgements):
        return frozenset()
    records: Mapping[str, Record] = {athlete.person.id: own_record(athlete)} | {
        m.record.person.id: m.record for m in members
    }
    weighed = {frozenset((athlete.person.id, m.record.person.id)): m.weighing for m in members}
    for one, other in combinations(records, 2):
        pair = frozenset((one, other))
        if pair not in weighed:
            weighed[pair] = weigh(records[one], records[other], context, judgements=judgements)
    found: set[str] = set()
    for pair, weighing in weighed.items():
        if weighing.judgement is None or weighing.verdict != "different":
            continue
        for third in records.keys() - pair:
            ties = [weighed[frozenset((third, one))] for one in pair]
            involved = {*pair, third}
            open_ties = all(t.judgement is None and t.verdict != "different" for t in ties)
            if open_ties and athlete.person.id in involved:
                found |= involved
    return frozenset(found)
