"""PB06: milliseconds that contradict the mark."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import BestRow, best_row
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class MillisMismatchEvidence(Evidence):
    """The row, what its text reads as, and how far the stored duration is off (stored minus read)."""

    best: BestRow
    parsed_kind: str
    parsed_millis: int | None
    canonical: str | None
    delta_millis: int | None


class MarkMillisMismatch(Rule):
    """Mark and milliseconds disagree.

    Detects: the text reads as another duration than the stored one, or it is a status, empty or impossible as a time
    and a duration is stored all the same.

    Why it matters: one of the two is wrong. Pages show the text and rank by the duration.

    Example: 3000 m steeplechase "8.03.43" stored as 8030 ms, a tenth read as a thousandth ("14:39.7" as 879007 ms), a
    fraction lost to a trailing letter ("13:45.6h" as 825000 ms), or "13:75.00" stored as 855000 ms.

    Traps: a text that two readings fit is not compared, PB05 reports it. One millisecond off is reported too: it
    comes from a calculation with binary fractions, and an equality check misses the row ever after.

    What to do: decide from the source which of the two is right and correct the other.
    """

    code = "PB06"
    name = "mark_millis_mismatch"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.ERROR,)
    evidence_type = MillisMismatchEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="fix_millis",
        reason="The mark and its milliseconds disagree; find out from the source which is right.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every row whose duration is not that of its text."""
        if not len(athlete.snapshot.personal_bests):
            return
        for best in athlete.personal_bests:
            if best.mark_millis is None:
                continue
            parsed = athlete.parsed_bests[best.id]
            read = parsed.millis if parsed.kind == "time" else None
            if parsed.kind == "ambiguous" or read == best.mark_millis:
                continue
            meaning = f"reads as {read} ms" if read is not None else f"is {parsed.kind}"
            yield Finding(
                key=(best.id,),
                severity=Severity.ERROR,
                detail=f"{best.discipline} {best.mark!r} {meaning} but {best.mark_millis} ms are stored.",
                evidence=MillisMismatchEvidence(
                    best=best_row(best),
                    parsed_kind=parsed.kind,
                    parsed_millis=read,
                    canonical=parsed.canonical,
                    delta_millis=best.mark_millis - read if read is not None else None,
                ),
            )
