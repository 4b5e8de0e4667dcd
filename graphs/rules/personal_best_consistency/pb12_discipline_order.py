"""PB12: a longer discipline in less time."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import PersonalBest, RaceResult
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import DISTANCE_ORDER, BestRow, best_row, by_discipline, fastest
from graphs.rules.personal_best_consistency.comparable import ResultRow, result_row
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.marks import TRACK_DISCIPLINES

_SAME_LENGTH = ("m3000", "m3000sc")
_LEG_LIKE = frozenset({*TRACK_DISCIPLINES, "ten_mile", "half_marathon"})


@dataclass(frozen=True, slots=True)
class DisciplineOrderEvidence(Evidence):
    """The longer best, and the shorter best or the leg that it was compared with."""

    best: BestRow
    shorter: BestRow | None
    leg: ResultRow | None


class DisciplineOrderViolation(Rule):
    """A personal best seems filed under the wrong discipline.

    Detects: the best of a longer discipline takes no more time than the best of a shorter one, or a best on the track
    or over ten miles or the half marathon has exactly the time of a leg that the athlete ran in an ekiden.

    Why it matters: a mark under the wrong discipline is absurd in every list of that discipline.

    Example: 10000 m in 13:58.20 beside 5000 m in 14:05.10; a half marathon of 1:03:12, the time of a leg of the
    winter before.

    Traps: only the time is compared, never the pace, which may well improve with the distance where the shorter one
    was rarely raced. 3000 m and the steeplechase are equally long, and a flat best from school days can be the slower
    one, so that pair is a warning. A best on the road that names another day than the leg's has its own origin: both
    are whole seconds and may agree by chance. On the track, timed to hundredths, they do not.

    What to do: look the mark up in its source and move it to the right discipline.
    """

    code = "PB12"
    name = "discipline_order_violation"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.ERROR, Severity.WARNING)
    evidence_type = DisciplineOrderEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="fix_discipline",
        reason="A personal best seems filed under the wrong discipline; look it up in its source.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every pair of disciplines out of order, then one for every best that equals a leg."""
        if not len(athlete.snapshot.personal_bests):
            return
        groups = by_discipline(athlete)
        bests = [
            best
            for discipline in DISTANCE_ORDER
            if discipline in groups and (best := fastest(athlete, groups[discipline])) is not None
        ]
        for shorter, longer in combinations(bests, 2):
            if _millis(athlete, longer) <= _millis(athlete, shorter):
                yield _out_of_order(shorter, longer)
        legs: dict[int, RaceResult] | None = None
        for best in athlete.personal_bests:
            if best.discipline not in _LEG_LIKE or athlete.parsed_bests[best.id].kind != "time":
                continue
            legs = _legs(athlete) if legs is None else legs
            leg = legs.get(_millis(athlete, best))
            if leg is not None and not _has_another_day(athlete, best, leg):
                yield _equals_leg(athlete, best, leg)


def _millis(athlete: Athlete, best: PersonalBest) -> int:
    return athlete.parsed_bests[best.id].millis or 0


def _legs(athlete: Athlete) -> dict[int, RaceResult]:
    """The athlete's legs by their time, the earliest of equal ones."""
    legs: dict[int, RaceResult] = {}
    for result in athlete.finishes:
        millis = athlete.parsed_results[result.id].millis
        if result.race.discipline == "ekiden_leg" and millis is not None:
            legs.setdefault(millis, result)
    return legs


def _has_another_day(athlete: Athlete, best: PersonalBest, leg: RaceResult) -> bool:
    day = athlete.race_dates[leg.id]
    if best.achieved_on is None or best.discipline in TRACK_DISCIPLINES:
        return False
    if day.precision == "year":
        return best.achieved_on.year != day.value.year
    # An ekiden over two days is dated by its first.
    return not 0 <= (best.achieved_on - day.value).days <= 1


def _out_of_order(shorter: PersonalBest, longer: PersonalBest) -> Finding:
    same_length = (shorter.discipline, longer.discipline) == _SAME_LENGTH
    return Finding(
        key=(shorter.discipline, longer.discipline),
        severity=Severity.WARNING if same_length else Severity.ERROR,
        detail=f"{longer.discipline} in {longer.mark} takes no longer than {shorter.discipline} in {shorter.mark}.",
        evidence=DisciplineOrderEvidence(best=best_row(longer), shorter=best_row(shorter), leg=None),
    )


def _equals_leg(athlete: Athlete, best: PersonalBest, leg: RaceResult) -> Finding:
    return Finding(
        key=("ekiden_leg", best.id),
        severity=Severity.ERROR,
        detail=f"{best.discipline} best {best.mark} is exactly the time of {leg.race.name} in {leg.race.edition_name}.",
        evidence=DisciplineOrderEvidence(best=best_row(best), shorter=None, leg=result_row(athlete, leg)),
    )
