"""MT01: several stays that run today."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import MembershipRow, all_conflicting, described, membership_rows
from graphs.rules.membership_timeline.pairs import allowed_together, is_alias, rename_evidence
from graphs.rules.membership_timeline.stays import current_stays, days_shared, is_never_closed
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import is_school
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class MultipleCurrentEvidence(Evidence):
    """The rows that run today, and why some of them may run together (a sorted set of reasons)."""

    memberships: tuple[MembershipRow, ...]
    membership_count: int
    allowed_because: tuple[str, ...]


class MultipleCurrent(Rule):
    """Several memberships are current at the same time.

    Detects: two or more memberships as an athlete that run today. An error for two schools, or for a school and a
    corporate team that share more than the days of a hand-over; a warning for two employers; information for a
    pair that may well run together. One finding lists every row concerned, and its severity is that of the worst pair.

    Why it matters: the profile page names the present team from these rows, and an end that is missing makes the
    relation builder count team-mates who never met.

    Example: 例示大学 from 2022-04-01 and 架空大学 from 2023-04-01, both without an end.

    Traps: rows with neither a start nor an end date are never current, whatever their years, nor is a team for a day
    (MT15). A school row whose end was never filled in lacks an end and does not run beside what came later (MT09);
    two schools of one stage without an end are both shown as the present one, so they count. Two rows of one
    organization, also under two spellings, are not two affiliations (MT04, MT05, MT06); a team before and after its
    rename is told by MT18. A club beside anything, an employer beside a
    graduate school, a team beside its own company and a documented change of school are information only. The
    importer gives every corporate team the day after university as its start and no end, so any transfer leaves two
    open rows. Where every row is already marked conflicting the finding stays as information and suggests nothing.

    What to do: find the real end of the earlier stay in a source. No end is ever guessed.
    """

    code = "MT01"
    name = "multiple_current_memberships"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("several_memberships",)
    severities = (Severity.ERROR, Severity.WARNING, Severity.INFO)
    evidence_type = MultipleCurrentEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="review_current_memberships",
        reason="Several memberships are open at once; find the real end of the earlier one.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with all rows that run today and concern one another."""
        if athlete.person.type != "athlete" or len(athlete.athlete_memberships) < 2:
            return
        thresholds = context.configuration.membership_timeline
        current = current_stays(athlete, context.today)
        if len(current) < 2:
            return
        unclosed = {m.id for m in current if is_never_closed(m, context.today, thresholds)}
        concerned: set[str] = set()
        severities: list[Severity] = []
        reasons: set[str] = set()
        for first, second in combinations(current, 2):
            if first.organization.type != second.organization.type and not unclosed.isdisjoint((first.id, second.id)):
                continue
            if (
                first.organization.id == second.organization.id
                or is_alias(first, second)
                or rename_evidence(athlete, first, second, thresholds)
            ):
                continue
            reason = allowed_together(athlete, first, second, thresholds)
            severity = Severity.INFO if reason else _severity(first, second, context.today, thresholds)
            if severity is None:
                continue
            concerned.update((first.id, second.id))
            severities.append(severity)
            reasons.update((reason,) if reason else ())
        if not severities:
            return
        rows = [m for m in current if m.id in concerned]
        worst = max(severities, key=lambda s: s.rank)
        handled = all_conflicting(rows)
        yield Finding(
            key=(),
            severity=Severity.INFO if handled else worst,
            detail=f"{len(rows)} memberships are current: {'; '.join(described(m) for m in rows)}.",
            evidence=MultipleCurrentEvidence(
                memberships=membership_rows(rows), membership_count=len(rows), allowed_because=tuple(sorted(reasons))
            ),
            actionable=worst is not Severity.INFO and not handled,
        )


def _severity(
    first: Membership, second: Membership, today: date, thresholds: MembershipTimelineThresholds
) -> Severity | None:
    """How bad an unexplained pair is; None while a school hands over to what follows it."""
    schools = [m for m in (first, second) if is_school(m)]
    if not schools:
        return Severity.WARNING
    if first.organization.type != second.organization.type:
        shared = days_shared(first, second, today, thresholds)
        if shared is not None and shared <= thresholds.handover_days:
            return None
        if any(m.organization.type == "company" for m in (first, second)):
            return Severity.WARNING
    return Severity.ERROR
