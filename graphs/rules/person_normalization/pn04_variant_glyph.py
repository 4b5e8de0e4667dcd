"""PN04: one name in two glyph forms."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.evidence import MemberEvidence, member_evidence, names_of
from graphs.rules.person_normalization.group import candidate_records
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.spellings import has_support, share_an_organization, weigh_spelling
from graphs.rules.person_normalization.weighing import Weighing
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.names import differing_characters


@dataclass(frozen=True, slots=True)
class VariantGlyphEvidence(Evidence):
    """The spellings and the characters in which each differs from the athlete's, as `髙/高`.

    `group_size` counts the athlete too; `differing_characters` runs parallel to `members`.
    """

    person_id: str
    slug: str
    name: str
    key: str
    group_size: int
    members: tuple[MemberEvidence, ...]
    differing_characters: tuple[str, ...]


class VariantGlyphCandidate(Rule):
    """The same name is recorded in another glyph form.

    Detects: another person's name differs only in glyph forms of the same characters (髙 and 高, 﨑 and 崎, 邊, 邉 and
    辺, 澤 and 沢, 濵 and 浜, 々, ヶ); or only in related characters (斉 and 斎, 嶋 and 島, 龍 and 竜 ...) with an
    organization in common. A warning when something supports one person (a team in common, a school class, a birth
    date, an equal reading, schools that follow one another), else info. One finding names all spellings.

    Why it matters: sources print one runner's name in several forms, and each form has become a record.

    Example: 髙橋 例太 of 架空通運 until 2018 and 高橋 例太 of 架空通運 from 2019 on.

    Traps: given names legally differ by glyph (真 and 眞), so this never concludes; 斎 and 斉, 渡部 and 渡辺 are
    different names; an equal reading with different kanji is no candidate; whatever decides that it is somebody else
    (PN03) ends the matter, a maintainer's judgement above all.

    What to do: record the other form as a name variant of the right person and merge, or judge the pair different.
    The merge scripts hold fixed lists, so a new pair must be written.
    """

    code = "PN04"
    name = "variant_glyph_candidate"
    category = Category.PERSON_NORMALIZATION
    needs = ("candidates",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = VariantGlyphEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="add_name_variant_or_merge",
        reason="Another record has the name in another glyph form; add a name variant and merge, or judge the pair.",
        risk=RiskLevel.HIGH,
    )
    judgement = True

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with every other spelling."""
        found: list[tuple[Record, Weighing]] = []
        for other in candidate_records(athlete):
            if not _is_other_form(athlete, other):
                continue
            weighing = weigh_spelling(athlete, other, context)
            if weighing is not None:
                found.append((other, weighing))
        if not found:
            return
        supported = any(has_support(weighing) for _, weighing in found)
        pairs = tuple(_differences(athlete.person.name_ja, record.person.name_ja) for record, _ in found)
        yield Finding(
            key=(athlete.keys.loose,),
            severity=Severity.WARNING if supported else Severity.INFO,
            detail=(
                f"{athlete.person.name_ja} differs from {names_of(r for r, _ in found)} in glyphs only"
                f" ({'; '.join(dict.fromkeys(pairs))})."
            ),
            evidence=VariantGlyphEvidence(
                person_id=athlete.person.id,
                slug=athlete.person.slug,
                name=athlete.person.name_ja,
                key=athlete.keys.variant,
                group_size=len(found) + 1,
                members=tuple(member_evidence(r, w) for r, w in found[:EVIDENCE_ROWS]),
                differing_characters=pairs[:EVIDENCE_ROWS],
            ),
        )


def _is_other_form(athlete: Athlete, other: Record) -> bool:
    if athlete.keys.strict == other.keys.strict:
        return False
    if athlete.keys.variant == other.keys.variant:
        return True
    return athlete.keys.loose == other.keys.loose and share_an_organization(athlete, other)


def _differences(ours: str, theirs: str) -> str:
    return ", ".join(f"{left or '-'}/{right or '-'}" for left, right in differing_characters(ours, theirs))
