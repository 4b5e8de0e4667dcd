"""The thresholds, bounds and lists that rules consult, in one typed place.

Belongs here: values a maintainer may change without touching a rule. A changed threshold changes the rule set
version, never the identity of a finding.
"""

import hashlib
import json
from datetime import date
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.person_normalization.thresholds import PersonNormalizationThresholds
from graphs.rules.personal_best_consistency.thresholds import PersonalBestConsistencyThresholds
from graphs.rules.profile_coverage.thresholds import ProfileCoverageThresholds
from graphs.rules.relation_cache.thresholds import RelationCacheThresholds


class RuleConfiguration(BaseModel):
    """Settings of the rules."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    as_of: date = date(2026, 2, 1)
    """The day on which the figures were last reviewed."""
    disabled_rules: frozenset[str] = frozenset()
    """Codes of rules that do not run."""
    enabled_optional_rules: frozenset[str] = frozenset()
    """Codes of rules that run although they are off by default."""
    protected_slugs: frozenset[str] = frozenset()
    """Slugs of athletes whose bests and memberships the site's importer leaves alone."""
    known_distinct: tuple[frozenset[str], ...] = Field(default=())
    """Groups of slugs that are known to be different people of one name."""
    profile_coverage: ProfileCoverageThresholds = ProfileCoverageThresholds()
    membership_timeline: MembershipTimelineThresholds = MembershipTimelineThresholds()
    person_normalization: PersonNormalizationThresholds = PersonNormalizationThresholds()
    personal_best_consistency: PersonalBestConsistencyThresholds = PersonalBestConsistencyThresholds()
    relation_cache: RelationCacheThresholds = RelationCacheThresholds()

    @cached_property
    def identity(self) -> str:
        """Digest of every setting, 64 hex digits; equal settings have equal digests in every process."""
        text = json.dumps(_plain(self.model_dump()), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __hash__(self) -> int:
        # The generated hash walks every threshold, and the registry asks for it once an athlete and family.
        return hash(self.identity)


def _plain(value: Any) -> Any:
    """A JSON value in which sets have an order that does not depend on the process."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, (set, frozenset)):
        items: list[Any] = [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        return sorted(items, key=json.dumps)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)
