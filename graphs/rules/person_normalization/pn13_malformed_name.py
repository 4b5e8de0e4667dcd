"""PN13: a name with text that does not belong in it."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.codepoints import codepoints
from graphs.rules.person_normalization.evidence import MemberEvidence, member_evidence, names_of
from graphs.rules.person_normalization.group import candidate_records, is_nameless
from graphs.rules.person_normalization.kana_romanization import contradicts
from graphs.rules.person_normalization.name_faults import NameFault, name_faults, suggested_name
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.spellings import share_an_organization, weigh_spelling
from graphs.rules.person_normalization.weighing import Weighing
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.names import has_kanji, lost_character_pattern


@dataclass(frozen=True, slots=True)
class MalformedNameEvidence(Evidence):
    """The field, its value, what is wrong with it and, where that is certain, the right text.

    `candidates` are people of the same team whose name fits a name that lost a character.
    """

    field: str
    value: str
    faults: tuple[NameFault, ...]
    suggestion: str | None
    candidates: tuple[MemberEvidence, ...]


class NameMalformed(Rule):
    """The name holds something that is not part of it.

    Detects: in the display name a lost character (? 〓 □ ● inside a name: error); half-width katakana, digits,
    brackets with an age, a grade or a team, a country code, invisible characters, private-use characters, markup, a
    katakana in place of its lookalike kanji or the reverse (ニ and 二, エ and 工, 口 and ロ: warning); compatibility
    ideographs, radicals, characters that are not composed (info). And a reading that cannot be what the romanised
    name spells (warning). One finding a field.

    Why it matters: an age in the name makes a new person every year, and an invisible character hides a duplicate.

    Example: 例見 颯太(17) should read 例見 颯太.

    Traps: initials are how some sources print foreign names; a Latin question mark counts only inside a Japanese
    name; readings of kanji cannot be checked and never are; 々, ヶ, ノ and ツ belong in names. A lost character stands
    for any one character only within one team. Scripts that match the raw name exist, so rename with care.

    What to do: correct the name from its source; the suggestion is given only where it is certain.
    """

    code = "PN13"
    name = "name_malformed"
    category = Category.PERSON_NORMALIZATION
    severities = (Severity.WARNING, Severity.ERROR, Severity.INFO)
    evidence_type = MalformedNameEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="clean_name",
        reason=(
            "The name holds text that is not part of it; correct it from the source. reset-izumo-edition and the award"
            " scripts match the raw name."
        ),
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding on the display name and one on the reading."""
        if is_nameless(athlete):
            return
        person = athlete.person
        faults = tuple(name_faults(person.name_ja))
        if faults:
            doubles = _whole_names(athlete, context) if faults[0].kind == "lost_character" else []
            yield _display_name(person.name_ja, faults, doubles)
        if person.kana and person.roman and has_kanji(person.name_ja) and contradicts(person.kana, person.roman):
            fault = NameFault(
                "reading_and_roman_differ", Severity.WARNING, person.roman, codepoints(person.roman)[:EVIDENCE_ROWS]
            )
            yield Finding(
                key=("displayNameKana",),
                severity=Severity.WARNING,
                detail=f"The reading {person.kana} cannot be romanised as {person.roman}.",
                evidence=MalformedNameEvidence("displayNameKana", person.kana, (fault,), None, ()),
            )


def _display_name(name: str, faults: tuple[NameFault, ...], doubles: list[tuple[Record, Weighing]]) -> Finding:
    suggestion = suggested_name(name)
    kinds = ", ".join(dict.fromkeys(fault.kind.replace("_", " ") for fault in faults))
    detail = f"{name!r} holds {kinds}"
    if suggestion is not None:
        detail += f"; without it {suggestion!r}"
    if doubles:
        detail += f"; it may be {names_of(record for record, _ in doubles)}"
    return Finding(
        key=("displayNameJa",),
        severity=max((fault.severity for fault in faults), key=lambda severity: severity.rank),
        detail=f"{detail}.",
        evidence=MalformedNameEvidence(
            field="displayNameJa",
            value=name,
            faults=faults[:EVIDENCE_ROWS],
            suggestion=suggestion,
            candidates=tuple(member_evidence(record, weighing) for record, weighing in doubles[:EVIDENCE_ROWS]),
        ),
    )


def _whole_names(athlete: Athlete, context: RuleContext) -> list[tuple[Record, Weighing]]:
    """People of the same team whose name fits where each lost character stands for any one."""
    pattern = lost_character_pattern(athlete.person.name_ja)
    if pattern is None:
        return []
    found: list[tuple[Record, Weighing]] = []
    for other in candidate_records(athlete):
        if other.keys.strict == athlete.keys.strict or pattern.fullmatch(other.keys.strict) is None:
            continue
        if not share_an_organization(athlete, other):
            continue
        weighing = weigh_spelling(athlete, other, context)
        if weighing is not None:
            found.append((other, weighing))
    return found
