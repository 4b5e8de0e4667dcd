"""PC07: a type that the memberships contradict."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership, MembershipRole
from graphs.rules.athlete import Athlete
from graphs.rules.periods import end_of, is_current, is_undated, start_of
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext

PRIORITY: tuple[MembershipRole, ...] = ("coach", "staff", "athlete")
"""Of several roles at one time, the first of these is the type of the person."""


@dataclass(frozen=True, slots=True)
class RoleRow(Evidence):
    """A membership that decides, with calendar dates as stored."""

    id: str
    organization: str
    role: MembershipRole
    start: date | None
    end: date | None


@dataclass(frozen=True, slots=True)
class PersonTypeEvidence(Evidence):
    """The stored type, the derived one, and the memberships that it follows from (at most twenty)."""

    type: str
    derived_type: MembershipRole
    memberships: tuple[RoleRow, ...]
    membership_count: int


class PersonTypeRoleMismatch(Rule):
    """The person's type contradicts the memberships.

    Detects: the type differs from the one that follows from current memberships (coach before staff before athlete)
    or, without any, from the one that ended last.

    Why it matters: the type decides which pages and which checks a person gets.

    Example: a runner who coaches a high school since April and is still stored as an athlete.

    Traps: a row without any date is not current, though the site's script takes it for current and would change
    people by it; rows that start in the future do not count; of several rows that ended on one day any role will do.

    What to do: correct the wrong row. The script derives the type of everybody at once, without a dry run.
    """

    code = "PC07"
    name = "person_type_role_mismatch"
    category = Category.PROFILE_COVERAGE
    needs = ("memberships",)
    severities = (Severity.WARNING,)
    evidence_type = PersonTypeEvidence
    action = ActionTemplate(
        type=ActionType.SCRIPT,
        name="recompute_person_types",
        reason=(
            "The type differs from what the memberships say. scripts/maintenance/recompute-person-types.ts derives it"
            " for everybody at once, has no dry run, and takes undated rows for current: review before it is run."
        ),
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with the memberships that decide."""
        stored = athlete.person.type
        for row in athlete.snapshot.memberships:
            if row.role != stored:
                break
        else:
            return
        rows = athlete.memberships
        deciding = [row for row in rows if is_current(row, context.today)]
        if not deciding:
            deciding = _ended_last(rows, context.today)
            if any(row.role == stored for row in deciding):
                return
        if not deciding:
            return
        roles = {row.role for row in deciding}
        derived: MembershipRole = next(role for role in PRIORITY if role in roles)
        if derived == stored:
            return
        when = "current" if is_current(deciding[0], context.today) else "last"
        names = ", ".join(f"{row.role} at {row.organization.name_ja}" for row in deciding[:3])
        yield Finding(
            key=(),
            severity=Severity.WARNING,
            detail=f"Stored as {stored}, {when} memberships say {derived}: {names}.",
            evidence=PersonTypeEvidence(
                type=stored,
                derived_type=derived,
                memberships=tuple(
                    RoleRow(
                        id=row.id,
                        organization=row.organization.name_ja,
                        role=row.role,
                        start=start_of(row),
                        end=end_of(row),
                    )
                    for row in deciding[:EVIDENCE_ROWS]
                ),
                membership_count=len(deciding),
            ),
        )


def _ended_last(rows: Sequence[Membership], today: date) -> list[Membership]:
    """The rows that ended on the latest day before today."""
    ends = {row.id: end_of(row) for row in rows if not is_undated(row)}
    past = [end for end in ends.values() if end is not None and end < today]
    return [row for row in rows if past and ends.get(row.id) == max(past)]
