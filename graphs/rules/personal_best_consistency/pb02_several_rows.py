"""PB02: several different marks for one discipline."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
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
class SeveralRowsEvidence(Evidence):
    """The rows of one discipline, and whether stages tell them apart."""

    discipline: str
    told_apart_by_stage: bool
    rows: tuple[BestRow, ...]
    row_count: int


class SeveralRowsPerDiscipline(Rule):
    """A discipline has several personal bests.

    Detects: rows of one discipline with different marks.

    Why it matters: a page shows one current best for a discipline. With two marks that no stage tells apart, one of
    them is out of date or belongs to another athlete.

    Example: 10000 m 28:40.12 and 10000 m 28:12.34, neither of them marked as a high-school or college best.

    Traps: rows of different stages are kept on purpose, so they only inform; the same mark written twice or equalled
    on another day is not a second mark (see PB01). When every row is marked conflicting, nothing more is suggested.

    What to do: keep the current best, and mark the other as the best of its stage or remove it.
    """

    code = "PB02"
    name = "multiple_rows_per_discipline"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = SeveralRowsEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="choose_current_pb",
        reason="A discipline has several personal bests that no stage tells apart; keep the current one.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every discipline with more than one mark."""
        if len(athlete.snapshot.personal_bests) < 2:
            return
        parsed = athlete.parsed_bests
        for discipline, rows in by_discipline(athlete).items():
            if len({value_of(row, parsed[row.id]) for row in rows}) < 2:
                continue
            by_stage: dict[str, set[int | str]] = {}
            for row in rows:
                by_stage.setdefault(stage_label(row), set()).add(value_of(row, parsed[row.id]))
            apart = all(len(values) == 1 for values in by_stage.values())
            marks = ", ".join(f"{row.mark} ({stage_label(row) or 'overall'})" for row in rows[:EVIDENCE_ROWS])
            yield Finding(
                key=(discipline,),
                severity=Severity.INFO if apart else Severity.WARNING,
                detail=f"{discipline} has {len(rows)} rows: {marks}.",
                evidence=SeveralRowsEvidence(
                    discipline=discipline,
                    told_apart_by_stage=apart,
                    rows=tuple(best_row(row) for row in rows[:EVIDENCE_ROWS]),
                    row_count=len(rows),
                ),
                actionable=not apart and not all_conflicting(rows),
            )
