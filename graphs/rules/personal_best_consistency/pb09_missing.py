"""PB09: a raced discipline without a personal best."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.comparable import ResultRow, comparable_finishes, result_row
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class MissingBestEvidence(Evidence):
    """The discipline, its fastest comparable finish, and how many there are."""

    discipline: str
    best_result: ResultRow
    finish_count: int


class MissingForRacedDiscipline(Rule):
    """A raced discipline has no personal best.

    Detects: comparable finishes in a discipline that has no row at all.

    Why it matters: the page of the athlete says nothing of a discipline in which the archive has marks.

    Example: three half marathons on record and no half-marathon best.

    Traps: only the disciplines that the site shows first are asked for, which is a setting. Legs are never comparable
    (see PB08 for the others). By design the site does not derive bests from results, so this only informs.

    What to do: nothing by hand; a source with a list of bests fills the row.
    """

    code = "PB09"
    name = "missing_for_raced_discipline"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("results",)
    severities = (Severity.INFO,)
    evidence_type = MissingBestEvidence
    action = ActionTemplate(
        type=ActionType.DEFER,
        name="derive_pb_from_result",
        reason="There are results in a discipline without a personal best; fill it when a list of bests is imported.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every main discipline that was raced and has no row."""
        thresholds = context.configuration.personal_best_consistency
        main = thresholds.main_disciplines
        raced = {discipline for result in athlete.snapshot.results if (discipline := result.race.discipline) in main}
        if not raced:
            return
        recorded = {best.discipline for best in athlete.snapshot.personal_bests}
        if raced <= recorded:
            return
        for discipline, finishes in comparable_finishes(athlete, thresholds).items():
            if discipline in recorded or discipline not in raced:
                continue
            yield Finding(
                key=(discipline,),
                severity=Severity.INFO,
                detail=(
                    f"{len(finishes)} finishes in {discipline} and no personal best; "
                    f"the fastest is {finishes[0].mark} in {finishes[0].race.edition_name}."
                ),
                evidence=MissingBestEvidence(
                    discipline=discipline,
                    best_result=result_row(athlete, finishes[0]),
                    finish_count=len(finishes),
                ),
            )
