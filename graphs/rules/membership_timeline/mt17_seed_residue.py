"""MT17: a guessed stay left beside a sourced one."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Membership
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import MembershipRow, all_conflicting, described, membership_rows
from graphs.rules.membership_timeline.stays import overlapping_pairs
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class SeedResidueEvidence(Evidence):
    """The guessed row and the sourced one, with the reliability of both sources (1 guess to 5 official)."""

    memberships: tuple[MembershipRow, ...]
    reliabilities: tuple[int, ...]
    sources: tuple[str, ...]
    overlap_days: int


class SeedResidue(Rule):
    """A guessed membership stands beside a sourced one.

    Detects: a row from a source of reliability 1 that overlaps a row of the same stage from a source of
    reliability 3 or more.

    Why it matters: the guess was a placeholder until a source was found; now both are shown.

    Example: 例示大学 2019 to 2023 from the seed data beside 例示大学 2020 to 2024 from a published list.

    Traps: rows without a source say nothing about reliability. Athletes whose rows the importer protects keep such
    guesses longest.

    What to do: remove the guess, keeping whatever only it says.
    """

    code = "MT17"
    name = "low_reliability_residue"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("several_memberships",)
    severities = (Severity.WARNING,)
    evidence_type = SeedResidueEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="remove_superseded_seed_row",
        reason="A guessed membership stands beside a sourced one; remove the guess.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per guessed row and sourced row."""
        if athlete.person.type != "athlete" or len(athlete.athlete_memberships) < 2:
            return
        thresholds = context.configuration.membership_timeline
        for first, second, days in overlapping_pairs(athlete, context.today, thresholds):
            seed, sourced = sorted((first, second), key=_reliability)
            if seed.source is None or sourced.source is None:
                continue
            low, high = seed.source.reliability, sourced.source.reliability
            if low > thresholds.seed_reliability or high < thresholds.sourced_reliability:
                continue
            yield Finding(
                key=(seed.id, sourced.id),
                severity=Severity.WARNING,
                detail=f"{described(seed)} from {seed.source.name} (reliability {low}) stands beside "
                f"{described(sourced)} from {sourced.source.name} (reliability {high}).",
                evidence=SeedResidueEvidence(
                    memberships=membership_rows((seed, sourced)),
                    reliabilities=(low, high),
                    sources=(seed.source.name, sourced.source.name),
                    overlap_days=days,
                ),
                actionable=not all_conflicting((seed, sourced)),
            )


def _reliability(membership: Membership) -> int:
    return membership.source.reliability if membership.source else 0
