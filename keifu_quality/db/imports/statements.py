"""The statements that read what imports did.

Belongs here: SQL text on the business database, set-based over any number of batches. A payload may be large and of any
shape: it is taken apart on the server, and only its slugs come out. Stays out: running them.

Times of a batch come from the clock of the maintainer who ran it, those of rows perhaps from that of the server.
"""

TABLES = (
    "ImportBatch",
    "AuditLog",
    "Race",
    "RaceResult",
    "SourceReference",
    "Person",
    "Membership",
    "PersonalBest",
)

_FINISHED = """b.status IN ('completed', 'failed') AND b."completedAt" IS NOT NULL"""
_TIME_TEXT = """COALESCE(to_char({0}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), {0}::text)"""

# The last sign of life counts runs that have not completed as well: running the newest batch again takes its
# completion away, which is no older archive.
GLANCE = f"""
SELECT
    count(*) FILTER (WHERE finished) || ':' || COALESCE(sum(hash) FILTER (WHERE finished), 0),
    max(completed) FILTER (WHERE finished),
    max(GREATEST(started, completed))
FROM (
    SELECT {_FINISHED} AS finished, hash_record_extended(ROW(b.id, b."completedAt"), 0) AS hash,
        CASE WHEN isfinite(b."startedAt") THEN b."startedAt" END AS started,
        CASE WHEN isfinite(b."completedAt") THEN b."completedAt" END AS completed
    FROM "ImportBatch" b
) batches
"""

FINISHED_BATCHES = f"""
SELECT b.id || '@' || {_TIME_TEXT.format('b."completedAt"')}, b.id, b.key, b.status::text, b."completedAt"
FROM "ImportBatch" b
WHERE {_FINISHED}
ORDER BY b."completedAt", b.id
"""

STUCK_BATCHES = f"""
SELECT b.id || '@' || {_TIME_TEXT.format('COALESCE(b."startedAt", b."updatedAt")')} || '#stuck', b.id, b.key
FROM "ImportBatch" b
WHERE b.status = 'running' AND COALESCE(b."startedAt", b."updatedAt") < %(started_before)s::timestamp
    AND NOT EXISTS (
        SELECT 1 FROM "AuditLog" a WHERE a."batchId" = b.id AND a."createdAt" >= %(silent_since)s::timestamp
    )
ORDER BY COALESCE(b."startedAt", b."updatedAt"), b.id
"""

LONGEST_ERROR_MESSAGE = 2_000
"""Characters."""

BATCH_DETAILS = f"""
SELECT b.id, left(b."errorMessage", {LONGEST_ERROR_MESSAGE}), COALESCE(jsonb_typeof(b.payload), 'null'),
    COALESCE(jsonb_typeof(b.payload -> 'entries') = 'array', false)
FROM "ImportBatch" b
WHERE b.id = ANY(%(batch_ids)s::text[])
"""

# A run wrote its rows between start and completion, give or take five seconds. Audit rows of the batch from before its
# start, but after the completion seen last, belong to a run that completed unseen; its rows count as well. Where
# completion precedes start, or audit rows follow completion, the clocks disagree and everything is widened by five
# minutes.
_RUNS = """
batch AS MATERIALIZED (
    SELECT e.number, e.kind, b.id, b."sourceId" AS source_id, b.payload, b.key LIKE '%%-team-only' AS team_only,
        COALESCE(b."startedAt", b."completedAt", b."updatedAt") AS started,
        COALESCE(b."completedAt", 'infinity') AS completed,
        b."startedAt" IS NULL OR COALESCE(b."completedAt" < b."startedAt", false) AS skewed,
        e.seen_until
    FROM unnest(%(numbers)s::int[], %(batch_ids)s::text[], %(kinds)s::text[], %(seen_until)s::timestamp[])
        AS e (number, batch_id, kind, seen_until)
    JOIN "ImportBatch" b ON b.id = e.batch_id
), audit AS MATERIALIZED (
    SELECT batch.number, a."entityType" AS entity_type, a."entityId" AS entity_id, a."createdAt" AS created
    FROM batch
    JOIN "AuditLog" a ON a."batchId" = batch.id
    WHERE a."createdAt" > LEAST(batch.seen_until, LEAST(batch.started, batch.completed)
        - CASE WHEN batch.skewed THEN interval '5 minutes' ELSE interval '5 seconds' END)
), audited_span AS (
    SELECT number, min(created) AS first, max(created) AS last FROM audit GROUP BY number
), clock AS MATERIALIZED (
    SELECT batch.number, batch.skewed OR COALESCE(span.last > batch.completed + interval '5 seconds', false) AS skewed,
        span.first, span.last
    FROM batch
    LEFT JOIN audited_span span ON span.number = batch.number
), run AS MATERIALIZED (
    SELECT batch.number, batch.id, batch.kind, batch.source_id, batch.team_only, batch.started, batch.completed,
        CASE WHEN jsonb_typeof(batch.payload -> 'raceSlug') = 'string' THEN batch.payload ->> 'raceSlug' END
            AS race_slug,
        CASE WHEN clock.skewed THEN LEAST(batch.started, batch.completed, clock.first) - interval '5 minutes'
            ELSE LEAST(batch.started, clock.first) - interval '5 seconds' END AS opened,
        CASE WHEN clock.skewed THEN LEAST(batch.started, batch.completed) - interval '5 minutes'
            ELSE batch.started - interval '5 seconds' END AS last_opened,
        CASE WHEN clock.skewed THEN GREATEST(batch.started, batch.completed, clock.last) + interval '5 minutes'
            ELSE batch.completed + interval '5 seconds' END AS closed
    FROM batch
    JOIN clock ON clock.number = batch.number
)
"""

# A team-only batch lists athletes that it did not write, so its audit rows alone tell. A reference names its source
# and no batch: what lies at the edge of a run, or after the start of a stuck one, is another batch's if it was written
# while that one ran.
_SEEN = """
neighbour AS MATERIALIZED (
    SELECT run.number, other."startedAt" AS started, other."completedAt" AS completed
    FROM run
    JOIN "ImportBatch" other ON other."sourceId" = run.source_id AND other.id <> run.id
        AND other."startedAt" <= run.closed AND other."completedAt" >= run.opened
), seen AS MATERIALIZED (
    SELECT run.number, r."personId" AS person_id, r."raceId" AS race_id, 'result' AS reason
    FROM run
    JOIN "Race" race ON race.slug = run.race_slug
    JOIN "RaceResult" r ON r."raceId" = race.id AND r."createdAt" BETWEEN run.opened AND run.closed
    WHERE NOT run.team_only
    UNION ALL
    SELECT audit.number, r."personId", r."raceId", 'audit'
    FROM audit
    JOIN "RaceResult" r ON r.id = audit.entity_id
    WHERE audit.entity_type = 'RaceResult'
    UNION ALL
    SELECT audit.number, m."personId", NULL, 'audit'
    FROM audit
    JOIN "Membership" m ON m.id = audit.entity_id
    WHERE audit.entity_type = 'Membership'
    UNION ALL
    SELECT audit.number, b."personId", NULL, 'audit'
    FROM audit
    JOIN "PersonalBest" b ON b.id = audit.entity_id
    WHERE audit.entity_type = 'PersonalBest'
    UNION ALL
    SELECT audit.number, audit.entity_id, NULL, 'audit' FROM audit WHERE audit.entity_type = 'Person'
    UNION ALL
    SELECT run.number, f."personId", NULL, 'source_reference'
    FROM run
    JOIN "SourceReference" f ON f."sourceId" = run.source_id AND f."sourceEntityType" = 'person'
        AND f."updatedAt" BETWEEN run.opened AND run.closed
    WHERE f."personId" IS NOT NULL AND NOT run.team_only
        AND (run.kind <> 'stuck' AND f."updatedAt" BETWEEN run.started AND run.completed OR NOT EXISTS (
            SELECT 1
            FROM neighbour
            WHERE neighbour.number = run.number AND f."updatedAt" BETWEEN neighbour.started AND neighbour.completed
        ))
)
"""

# Leftovers: rows of the race from an earlier payload of this source, whose athletes this payload no longer lists.
_PAYLOADS = """
entry AS MATERIALIZED (
    SELECT batch.number, e.position, e.entry ->> 'slug' AS slug, p.id AS person_id, p."updatedAt" AS updated
    FROM batch
    CROSS JOIN LATERAL jsonb_array_elements(
        CASE WHEN jsonb_typeof(batch.payload -> 'entries') = 'array' THEN batch.payload -> 'entries' ELSE '[]' END
    ) WITH ORDINALITY AS e (entry, position)
    LEFT JOIN "Person" p ON p.slug = e.entry ->> 'slug'
    WHERE jsonb_typeof(e.entry -> 'slug') = 'string' AND NOT batch.team_only
), leftover AS MATERIALIZED (
    SELECT run.number, r."personId" AS person_id, r."raceId" AS race_id
    FROM run
    JOIN "Race" race ON race.slug = run.race_slug
    JOIN "RaceResult" r ON r."raceId" = race.id AND r."sourceId" = run.source_id AND r."createdAt" < run.last_opened
    WHERE run.kind = 'completed'
        AND EXISTS (SELECT 1 FROM seen WHERE seen.number = run.number AND seen.reason = 'result')
        AND EXISTS (SELECT 1 FROM entry WHERE entry.number = run.number)
        AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.number = run.number AND entry.person_id = r."personId")
)
"""

# The audit row of an entry is written last. So the first entry without one is where a run broke off, which may have
# left that athlete half written; unless nothing at all was written. A completed run without any trace has rows whose
# times cannot be believed, and its payload has to do.
_NAMED = """
audited AS MATERIALIZED (
    SELECT DISTINCT audit.number, r."personId" AS person_id
    FROM audit
    JOIN run ON run.number = audit.number AND audit.created >= run.last_opened
    JOIN "RaceResult" r ON r.id = audit.entity_id
    WHERE audit.entity_type = 'RaceResult'
), broken AS MATERIALIZED (
    SELECT DISTINCT ON (entry.number) entry.number, entry.slug, entry.person_id, entry.updated
    FROM entry
    JOIN run ON run.number = entry.number
    WHERE run.kind <> 'completed' AND NOT EXISTS (
        SELECT 1 FROM audited WHERE audited.number = entry.number AND audited.person_id = entry.person_id
    )
    ORDER BY entry.number, entry.position
), traceless AS MATERIALIZED (
    SELECT run.number, run.race_slug
    FROM run
    WHERE run.kind = 'completed'
        AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.number = run.number)
        AND NOT EXISTS (SELECT 1 FROM audit WHERE audit.number = run.number)
), named AS MATERIALIZED (
    SELECT broken.number, broken.slug, broken.person_id
    FROM broken
    JOIN run ON run.number = broken.number
    WHERE broken.updated BETWEEN run.last_opened AND run.closed
        OR EXISTS (SELECT 1 FROM seen WHERE seen.number = broken.number)
    UNION
    SELECT entry.number, entry.slug, entry.person_id
    FROM entry
    JOIN traceless ON traceless.number = entry.number
)
"""

# Gives: number of the batch, role (null for a slug that is nobody's), id, slug, reasons.
PEOPLE = f"""
WITH {_RUNS.strip()}, {_SEEN.strip()}, {_PAYLOADS.strip()}, {_NAMED.strip()}, touched AS MATERIALIZED (
    SELECT number, person_id, array_agg(DISTINCT reason) AS reasons
    FROM (
        SELECT number, person_id, reason FROM seen
        UNION ALL SELECT number, person_id, 'leftover' FROM leftover
        UNION ALL SELECT number, person_id, 'payload' FROM named WHERE person_id IS NOT NULL
    ) found
    GROUP BY number, person_id
), written AS (
    SELECT number, race_id FROM seen WHERE race_id IS NOT NULL
    UNION SELECT number, race_id FROM leftover
    UNION SELECT traceless.number, race.id FROM traceless JOIN "Race" race ON race.slug = traceless.race_slug
), opponent AS (
    SELECT DISTINCT written.number, r."personId" AS person_id
    FROM written
    JOIN "RaceResult" r ON r."raceId" = written.race_id
    WHERE EXISTS (SELECT 1 FROM touched WHERE touched.number = written.number)
        AND NOT EXISTS (
            SELECT 1 FROM touched WHERE touched.number = written.number AND touched.person_id = r."personId"
        )
)
SELECT touched.number, 'touched', p.id, p.slug, touched.reasons
FROM touched
JOIN "Person" p ON p.id = touched.person_id
UNION ALL
SELECT opponent.number, 'opponent', p.id, p.slug, '{{}}'
FROM opponent
JOIN "Person" p ON p.id = opponent.person_id
UNION ALL
SELECT named.number, NULL, NULL, named.slug, '{{}}' FROM named WHERE named.person_id IS NULL
"""
