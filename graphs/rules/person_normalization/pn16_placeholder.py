"""PN16: a record without a name."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.codepoints import codepoints
from graphs.rules.person_normalization.group import is_nameless
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class PlaceholderEvidence(Evidence):
    """The name as stored, and its first code points, since many such names show nothing."""

    value: str
    codepoints: tuple[str, ...]


class PlaceholderName(Rule):
    """The name is a placeholder.

    Detects: the display name stands for "no name known" (N/A, 不明, 未定, 選手データなし, TBA, --, 欠番 ...) in any
    width or brackets, or holds no letter at all.

    Why it matters: the row of a result list had no name, so the record is nobody in particular, and rows of several
    people may hang on it.

    Example: a record is called （選手データなし）.

    Traps: such a record is never a candidate of any other rule of this family: fifteen people called N/A are not
    fifteen duplicates.

    What to do: find the name in the source of its results, or remove the record with its rows.
    """

    code = "PN16"
    name = "placeholder_name"
    category = Category.PERSON_NORMALIZATION
    severities = (Severity.ERROR,)
    evidence_type = PlaceholderEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="find_real_name",
        reason="The record has no name; find it in the source of its results.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding on the display name."""
        if not is_nameless(athlete):
            return
        name = athlete.person.name_ja
        yield Finding(
            key=(),
            severity=Severity.ERROR,
            detail=f"The name {name!r} is a placeholder." if name.strip() else "The name shows nothing.",
            evidence=PlaceholderEvidence(value=name, codepoints=codepoints(name)[:EVIDENCE_ROWS]),
        )
