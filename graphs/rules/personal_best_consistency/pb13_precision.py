"""PB13: decimals that do not fit the kind of timing."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import BestRow, best_row
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.marks import TRACK_DISCIPLINES


@dataclass(frozen=True, slots=True)
class PrecisionEvidence(Evidence):
    """The row, its decimals and the decimals that its discipline is timed with."""

    best: BestRow
    decimals: int
    expected_decimals: int


class PrecisionMismatch(Rule):
    """A mark has unusual decimals.

    Detects: a mark on the track without hundredths or with thousandths, a mark on the road with decimals.

    Why it matters: decimals tell how a mark was timed. Whole seconds or tenths on the track were timed by hand or cut
    by the source, and neither may be compared with hundredths as it stands.

    Example: 5000 m in 13:45.6, half marathon in 1:02:10.35.

    Traps: the photo finish gives hundredths up to 10000 m, hand timing tenths, and everything that leaves the stadium
    whole seconds, all rounded up. 28:02.00 is a proper mark. A mark that says itself that it was timed by hand is in
    order, and text that is no time is left to PB05. It only informs.

    What to do: look the decimals up in the result list when the mark is needed for a comparison.
    """

    code = "PB13"
    name = "precision_mismatch"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.INFO,)
    evidence_type = PrecisionEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="confirm_timing",
        reason="The decimals of a mark do not fit its discipline; look them up in the result list.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every mark with unusual decimals."""
        if not len(athlete.snapshot.personal_bests):
            return
        for best in athlete.personal_bests:
            parsed = athlete.parsed_bests[best.id]
            if parsed.kind != "time" or parsed.precision is None or best.discipline == "ekiden_leg":
                continue
            expected = 2 if best.discipline in TRACK_DISCIPLINES else 0
            by_hand = expected == 2 and parsed.precision == 1 and "hand" in parsed.flags
            if parsed.precision == expected or by_hand:
                continue
            yield Finding(
                key=(best.id,),
                severity=Severity.INFO,
                detail=f"{best.discipline} {best.mark} has {parsed.precision} decimals; {expected} are usual.",
                evidence=PrecisionEvidence(best=best_row(best), decimals=parsed.precision, expected_decimals=expected),
            )
