"""PN07: more namesakes than anybody can weigh."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.group import namesakes
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class OverflowEvidence(Evidence):
    """How many other people share the key, and the slugs of the first of them."""

    key: str
    candidate_count: int
    limit: int
    slugs: tuple[str, ...]


class CandidateOverflow(Rule):
    """Too many people have the same name.

    Detects: more other people share the written name than the configuration allows (three); those that are judged to
    be somebody else do not count.

    Why it matters: the name is too wide to tell people apart or an import has made a person of every row; either way
    no pair is weighed, so PN01, PN02 and PN03 are silent for this name.

    Example: six records are called 例見 太郎 after an import that made a new slug of every race.

    Traps: common names reach the limit by themselves; judge the namesakes and the alarm ends. Placeholder names are
    not counted (PN16).

    What to do: look at the imports that created the records before looking at any pair.
    """

    code = "PN07"
    name = "candidate_overflow"
    category = Category.PERSON_NORMALIZATION
    needs = ("candidates",)
    severities = (Severity.ERROR,)
    evidence_type = OverflowEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="inspect_import",
        reason="Too many records share the name to weigh pairs; inspect the imports that created them.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for the name."""
        group = namesakes(athlete, context)
        if not group.overflows:
            return
        yield Finding(
            key=(group.key,),
            severity=Severity.ERROR,
            detail=f"{group.size} other people are called {athlete.person.name_ja}; no pair is weighed.",
            evidence=OverflowEvidence(
                key=group.key,
                candidate_count=group.size,
                limit=context.configuration.person_normalization.name_group_limit,
                slugs=tuple(r.person.slug for r in group.records[:EVIDENCE_ROWS]),
            ),
        )
