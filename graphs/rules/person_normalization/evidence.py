"""How the rules of this family show another person as evidence.

Belongs here: evidence types that several rules share, and their bounds. Stays out: what decides (`weighing`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.weighing import Indication, Weighing
from graphs.rules.rule import EVIDENCE_ROWS, Evidence


@dataclass(frozen=True, slots=True)
class JudgementEvidence(Evidence):
    """What a maintainer said of two people, by slug; a person that is not among the candidates stands by id."""

    people: tuple[str, str]
    verdict: str


@dataclass(frozen=True, slots=True)
class MemberEvidence(Evidence):
    """Another person of the name, and what speaks for and against its being the athlete."""

    person_id: str
    slug: str
    name: str
    verdict: str
    same: tuple[Indication, ...]
    different: tuple[Indication, ...]
    supporting: tuple[Indication, ...]
    missing: tuple[str, ...]
    judgement: str | None
    registry_entry: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameGroupEvidence(Evidence):
    """A finding on a name group: the athlete, the key it shares and the members that the finding concerns.

    `group_size` counts the athlete and every member concerned, also those beyond the rows kept.
    """

    person_id: str
    slug: str
    name: str
    key: str
    group_size: int
    members: tuple[MemberEvidence, ...]


def member_evidence(record: Record, weighing: Weighing) -> MemberEvidence:
    """A member as evidence."""
    person = record.person
    return MemberEvidence(
        person_id=person.id,
        slug=person.slug,
        name=person.name_ja,
        verdict=weighing.verdict,
        same=weighing.same,
        different=weighing.different,
        supporting=weighing.supporting,
        missing=weighing.missing,
        judgement=weighing.judgement.verdict if weighing.judgement is not None else None,
        registry_entry=(weighing.registry_entry or ())[:EVIDENCE_ROWS],
    )


def names_of(records: Iterable[Record]) -> str:
    """The people of a sentence: name and slug, the first few."""
    people = [f"{r.person.name_ja} ({r.person.slug})" for r in records]
    shown = 5
    more = f" and {len(people) - shown} more" if len(people) > shown else ""
    return ", ".join(people[:shown]) + more
