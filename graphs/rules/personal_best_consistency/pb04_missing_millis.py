"""PB04: a personal best without milliseconds."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import BestRow, best_row
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class MissingMillisEvidence(Evidence):
    """The row, and what its text reads as."""

    best: BestRow
    parsed_kind: str
    parsed_millis: int | None


class MissingMarkMillis(Rule):
    """A personal best has no milliseconds.

    Detects: the duration in milliseconds is null. A warning where the text is a time and the duration could be
    filled; information where the text is a status or cannot be read, which PB05 reports.

    Why it matters: rankings, duplicate checks and the importer's comparison of marks go by the milliseconds.

    Example: 10000 m "28:12.34" with no duration, as the synchronisation with the broadcaster's page creates its rows.

    Traps: a duration is rightly absent where the text is no time, so nothing is suggested then. A result list may
    hold a status in place of a mark; that is no personal best and is not looked at here.

    What to do: fill the duration from the text.
    """

    code = "PB04"
    name = "personal_best_missing_mark_millis"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = MissingMillisEvidence
    action = ActionTemplate(
        type=ActionType.SCRIPT,
        name="normalize_marks",
        reason=(
            "Milliseconds are missing although the mark is a time. The site's script normalize-ekiden-marks fills "
            "them, but it rewrites the marks of results and teams of the whole archive too, without dry run or audit."
        ),
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every row without milliseconds."""
        if not len(athlete.snapshot.personal_bests):
            return
        for best in athlete.personal_bests:
            if best.mark_millis is not None:
                continue
            parsed = athlete.parsed_bests[best.id]
            readable = parsed.kind == "time"
            meaning = f"it reads as {parsed.millis} ms" if readable else f"the text is {parsed.kind}"
            yield Finding(
                key=(best.id,),
                severity=Severity.WARNING if readable else Severity.INFO,
                detail=f"{best.discipline} {best.mark!r} has no milliseconds; {meaning}.",
                evidence=MissingMillisEvidence(
                    best=best_row(best),
                    parsed_kind=parsed.kind,
                    parsed_millis=parsed.millis if readable else None,
                ),
                actionable=readable,
            )
