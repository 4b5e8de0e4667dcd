"""PB01: the same best recorded more than once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import PersonalBest
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import (
    BestRow,
    all_conflicting,
    best_row,
    by_discipline,
    stage_label,
    value_of,
)
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class DuplicateBestsEvidence(Evidence):
    """The rows that say the same thing."""

    discipline: str
    value: str
    rows: tuple[BestRow, ...]
    row_count: int


class DuplicatePersonalBests(Rule):
    """A personal best is recorded more than once.

    Detects: two or more rows of one discipline, one mark and one stage. Marks are compared as read from the text, so
    13:45.60 and 13:45.6 are one mark whether or not the milliseconds are filled; text that is no time is compared as
    text. The spelling of the meet does not matter.

    Why it matters: the page of the athlete shows the mark twice, and an import that updates one of the rows leaves
    the other behind.

    Example: 5000 m 13:45.60 with milliseconds and 5000 m 13:45.6 without.

    Traps: a best that was equalled on another day is no duplicate; a row without a day goes with the dated ones. A
    high-school best with the mark of the overall best is kept on purpose, so rows of different stages are apart. When
    every row is marked conflicting already, nothing more is suggested.

    What to do: keep the row with the better source and the fuller provenance, and remove the others.
    """

    code = "PB01"
    name = "duplicate_personal_bests"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.WARNING,)
    evidence_type = DuplicateBestsEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="drop_duplicate_pb",
        reason="The same personal best is recorded more than once; keep the row with the better source.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every mark that is recorded more than once."""
        if len(athlete.snapshot.personal_bests) < 2:
            return
        parsed = athlete.parsed_bests
        for discipline, rows in by_discipline(athlete).items():
            if len(rows) < 2:
                continue
            marks: dict[tuple[str, str], list[PersonalBest]] = {}
            for row in rows:
                marks.setdefault((str(value_of(row, parsed[row.id])), stage_label(row)), []).append(row)
            for (value, stage), same in sorted(marks.items()):
                for day, group in _by_day(same):
                    if len(group) > 1:
                        yield _finding(discipline, value, stage, day, group)


def _by_day(rows: Sequence[PersonalBest]) -> Sequence[tuple[str, Sequence[PersonalBest]]]:
    days = sorted({row.achieved_on for row in rows if row.achieved_on is not None})
    if len(days) < 2:
        return [("", rows)]
    return [(day.isoformat(), [row for row in rows if (row.achieved_on or days[0]) == day]) for day in days]


def _finding(discipline: str, value: str, stage: str, day: str, rows: Sequence[PersonalBest]) -> Finding:
    marks = ", ".join(sorted({row.mark for row in rows}))
    return Finding(
        key=(discipline, value, stage, day),
        severity=Severity.WARNING,
        detail=f"{len(rows)} rows of {discipline} hold the same mark ({marks}).",
        evidence=DuplicateBestsEvidence(
            discipline=discipline,
            value=value,
            rows=tuple(best_row(row) for row in rows[:EVIDENCE_ROWS]),
            row_count=len(rows),
        ),
        actionable=not all_conflicting(rows),
    )
