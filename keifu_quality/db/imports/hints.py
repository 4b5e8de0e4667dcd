"""Signs that the archive changed without an import batch.

Belongs here: what an index leads to: audit rows of no batch, merges, bumped caches. Stays out: changes that leave no
sign; counts and digests find those. Every function takes part in the caller's consistent read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from keifu_quality.db.business.access import Run
from keifu_quality.db.business.rows import instant

TABLES = (
    "AuditLog",
    "CacheInvalidation",
    "ImportBatch",
    "Membership",
    "Person",
    "PersonalBest",
    "PlayerRelationCache",
    "RaceResult",
)

# An import bumps the caches just before it completes. Only the newest bump of a scope can be seen.
_BUMPS = """
SELECT c.scope, c.version
FROM "CacheInvalidation" c
WHERE c.version > %(since)s::timestamp AND NOT EXISTS (
    SELECT 1
    FROM "ImportBatch" b
    WHERE c.version BETWEEN b."startedAt" - interval '5 seconds'
        AND COALESCE(b."completedAt", 'infinity') + interval '5 seconds'
)
ORDER BY c.scope
"""

# Gives: id, slug, whether a merge left this athlete, whether its cache names somebody who was merged away.
# A cache names whom its athlete raced, and the races of the merged went to the athlete that was kept, so the caches to
# look into are those of the latter's opponents.
_PEOPLE = """
WITH audit AS MATERIALIZED (
    SELECT a."entityType" AS entity_type, a."entityId" AS entity_id, a.action = 'merge' AS is_merge,
        COALESCE(a."newValue"->>'canonicalPersonId', a."newValue"->>'keepPersonId', a."newValue"->>'keepId',
            a.metadata->>'canonicalPersonId', a.metadata->>'keepPersonId', a.metadata->>'keepId',
            a."entityId") AS canonical_id,
        COALESCE(a."oldValue"->>'mergedPersonId', a."oldValue"->>'dropPersonId', a."oldValue"->>'dropId',
            a.metadata->>'mergedPersonId', a.metadata->>'dropPersonId', a.metadata->>'dropId') AS merged_id
    FROM "AuditLog" a
    WHERE a."createdAt" > %(since)s::timestamp
        AND (a."batchId" IS NULL OR NOT EXISTS (SELECT 1 FROM "ImportBatch" b WHERE b.id = a."batchId"))
), merge AS MATERIALIZED (
    SELECT canonical_id, merged_id FROM audit WHERE is_merge OR (entity_type = 'Person' AND merged_id IS NOT NULL)
), opponent AS MATERIALIZED (
    SELECT DISTINCT merge.merged_id, theirs."personId" AS person_id
    FROM merge
    JOIN "RaceResult" ours ON ours."personId" = merge.canonical_id
    JOIN "RaceResult" theirs ON theirs."raceId" = ours."raceId"
    WHERE merge.merged_id IS NOT NULL
), found AS (
    SELECT canonical_id AS person_id, true AS merged, false AS cached FROM merge
    UNION ALL
    SELECT opponent.person_id, false, true
    FROM opponent
    JOIN "PlayerRelationCache" c ON c."personId" = opponent.person_id
    WHERE c.payload @> jsonb_build_object('topRelations',
        jsonb_build_array(jsonb_build_object('relatedPersonId', opponent.merged_id)))
    UNION ALL
    SELECT entity_id, false, false FROM audit WHERE entity_type = 'Person'
    UNION ALL
    SELECT r."personId", false, false
    FROM audit JOIN "RaceResult" r ON r.id = audit.entity_id WHERE audit.entity_type = 'RaceResult'
    UNION ALL
    SELECT m."personId", false, false
    FROM audit JOIN "Membership" m ON m.id = audit.entity_id WHERE audit.entity_type = 'Membership'
    UNION ALL
    SELECT b."personId", false, false
    FROM audit JOIN "PersonalBest" b ON b.id = audit.entity_id WHERE audit.entity_type = 'PersonalBest'
)
SELECT p.id, p.slug, bool_or(found.merged), bool_or(found.cached)
FROM found
JOIN "Person" p ON p.id = found.person_id
GROUP BY p.id, p.slug
ORDER BY p.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPerson:
    """An athlete whose rows, or whose opponents, somebody changed outside of an import."""

    person_id: str
    slug: str
    kept_by_merge: bool
    cache_names_merged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What changed without a batch: athletes that are known, and scopes of caches whose bump no batch explains, with
    its time. A bump says that something changed, and not what."""

    people: tuple[ChangedPerson, ...]
    bumps: tuple[tuple[str, datetime], ...]

    def anything(self) -> bool:
        """Whether there is any sign at all."""
        return bool(self.people or self.bumps)


def read_hints(run: Run, *, since: datetime) -> Hints:
    """The signs from after an instant, by the clocks of those who left them."""
    parameters = {"since": since.astimezone(UTC).replace(tzinfo=None)}
    return Hints(people=_people(run(_PEOPLE, parameters)), bumps=_bumps(run(_BUMPS, parameters)))


def _people(rows: Sequence[tuple[str, str, bool, bool]]) -> tuple[ChangedPerson, ...]:
    return tuple(
        ChangedPerson(person_id=person_id, slug=slug, kept_by_merge=kept, cache_names_merged=cached)
        for person_id, slug, kept, cached in rows
    )


def _bumps(rows: Sequence[tuple[str, datetime]]) -> tuple[tuple[str, datetime], ...]:
    return tuple((scope, instant(version)) for scope, version in rows)
