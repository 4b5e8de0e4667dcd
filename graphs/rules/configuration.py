"""The thresholds, bounds and lists that rules consult, in one typed place.

Belongs here: values a maintainer may change without touching a rule. A changed threshold changes the rule set
version, never the identity of a finding.
"""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field

from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.person_normalization.thresholds import PersonNormalizationThresholds
from graphs.rules.personal_best_consistency.thresholds import PersonalBestConsistencyThresholds
from graphs.rules.profile_coverage.thresholds import ProfileCoverageThresholds
from graphs.rules.relation_cache.thresholds import RelationCacheThresholds


class RuleConfiguration(BaseModel):
    """Settings of the rules; `as_of` is the day on which the figures were last reviewed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    as_of: date = date(2026, 2, 1)
    disabled_rules: frozenset[str] = frozenset()
    enabled_optional_rules: frozenset[str] = frozenset()
    protected_slugs: frozenset[str] = frozenset()
    known_distinct: tuple[frozenset[str], ...] = Field(default=())
    """Groups of slugs that are known to be different people of one name."""
    profile_coverage: ProfileCoverageThresholds = ProfileCoverageThresholds()
    membership_timeline: MembershipTimelineThresholds = MembershipTimelineThresholds()
    person_normalization: PersonNormalizationThresholds = PersonNormalizationThresholds()
    personal_best_consistency: PersonalBestConsistencyThresholds = PersonalBestConsistencyThresholds()
    relation_cache: RelationCacheThresholds = RelationCacheThresholds()
