"""PN06: one name romanised in two orders."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.evidence import MemberEvidence, member_evidence, names_of
from graphs.rules.person_normalization.group import candidate_records, shared_keys
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.spellings import share_an_organization, weigh_spelling
from graphs.rules.person_normalization.weighing import Weighing, slugs_reversed
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.names import has_kanji, roman_key

_RECALL = frozenset({"roman", "slug"})


@dataclass(frozen=True, slots=True)
class RomanizationEvidence(Evidence):
    """The romanised names and slugs; the rows of `romans` and `slugs` run parallel to `members`."""

    person_id: str
    slug: str
    name: str
    roman: str | None
    group_size: int
    members: tuple[MemberEvidence, ...]
    romans: tuple[str | None, ...]
    slugs: tuple[str, ...]


class RomanizationOrderDuplicate(Rule):
    """The same name is romanised in another order.

    Detects: another person's romanised name has the same parts in any order, or its readable slug holds the same
    parts in another order (haruto-mitani and mitani-haruto). A warning when the written names are equal too or there
    is an organization in common, else info.

    Why it matters: sources give family and given name in either order, and the importer makes the slug out of it.

    Example: 三谷 例斗 stands in the archive as mitani-reito and as reito-mitani.

    Traps: a romanised name never identifies anybody: two people whose names are written with different kanji are no
    candidates, whatever their readings. Long vowels are lost (Ono and Ohno), so this only proposes. Whatever decides
    that it is somebody else ends the matter.

    What to do: compare both records, keep one slug and merge.
    """

    code = "PN06"
    name = "romanization_order_duplicate"
    category = Category.PERSON_NORMALIZATION
    needs = ("candidates",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = RomanizationEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="review_romanization_duplicate",
        reason=(
            "Another record has the same romanised name in another order; review and merge. merge-person-duplicates"
            " holds three fixed pairs and is broken on the present schema."
        ),
        risk=RiskLevel.HIGH,
    )
    judgement = True

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with everybody of that romanised name."""
        found: list[tuple[Record, Weighing]] = []
        for other in candidate_records(athlete):
            if _RECALL.isdisjoint(shared_keys(other)) or not _is_same_romanisation(athlete, other):
                continue
            weighing = weigh_spelling(athlete, other, context)
            if weighing is not None:
                found.append((other, weighing))
        if not found:
            return
        near = any(r.keys.strict == athlete.keys.strict or share_an_organization(athlete, r) for r, _ in found)
        person = athlete.person
        yield Finding(
            key=(athlete.keys.strict,),
            severity=Severity.WARNING if near else Severity.INFO,
            detail=f"{person.roman or person.slug} is romanised alike in {names_of(r for r, _ in found)}.",
            evidence=RomanizationEvidence(
                person_id=person.id,
                slug=person.slug,
                name=person.name_ja,
                roman=person.roman,
                group_size=len(found) + 1,
                members=tuple(member_evidence(r, w) for r, w in found[:EVIDENCE_ROWS]),
                romans=tuple(r.person.roman for r, _ in found[:EVIDENCE_ROWS]),
                slugs=tuple(r.person.slug for r, _ in found[:EVIDENCE_ROWS]),
            ),
        )


def _is_same_romanisation(athlete: Athlete, other: Record) -> bool:
    ours, theirs = athlete.person, other.person
    if athlete.keys.loose != other.keys.loose and has_kanji(ours.name_ja) and has_kanji(theirs.name_ja):
        return False
    if slugs_reversed(ours.slug, theirs.slug):
        return True
    if not ours.roman or not theirs.roman:
        return False
    # One order and one written name: nothing that PN01 to PN03 do not say.
    if athlete.keys.strict == other.keys.strict and ours.roman.casefold() == theirs.roman.casefold():
        return False
    return roman_key(ours.roman) == roman_key(theirs.roman) != ""
