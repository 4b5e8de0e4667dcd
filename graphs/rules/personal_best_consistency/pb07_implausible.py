"""PB07: a mark that can hardly be true."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.affiliation import is_home_nationality
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import BestRow, best_row, millis_of
from graphs.rules.personal_best_consistency.thresholds import PersonalBestConsistencyThresholds
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext

Bound = Literal["floor", "ceiling", "national_record"]

_SEVERITIES: dict[Bound, Severity] = {
    "floor": Severity.ERROR,
    "ceiling": Severity.WARNING,
    "national_record": Severity.INFO,
}
_WORDS: dict[Bound, str] = {
    "floor": "faster than anybody has run",
    "ceiling": "slower than any runner of this archive",
    "national_record": "faster than the record of Japan on file",
}


@dataclass(frozen=True, slots=True)
class ImplausibleMarkEvidence(Evidence):
    """The row, the duration that was judged, the bound it breaks, and another reading of the text where one fits."""

    best: BestRow
    millis: int
    bound: Bound
    bound_millis: int
    suggestion: str | None


class MarkImplausible(Rule):
    """A mark can hardly be true.

    Detects: a mark faster than the floor of its discipline (error), slower than its ceiling (warning), or faster than
    the record of Japan on an athlete of Japanese nationality (information). The text decides; where it is no time, the
    stored milliseconds are judged.

    Why it matters: such a mark heads or closes every list, and mostly belongs to another discipline.

    Example: 5000 m in 8:05.10, which is a 3000 m mark.

    Traps: the bounds are a table with a date, are the men's since the archive holds men, and leave room for bests that
    were never ratified. The national records are never applied to athletes from abroad or of unknown nationality, and
    they lag behind, so they only inform. Legs have no bounds here: one wrongly measured leg makes all its runners look
    superhuman, which is a finding on the race and not on each athlete.

    What to do: look the mark up in its source.
    """

    code = "PB07"
    name = "mark_implausible"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.ERROR, Severity.WARNING, Severity.INFO)
    evidence_type = ImplausibleMarkEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="verify_mark",
        reason="A mark can hardly be true for its discipline; look it up in its source.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every row whose mark breaks a bound."""
        if not len(athlete.snapshot.personal_bests):
            return
        thresholds = context.configuration.personal_best_consistency
        for best in athlete.personal_bests:
            parsed = athlete.parsed_bests[best.id]
            millis = millis_of(best, parsed)
            if millis is None:
                continue
            broken = _broken(athlete, best.discipline, millis, thresholds)
            if broken is None:
                continue
            bound, limit = broken
            yield Finding(
                key=(best.id,),
                severity=_SEVERITIES[bound],
                detail=f"{best.discipline} in {best.mark} ({millis} ms) is {_WORDS[bound]} ({limit} ms).",
                evidence=ImplausibleMarkEvidence(
                    best=best_row(best),
                    millis=millis,
                    bound=bound,
                    bound_millis=limit,
                    suggestion=parsed.suggestion,
                ),
                actionable=bound != "national_record",
            )


def _broken(
    athlete: Athlete, discipline: str, millis: int, thresholds: PersonalBestConsistencyThresholds
) -> tuple[Bound, int] | None:
    bounds = thresholds.mark_bounds.get(discipline)
    if bounds is not None and millis < bounds.floor_millis:
        return "floor", bounds.floor_millis
    if bounds is not None and millis > bounds.ceiling_millis:
        return "ceiling", bounds.ceiling_millis
    record = thresholds.national_records.get(discipline)
    if record is not None and millis < record and is_home_nationality(athlete.person.nationality):
        return "national_record", record
    return None
