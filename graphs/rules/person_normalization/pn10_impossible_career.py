"""PN10: a career that nobody can have had."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.career import (
    Impossibility,
    Start,
    career_of,
    impossibilities,
    may_be_impossible,
)
from graphs.rules.person_normalization.group import is_nameless, own_record
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class StartEvidence(Evidence):
    """A result in the order of time; `date` is a day, or a year where nothing better is known."""

    race_slug: str
    date: str
    organization: str
    stage: str
    grade: int | None
    earliest_entry: int | None
    latest_entry: int | None


@dataclass(frozen=True, slots=True)
class ImpossibilityEvidence(Evidence):
    """One thing that one person cannot have done, with the results that show it."""

    kind: str
    text: str
    years: int
    races: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CareerEvidence(Evidence):
    """What is impossible, and the results of schools and teams in order."""

    impossible: tuple[ImpossibilityEvidence, ...]
    results: tuple[StartEvidence, ...]
    result_count: int


class ImpossibleCareerSequence(Rule):
    """No single person can have had this career.

    Detects: a result at a school after a result at a later stage; results for two schools of one stage in turn and
    back, or in one school year without recorded stays that hand over; entry years of one stage that differ by two or
    more years, implied by grades or by the years of results; a career longer than any runner's. Critical when stages
    are inverted by more than a year or schools interleave, else error.

    Why it matters: the record holds the results of two people.

    Example: 例見 太郎 ran for 例示大学 in 2016 and for 架空高校 in 2019.

    Traps: one change of school is a transfer; prefecture and selection teams say nothing; a corporate runner may
    enter a university; graduate students start again at grade 1 after a normal course; a repeated year moves the
    entry by one; where only the year of a race is known both school years count; different names of one school are
    one school.

    What to do: find in the sources whose results these are, and split the record.
    """

    code = "PN10"
    name = "impossible_career_sequence"
    category = Category.PERSON_NORMALIZATION
    needs = ("several_results",)
    severities = (Severity.ERROR, Severity.CRITICAL)
    evidence_type = CareerEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="split_person",
        reason=(
            "The results cannot be one career; find whose they are and split the record."
            " split-mixed-people-wave-2026-07 did so for fixed people and is no command for others."
        ),
        risk=RiskLevel.HIGH,
    )
    judgement = True

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding on the career."""
        if len(athlete.snapshot.results) < 2 or is_nameless(athlete):
            return
        record = own_record(athlete)
        memberships = record.memberships
        limits = context.configuration.person_normalization
        gap_years = limits.cohort_gap_years
        longest_years = limits.oldest_competitor_years - limits.youngest_worker_years
        if not may_be_impossible(record, gap_years=gap_years, longest_years=longest_years):
            return
        career = career_of(record)
        found = list(impossibilities(career, memberships, gap_years=gap_years, longest_years=longest_years))
        if not found:
            return
        yield Finding(
            key=(),
            severity=Severity.CRITICAL if any(_is_critical(i) for i in found) else Severity.ERROR,
            detail="; ".join(f"{i.kind.replace('_', ' ')}: {i.text}" for i in found) + ".",
            evidence=CareerEvidence(
                impossible=tuple(
                    ImpossibilityEvidence(i.kind, i.text, i.years, tuple(s.result.race.slug for s in i.starts))
                    for i in found
                ),
                results=tuple(_start_evidence(s) for s in career[:EVIDENCE_ROWS]),
                result_count=len(career),
            ),
        )


def _is_critical(found: Impossibility) -> bool:
    return found.kind == "schools_interleaved" or (found.kind == "stages_inverted" and found.years >= 1)


def _start_evidence(start: Start) -> StartEvidence:
    value = start.date.value
    return StartEvidence(
        race_slug=start.result.race.slug,
        date=value.isoformat() if start.date.precision == "day" else str(value.year),
        organization=start.organization.name_ja,
        stage=start.organization.type,
        grade=start.result.grade_at_race,
        earliest_entry=start.entry[0] if start.entry is not None else None,
        latest_entry=start.entry[1] if start.entry is not None else None,
    )
