"""MT05: one organization under two rows."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.affiliation import canonical_key, prefecture_of
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import MembershipRow, described, membership_rows, pair_key
from graphs.rules.membership_timeline.pairs import is_alias
from graphs.rules.membership_timeline.stays import overlapping_pairs
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class AliasEvidence(Evidence):
    """The two rows, the canonical key of each organization, and what is known of their prefectures."""

    memberships: tuple[MembershipRow, ...]
    canonical_keys: tuple[str, ...]
    prefectures: tuple[str | None, ...]
    overlap_days: int


class AliasOrganization(Rule):
    """Two memberships name one organization twice.

    Detects: two overlapping rows whose organizations are different rows of one organization: equal canonical name,
    or a recorded other name, and no contradicting prefecture.

    Why it matters: team-mates of the one row are missing from the other, and counts of a school are split.

    Example: 架空大学附属高校 and 架空大付属高 from 2019-04-01 to 2022-03-31.

    Traps: schools of one name in two prefectures are two schools: the prefecture is trusted first. Within one known
    prefecture a municipality printed before the name makes no other school; any other longer name does. A corporate
    team under its former name is a rename (MT18).

    What to do: merge the two organizations, then the two memberships. Merging deletes an organization row, drops
    team results that collide, and leaves personal bests that name it dangling, so run dry first.
    """

    code = "MT05"
    name = "alias_organization_membership"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("several_memberships",)
    severities = (Severity.WARNING,)
    evidence_type = AliasEvidence
    action = ActionTemplate(
        type=ActionType.SCRIPT,
        name="merge_organization_aliases",
        reason=(
            "Two organization rows are one organization. The script merges high schools only, deletes a row and drops "
            "colliding team results: read its dry run, then deduplicate memberships (dry run first)."
        ),
        risk=RiskLevel.HIGH,
        command="pnpm tsx scripts/maintenance/merge-organization-alias-groups.ts --dry-run",
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per pair of rows."""
        if athlete.person.type != "athlete" or len(athlete.athlete_memberships) < 2:
            return
        thresholds = context.configuration.membership_timeline
        for first, second, days in overlapping_pairs(athlete, context.today, thresholds):
            if not is_alias(first, second):
                continue
            organizations = (first.organization, second.organization)
            yield Finding(
                key=pair_key(first, second),
                severity=Severity.WARNING,
                detail=f"{described(first)} and {described(second)} name one organization.",
                evidence=AliasEvidence(
                    memberships=membership_rows((first, second)),
                    canonical_keys=tuple(canonical_key(o.name_ja, o.type) for o in organizations),
                    prefectures=tuple(prefecture_of(o) for o in organizations),
                    overlap_days=days,
                ),
            )
