"""MT06: the same stay recorded more than once."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import MembershipRow, described, membership_rows
from graphs.rules.membership_timeline.pairs import duplicate_key
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext

STATUS_STRENGTH = {"missing": 0, "conflicting": 1, "pending": 2, "verified": 3}


@dataclass(frozen=True, slots=True)
class DuplicateRowsEvidence(Evidence):
    """The equal rows, and which of them says most."""

    memberships: tuple[MembershipRow, ...]
    membership_count: int
    fullest_id: str


class DuplicateRows(Rule):
    """The same membership is recorded more than once.

    Detects: rows of one athlete that are equal in organization, type, role, start, end and both year columns.

    Why it matters: every relation and every team list counts the stay twice.

    Example: 例示大学 2020-04-01 to 2024-03-31, entered by two imports.

    Traps: the status is not part of the comparison, so the stronger one must be kept; faculty, department, cohort,
    notes and the better source belong to what is kept as well.

    What to do: run the deduplication dry, check that it keeps the fullest row, then run it.
    """

    code = "MT06"
    name = "duplicate_membership_rows"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("several_memberships",)
    severities = (Severity.WARNING,)
    evidence_type = DuplicateRowsEvidence
    action = ActionTemplate(
        type=ActionType.SCRIPT,
        name="deduplicate_memberships",
        reason="The same membership is recorded more than once; the dry run shows what would be merged.",
        risk=RiskLevel.LOW,
        command="pnpm tsx scripts/maintenance/deduplicate-memberships.ts --dry-run",
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per group of equal rows."""
        if athlete.person.type != "athlete" or len(athlete.athlete_memberships) < 2:
            return
        groups: dict[tuple[object, ...], list[Membership]] = {}
        for membership in athlete.athlete_memberships:
            groups.setdefault(duplicate_key(membership), []).append(membership)
        for key, rows in groups.items():
            if len(rows) > 1:
                yield Finding(
                    key=tuple(str(part) for part in key),
                    severity=Severity.WARNING,
                    detail=f"{described(rows[0])} is recorded {len(rows)} times.",
                    evidence=DuplicateRowsEvidence(
                        memberships=membership_rows(rows),
                        membership_count=len(rows),
                        fullest_id=max(rows, key=_fullness).id,
                    ),
                )


def _fullness(membership: Membership) -> tuple[int, int, int]:
    known = (membership.faculty, membership.department, membership.cohort, membership.notes, membership.source)
    return (
        STATUS_STRENGTH[membership.status],
        sum(value is not None for value in known),
        membership.source.reliability if membership.source else 0,
    )
