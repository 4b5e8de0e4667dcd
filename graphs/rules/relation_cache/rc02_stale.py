"""RC02: a relation cache older than what it was built from."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from graphs.contracts import Category, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.relation_cache.drift import relation_differences
from graphs.rules.relation_cache.recompute import recompute_relations
from graphs.rules.relation_cache.status import PROFILE_INPUT, cache_defects, dangling_person_ids, newer_inputs
from graphs.rules.rule import Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class RelationCacheStaleEvidence(Evidence):
    """When the cache was generated and its newest input changed, in UTC, and which inputs are newer.

    `reason` is `profile_touch` where nothing but the profile row changed, else `inputs_changed`.
    """

    generated_at: datetime
    watermark: datetime
    newer_inputs: tuple[str, ...]
    reason: str
    confirmed_by_drift: bool


class RelationCacheStale(Rule):
    """The cached relations are older than their inputs.

    Detects: results of the athlete or of others in the same races, the races themselves, memberships or the profile
    changed after the cache was generated, or within five seconds before.

    Why it matters: the page shows relations that the archive no longer supports.

    Example: a cache of 10 March; on 12 March a race of the athlete was imported again.

    Traps: personal bests, names and readings are not inputs. Award scripts and repeated imports touch rows without
    changing them, so times alone inform; only counts that differ (RC04) make it a warning. The profile row is touched
    by every import and says least of all. Times are compared as milliseconds, because the cache holds no finer ones,
    and an input of the same millisecond is the time that the cache was stamped with. A cache that is merely old is
    not stale: the page rebuilds it.

    What to do: rebuild the cache when the difference is confirmed, else leave it to the page.
    """

    code = "RC02"
    name = "relation_cache_stale"
    category = Category.RELATION_CACHE
    needs = ("relation_caches",)
    severities = (Severity.INFO, Severity.WARNING)
    evidence_type = RelationCacheStaleEvidence
    action = recompute_relations("Inputs of the cached relations changed after they were generated.")

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for a row that is valid otherwise."""
        cache = athlete.relation_cache
        if cache is None or cache_defects(athlete, cache, context) or dangling_person_ids(athlete, cache):
            return
        newer = newer_inputs(athlete, cache, context)
        if not newer:
            return
        profile_only = set(newer) == {PROFILE_INPUT}
        confirmed = not profile_only and bool(relation_differences(athlete, context))
        watermark = max(newer.values())
        yield Finding(
            key=(),
            severity=Severity.WARNING if confirmed else Severity.INFO,
            detail=(
                f"Generated {cache.generated_at.isoformat(timespec='milliseconds')}; newer inputs:"
                f" {', '.join(sorted(newer))} ({watermark.isoformat(timespec='milliseconds')})."
            ),
            evidence=RelationCacheStaleEvidence(
                generated_at=cache.generated_at,
                watermark=watermark,
                newer_inputs=tuple(sorted(newer)),
                reason="profile_touch" if profile_only else "inputs_changed",
                confirmed_by_drift=confirmed,
            ),
        )
