"""PB11: a day or a stage that cannot be."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership, PersonalBest, RaceResult
from graphs.rules.athlete import Athlete
from graphs.rules.periods import end_of, start_of
from graphs.rules.personal_best_consistency.bests import (
    BestRow,
    best_row,
    by_discipline,
    fastest,
    margin_millis,
    stage_label,
)
from graphs.rules.personal_best_consistency.calendar_text import impossible_date
from graphs.rules.personal_best_consistency.comparable import ResultRow, result_row
from graphs.rules.personal_best_consistency.stages import claimed_stages, contradicting_stays, known_stages
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext

Problem = Literal[
    "in_the_future",
    "before_minimum_age",
    "before_its_race",
    "no_such_day",
    "stage_contradicts_membership",
    "two_stages_claimed",
    "faster_than_overall",
]


@dataclass(frozen=True, slots=True)
class StayRow(Evidence):
    """A stay that speaks against the claimed stage."""

    membership_id: str
    organization: str
    organization_type: str
    start: date | None
    end: date | None


@dataclass(frozen=True, slots=True)
class DateOrStageEvidence(Evidence):
    """The row, what is wrong with it, and what it was compared with; what plays no part is null or empty."""

    best: BestRow
    problem: Problem
    birth_date: date | None = None
    source_text: str | None = None
    result: ResultRow | None = None
    overall: BestRow | None = None
    memberships: tuple[StayRow, ...] = ()


class DateOrStageInconsistent(Rule):
    """The day or the stage of a personal best cannot be right.

    Detects: errors of the day: in the future, before the athlete was old enough, before the race that the row names,
    or a day that the calendar does not have in the row's own notes. Warnings of the stage: flags or stage text against
    the stay of that academic year, both stages claimed at once, a high-school or college row faster than the
    overall row.

    Why it matters: stage bests are ranked by themselves, and a wrong day puts the mark into another season.

    Example: a row flagged as a high-school best, run on 2 May of the second year at university.

    Traps: the academic year decides, so a mark run in March after the graduation ceremony is still the old stage's;
    students who repeat a year run on after their projected graduation, unless a later stay is on record; stage words
    that nobody knows and stays without dates contradict nothing. A race counts as named only when meet, discipline
    and mark agree, and a meet of several days may give a later day. An overall best may be run at any stage.

    What to do: correct the day or the stage from the source.
    """

    code = "PB11"
    name = "date_or_stage_inconsistent"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.ERROR, Severity.WARNING)
    evidence_type = DateOrStageEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="fix_pb_stage",
        reason="The day or the stage of a personal best contradicts the record; correct it from the source.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every row and problem."""
        if not len(athlete.snapshot.personal_bests):
            return
        for best in athlete.personal_bests:
            yield from _day_problems(athlete, best, context)
            yield from _stage_problems(athlete, best, context)
        yield from _faster_than_overall(athlete, context)


def _day_problems(athlete: Athlete, best: PersonalBest, context: RuleContext) -> Iterator[Finding]:
    day = best.achieved_on
    impossible = impossible_date(best.notes) or impossible_date(best.competition_name)
    if impossible is not None and day in (None, impossible.rolled_over):
        yield _finding(
            DateOrStageEvidence(best=best_row(best), problem="no_such_day", source_text=impossible.text),
            f"the source says {impossible.text}, a day that does not exist" + (f"; {day} is stored" if day else ""),
        )
    if day is None:
        return
    if day > context.today:
        yield _finding(
            DateOrStageEvidence(best=best_row(best), problem="in_the_future"),
            f"{day} has not come yet ({context.today})",
        )
        return
    birth = athlete.person.birth_date
    least = context.configuration.personal_best_consistency.minimum_age_years
    if birth is not None and (age := _age(birth, day)) < least:
        yield _finding(
            DateOrStageEvidence(best=best_row(best), problem="before_minimum_age", birth_date=birth),
            f"on {day} the athlete, born {birth}, was {age}",
        )
    named = _named_result(athlete, best)
    if named is not None and _is_before(day, athlete, named):
        race_day = athlete.race_dates[named.id]
        when = str(race_day.value) if race_day.precision == "day" else str(race_day.value.year)
        yield _finding(
            DateOrStageEvidence(best=best_row(best), problem="before_its_race", result=result_row(athlete, named)),
            f"{day} is before {named.race.edition_name}, which was held {when}",
        )


def _stage_problems(athlete: Athlete, best: PersonalBest, context: RuleContext) -> Iterator[Finding]:
    claimed = claimed_stages(best)
    if not claimed:
        return
    day = best.achieved_on
    if day is not None and day <= context.today:
        extra = context.configuration.personal_best_consistency.extra_university_years
        for stage in claimed:
            stays = contradicting_stays(athlete, stage, day, extra)
            if stays:
                where = ", ".join(f"{m.organization.name_ja} ({m.organization.type})" for m in stays[:3])
                yield _finding(
                    DateOrStageEvidence(
                        best=best_row(best),
                        problem="stage_contradicts_membership",
                        memberships=tuple(_stay(m) for m in stays[:EVIDENCE_ROWS]),
                    ),
                    f"it claims {stage} on {day}, against {where}",
                )
                return
    stages = known_stages(athlete)
    if len(claimed) > 1 and stages and not stages.issuperset(claimed):
        yield _finding(
            DateOrStageEvidence(best=best_row(best), problem="two_stages_claimed"),
            f"it claims {' and '.join(claimed)}, of which only {', '.join(sorted(stages))} is on record",
        )


def _faster_than_overall(athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
    least = context.configuration.personal_best_consistency.rounding_tolerance_millis
    for discipline, rows in by_discipline(athlete).items():
        if len(rows) < 2:
            continue
        overall = fastest(athlete, [row for row in rows if not stage_label(row)])
        if overall is None:
            continue
        limit = athlete.parsed_bests[overall.id]
        for row in rows:
            mark = athlete.parsed_bests[row.id]
            if not claimed_stages(row) or mark.kind != "time" or mark.millis is None or limit.millis is None:
                continue
            if limit.millis - mark.millis > margin_millis(discipline, limit, mark, least):
                yield _finding(
                    DateOrStageEvidence(best=best_row(row), problem="faster_than_overall", overall=best_row(overall)),
                    f"it is the best of a stage and faster than the overall best {overall.mark}",
                )


def _finding(evidence: DateOrStageEvidence, what: str) -> Finding:
    warnings = ("stage_contradicts_membership", "two_stages_claimed", "faster_than_overall")
    return Finding(
        key=(evidence.best.id, evidence.problem),
        severity=Severity.WARNING if evidence.problem in warnings else Severity.ERROR,
        detail=f"{evidence.best.discipline} {evidence.best.mark}: {what}.",
        evidence=evidence,
    )


def _stay(membership: Membership) -> StayRow:
    return StayRow(
        membership_id=membership.id,
        organization=membership.organization.name_ja,
        organization_type=membership.organization.type,
        start=start_of(membership),
        end=end_of(membership),
    )


def _age(birth: date, day: date) -> int:
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def _named_result(athlete: Athlete, best: PersonalBest) -> RaceResult | None:
    millis = athlete.parsed_bests[best.id].millis
    same_discipline = [result for result in athlete.results if result.race.discipline == best.discipline]
    meet = _folded(best.competition_name) if same_discipline else ""
    if not meet or millis is None:
        return None
    for result in same_discipline:
        if athlete.parsed_results[result.id].millis != millis:
            continue
        names = (result.race.edition_name, result.race.competition_name)
        if any(name and (name in meet or meet in name) for name in map(_folded, names)):
            return result
    return None


def _is_before(day: date, athlete: Athlete, result: RaceResult) -> bool:
    race_day = athlete.race_dates[result.id]
    return day < race_day.value if race_day.precision == "day" else day.year < race_day.value.year


def _folded(text: str | None) -> str:
    return "".join(unicodedata.normalize("NFKC", text or "").split()).casefold()
