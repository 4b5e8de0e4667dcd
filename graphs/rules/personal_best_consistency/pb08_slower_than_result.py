"""PB08: a personal best that a result beats."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import BestRow, best_row, by_discipline, fastest, margin_millis
from graphs.rules.personal_best_consistency.comparable import ResultRow, claims_best, comparable_finishes, result_row
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class SlowerThanResultEvidence(Evidence):
    """The best on record, the faster results (fastest first), and by how much the fastest is faster."""

    best: BestRow
    results: tuple[ResultRow, ...]
    result_count: int
    delta_millis: int
    noted_as_best: bool


class SlowerThanRaceResult(Rule):
    """A result is faster than the personal best.

    Detects: a comparable finish that is faster than the fastest row of its discipline. An error when the result list
    itself calls the mark a personal best, a warning otherwise.

    Why it matters: the site does not derive bests from results, so they fall behind; and where they have not fallen
    behind, the result belongs to somebody else.

    Example: 5000 m best 14:39.97, and a result of 14:31.20 in the autumn after.

    Traps: legs are never comparable, nor are conflicting results, marks noted as unofficial, wind-aided or for
    reference, hand times, races of another length than the discipline, track disciplines raced on the road, and marks
    beyond the best ever run. A hundredth more or less is rounding, so is a second where one of two track marks has
    whole seconds, and so is the coarser unit where two precisions meet.

    What to do: look at both rows, then update the best from the result or correct the result.
    """

    code = "PB08"
    name = "slower_than_race_result"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests", "results")
    severities = (Severity.WARNING, Severity.ERROR)
    evidence_type = SlowerThanResultEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="update_pb_from_result",
        reason="A result is faster than the personal best; check both and update the one that is wrong.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every discipline whose best is beaten."""
        if not len(athlete.snapshot.personal_bests):
            return
        thresholds = context.configuration.personal_best_consistency
        bests = by_discipline(athlete)
        for discipline, finishes in comparable_finishes(athlete, thresholds).items():
            best = fastest(athlete, bests.get(discipline, ()))
            if best is None:
                continue
            mark = athlete.parsed_bests[best.id]
            best_millis = mark.millis or 0
            faster = [
                result
                for result in finishes
                if best_millis - (athlete.parsed_results[result.id].millis or 0)
                > margin_millis(
                    discipline, mark, athlete.parsed_results[result.id], thresholds.rounding_tolerance_millis
                )
            ]
            if not faster:
                continue
            noted = any(claims_best(result) for result in faster)
            delta = best_millis - (athlete.parsed_results[faster[0].id].millis or 0)
            yield Finding(
                key=(discipline,),
                severity=Severity.ERROR if noted else Severity.WARNING,
                detail=(
                    f"{discipline} best {best.mark} is {delta} ms slower than {faster[0].mark} "
                    f"in {faster[0].race.edition_name}{' (noted as a personal best)' if noted else ''}."
                ),
                evidence=SlowerThanResultEvidence(
                    best=best_row(best),
                    results=tuple(result_row(athlete, result) for result in faster[:EVIDENCE_ROWS]),
                    result_count=len(faster),
                    delta_millis=delta,
                    noted_as_best=noted,
                ),
            )
