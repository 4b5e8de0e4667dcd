"""The statements on sweeps and their chunks.

Belongs here: SQL text alone, on the agent database. Stays out: running it (`keifu_quality.db.sweeps`).
"""

ABANDON = """
UPDATE sweeps SET ended_at = clock_timestamp()
WHERE ended_at IS NULL AND started_at < clock_timestamp() - %(open_for)s::interval
"""

JOIN = """
SELECT id, started_at, due_count, unchanged_count
FROM sweeps
WHERE ended_at IS NULL AND rule_set_version = %(rule_set_version)s AND is_full = %(is_full)s
    AND most_athletes IS NOT DISTINCT FROM %(most_athletes)s::integer AND shard = %(shard)s AND shards = %(shards)s
ORDER BY id DESC
LIMIT 1
"""

NEW_SWEEP = """
INSERT INTO sweeps (rule_set_version, triggered_by, is_full, most_athletes, shard, shards)
VALUES (%(rule_set_version)s, %(triggered_by)s, %(is_full)s, %(most_athletes)s, %(shard)s, %(shards)s)
RETURNING id, started_at
"""

# One look at everybody, so that nobody is both due and unchanged, or neither, while others diagnose.
DUE = """
CREATE TEMP TABLE due_digests ON COMMIT DROP AS
SELECT d.person_id, i.person_slug, d.digest, d.signals, d.has_namesakes,
    CASE WHEN NOT i.is_placeholder THEN i.strict_key END AS name_group,
    i.content_digest = d.digest AND i.rule_set_version = %(rule_set_version)s AS is_unchanged
FROM athlete_digests d
JOIN athlete_index i ON i.person_id = d.person_id
WHERE ((hashtextextended(d.person_id, 0) %% %(shards)s) + %(shards)s) %% %(shards)s = %(shard)s
"""

# First exact name doubles, then several current memberships, then unmarked double bests. Where a limit leaves somebody
# out, a name group sends one representative: its findings name the whole group. Namesakes stand together, since each is
# read beside the others.
CHUNKS = """
WITH due AS (
    SELECT person_id, digest, name_group,
        CASE WHEN %(most_athletes)s::integer IS NULL THEN 0 WHEN has_namesakes THEN 1 WHEN signals & 1 > 0 THEN 2
            WHEN signals & 2 > 0 THEN 3 ELSE 4 END AS tier,
        row_number() OVER (PARTITION BY COALESCE(name_group, person_id) ORDER BY person_id) AS place_in_group
    FROM due_digests
    WHERE %(is_full)s OR is_unchanged IS NOT TRUE
), placed AS (
    SELECT person_id, digest, row_number() OVER (ORDER BY tier, name_group, person_id) AS place
    FROM due
    WHERE %(most_athletes)s::integer IS NULL OR place_in_group = 1
), entered AS (
    INSERT INTO sweep_chunks (sweep_id, number, person_ids, digests)
    SELECT %(sweep_id)s, (place - 1) / %(chunk_size)s + 1, array_agg(person_id ORDER BY place),
        array_agg(digest ORDER BY place)
    FROM placed
    WHERE %(most_athletes)s::integer IS NULL OR place <= %(most_athletes)s
    GROUP BY (place - 1) / %(chunk_size)s + 1
    RETURNING cardinality(person_ids) AS athletes
)
SELECT COALESCE(sum(athletes), 0)::integer FROM entered
"""

SET_COUNTS = "UPDATE sweeps SET due_count = %(due)s, unchanged_count = %(unchanged)s WHERE id = %(sweep_id)s"

# Ids of one moment lie together in their index, and so do athletes in theirs.
UNCHANGED = """
INSERT INTO agent_runs (run_id, graph_name, graph_version, rule_set_version, status, outcome, triggered_by, person_id,
    person_slug, input_json, dagster_run_id, started_at, ended_at)
SELECT %(run_id_start)s::text || substr(gen_random_uuid()::text, 16), %(graph_name)s, %(graph_version)s,
    %(rule_set_version)s, 'unchanged', 'unchanged', %(triggered_by)s, person_id, person_slug,
    jsonb_build_object('personId', person_id, 'triggeredBy', %(triggered_by)s::text), %(dagster_run_id)s, now(), now()
FROM due_digests
WHERE is_unchanged
ORDER BY person_id
"""

CLAIM = """
SELECT id, person_ids, digests
FROM sweep_chunks
WHERE sweep_id = %(sweep_id)s AND ended_at IS NULL
ORDER BY number
LIMIT 1
FOR UPDATE SKIP LOCKED
"""

# What was planned is no longer needed; the counts stay.
FINISH_CHUNK = """
UPDATE sweep_chunks
SET ended_at = clock_timestamp(), person_ids = '{}', digests = '{}', diagnosed_count = %(diagnosed)s,
    incomplete_count = %(incomplete)s, failed_count = %(failed)s, info_count = %(info)s, warning_count = %(warning)s,
    error_count = %(error)s, critical_count = %(critical)s
WHERE id = %(chunk_id)s
"""

COUNTS = """
SELECT COALESCE(sum(diagnosed_count), 0)::integer, COALESCE(sum(incomplete_count), 0)::integer,
    COALESCE(sum(failed_count), 0)::integer, COALESCE(sum(info_count), 0)::integer,
    COALESCE(sum(warning_count), 0)::integer, COALESCE(sum(error_count), 0)::integer,
    COALESCE(sum(critical_count), 0)::integer, count(*) FILTER (WHERE ended_at IS NULL)::integer
FROM sweep_chunks
WHERE sweep_id = %(sweep_id)s
"""

FINISH_SWEEP = """
UPDATE sweeps SET ended_at = clock_timestamp()
WHERE id = %(sweep_id)s
    AND NOT EXISTS (SELECT FROM sweep_chunks WHERE sweep_id = %(sweep_id)s AND sweep_chunks.ended_at IS NULL)
"""
