"""MT13: grades of one stage that disagree with one another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.affiliation import is_technical_college
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.grades import (
    REPEATABLE_STAGES,
    GradedResult,
    GradeRow,
    grade_rows,
    graded_results,
    is_counted_anew,
    is_counted_on,
)
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import SCHOOL_STAGES
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class ConflictingGradesEvidence(Evidence):
    """The stage, every grade with the entry that it implies, and the years of entry in order."""

    stage: str
    grades: tuple[GradeRow, ...]
    grade_count: int
    implied_entries: tuple[int, ...]
    repeated_year: bool
    each_competition_agrees: bool
    """True where only competitions differ from one another, which points at the day of a race."""


class ConflictingGrades(Rule):
    """Grades of one school stage imply different years of entry.

    Detects: results of one stage whose grades imply two or more years of entry: a warning one year apart, an error
    beyond; information where a repeated year explains it or a race is known by its year only.

    Why it matters: a wrong grade in a source, or two people of one name in one record (PN10).

    Example: grade 1 in November 2021 and grade 4 in November 2022.

    Traps: a repeated year moves the implied entry by exactly one year from some race on, though never at a junior
    high school; a change of school keeps the grade; graduate students are printed as 5 or counted from 1 again;
    races of April may print last year's grade. Where each competition agrees with itself the day of a race is the
    likelier mistake.

    What to do: compare the sources of the races; where both are right the record holds two people.
    """

    code = "MT13"
    name = "conflicting_grade_expectations"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("several_results",)
    severities = (Severity.WARNING, Severity.ERROR, Severity.INFO)
    evidence_type = ConflictingGradesEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="review_grades_or_identity",
        reason="Grades of one stage contradict one another; compare the sources, two people may be mixed (PN10).",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per stage."""
        if athlete.person.type != "athlete" or len(athlete.results) < 2:
            return
        thresholds = context.configuration.membership_timeline
        graded = graded_results(athlete, thresholds.highest_grade)
        if len(graded) < 2:
            return
        for stage in SCHOOL_STAGES:
            of_stage = [g for g in graded if g.stage == stage]
            if len(of_stage) < 2 or _agree(of_stage):
                continue
            counted = _undergraduate(of_stage, thresholds)
            if len(counted) < 2 or _agree(counted):
                continue
            entries = [g.entries[0] for g in counted]
            spread = max(entries) - min(entries)
            repeated = stage in REPEATABLE_STAGES and spread == 1 and entries == sorted(entries)
            exact = [g for g in counted if g.exact]
            years = ", ".join(str(year) for year in sorted(set(entries)))
            severity = _severity(spread, explained=repeated or len(exact) < 2 or _agree(exact))
            yield Finding(
                key=(stage,),
                severity=severity,
                detail=f"Grades at {stage.replace('_', ' ')} imply entry in {years}; {_cause(counted, repeated)}.",
                evidence=ConflictingGradesEvidence(
                    stage=stage,
                    grades=grade_rows(counted),
                    grade_count=len(counted),
                    implied_entries=tuple(sorted(set(entries))),
                    repeated_year=repeated,
                    each_competition_agrees=_each_competition_agrees(counted),
                ),
                actionable=severity is not Severity.INFO,
            )


def _undergraduate(graded: Sequence[GradedResult], thresholds: MembershipTimelineThresholds) -> list[GradedResult]:
    """The grades that count years from the entry into a university: none of graduate school or a technical college."""
    if not graded or graded[0].stage != "university":
        return list(graded)
    counted = [g for g in graded if not _is_at_technical_college(g)]
    below = [g for g in counted if g.grade < thresholds.graduate_grade]
    if not below:
        return []
    entry = below[0].entries[0]
    return [g for g in counted if not _is_beyond(entry, g, thresholds)]


def _is_at_technical_college(graded: GradedResult) -> bool:
    return graded.result.organization is not None and is_technical_college(graded.result.organization)


def _is_beyond(entry: int, graded: GradedResult, thresholds: MembershipTimelineThresholds) -> bool:
    year = max(graded.race.academic_years)
    return is_counted_on(entry, year, graded.grade, thresholds) or is_counted_anew(entry, year, graded.grade)


def _agree(graded: Sequence[GradedResult]) -> bool:
    """Whether one year of entry fits every grade."""
    common = set(graded[0].entries)
    for g in graded[1:]:
        common &= set(g.entries)
    return bool(common)


def _each_competition_agrees(graded: Sequence[GradedResult]) -> bool:
    by_competition: dict[str, list[GradedResult]] = {}
    for g in graded:
        by_competition.setdefault(g.result.race.competition_id, []).append(g)
    return len(by_competition) > 1 and all(_agree(group) for group in by_competition.values())


def _cause(graded: Sequence[GradedResult], repeated: bool) -> str:
    if repeated:
        return "a repeated year would explain it"
    if _each_competition_agrees(graded):
        return "each competition agrees with itself, so the days of a race may be wrong"
    return "two people may be mixed (PN10)"


def _severity(spread: int, *, explained: bool) -> Severity:
    if explained:
        return Severity.INFO
    return Severity.WARNING if spread <= 1 else Severity.ERROR
