"""The statements on sweeps and their chunks.

Belongs here: SQL text alone, on the agent database. Stays out: running it (`keifu_quality.db.sweeps`).
"""

INCOMING = """
CREATE TEMP TABLE incoming_digests (person_id text, own bigint, signals integer) ON COMMIT DROP
"""

# Sums of digests do not depend on the order of athletes. A group of one adds nothing and is left out.
DIGESTS = """
CREATE TEMP TABLE due_digests ON COMMIT DROP AS
WITH judged AS (
    SELECT person_id, sum(hash) AS hash
    FROM (
        SELECT first_person_id, hash_record_extended(ROW(id, withdrawn_at IS NULL), 0) FROM identity_judgements
        UNION ALL
        SELECT second_person_id, hash_record_extended(ROW(id, withdrawn_at IS NULL), 0) FROM identity_judgements
    ) j (person_id, hash)
    GROUP BY person_id
), athlete AS MATERIALIZED (
    SELECT i.person_id, i.person_slug, i.strict_key, i.loose_key, i.roman_key, i.foreign_key, i.is_placeholder,
        i.content_digest, i.rule_set_version, d.signals, d.own + COALESCE(j.hash, 0) AS own
    FROM incoming_digests d
    JOIN athlete_index i ON i.person_id = d.person_id
    LEFT JOIN judged j ON j.person_id = d.person_id
), namesakes AS (
    SELECT strict_key, count(*) AS people
    FROM athlete
    WHERE NOT is_placeholder AND strict_key IS NOT NULL
    GROUP BY strict_key
    HAVING count(*) > 1
), loose AS (
    SELECT loose_key AS key, sum(own) AS hash
    FROM athlete
    WHERE NOT is_placeholder AND loose_key IS NOT NULL
    GROUP BY loose_key
    HAVING count(*) > 1
), roman AS (
    SELECT roman_key AS key, sum(own) AS hash
    FROM athlete
    WHERE NOT is_placeholder AND roman_key IS NOT NULL
    GROUP BY roman_key
    HAVING count(*) > 1
), tokens AS MATERIALIZED (
    SELECT person_id, own, unnest(string_to_array(foreign_key, ' ')) AS token
    FROM athlete
    WHERE NOT is_placeholder AND foreign_key IS NOT NULL
), sharers AS (
    SELECT token, sum(own) AS hash FROM tokens GROUP BY token HAVING count(*) > 1
), strangers AS (
    SELECT t.person_id, sum(s.hash) AS hash FROM tokens t JOIN sharers s ON s.token = t.token GROUP BY t.person_id
), slugs AS MATERIALIZED (
    SELECT person_id, own,
        (SELECT string_agg(t, '-' ORDER BY t) FROM unnest(string_to_array(person_slug, '-')) t) AS key
    FROM athlete
    WHERE NOT is_placeholder AND person_slug NOT LIKE 'person-%%'
), turned AS (
    SELECT key, sum(own) AS hash FROM slugs GROUP BY key HAVING count(*) > 1
), turners AS (
    SELECT s.person_id, t.hash FROM slugs s JOIN turned t ON t.key = s.key
)
SELECT a.person_id, a.person_slug, a.signals, a.content_digest, a.rule_set_version,
    CASE WHEN NOT a.is_placeholder THEN a.strict_key END AS name_group, namesakes.people IS NOT NULL AS has_namesakes,
    md5(concat_ws('|', %(scope)s::text, a.own, loose.hash, 'r', roman.hash, 'f', strangers.hash, 's', turners.hash))
        AS digest
FROM athlete a
LEFT JOIN namesakes ON NOT a.is_placeholder AND namesakes.strict_key = a.strict_key
LEFT JOIN loose ON NOT a.is_placeholder AND loose.key = a.loose_key
LEFT JOIN roman ON NOT a.is_placeholder AND roman.key = a.roman_key
LEFT JOIN strangers ON strangers.person_id = a.person_id
LEFT JOIN turners ON turners.person_id = a.person_id
WHERE ((hashtextextended(a.person_id, 0) %% %(shards)s) + %(shards)s) %% %(shards)s = %(shard)s
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
    WHERE %(is_full)s OR content_digest IS DISTINCT FROM digest
        OR rule_set_version IS DISTINCT FROM %(rule_set_version)s
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

UNCHANGED = """
INSERT INTO agent_runs (run_id, graph_name, graph_version, rule_set_version, status, outcome, triggered_by, person_id,
    person_slug, input_json, dagster_run_id, started_at, ended_at)
SELECT gen_random_uuid()::text, %(graph_name)s, %(graph_version)s, %(rule_set_version)s, 'unchanged', 'unchanged',
    %(triggered_by)s, person_id, person_slug,
    jsonb_build_object('personId', person_id, 'triggeredBy', %(triggered_by)s::text), %(dagster_run_id)s, now(), now()
FROM due_digests
WHERE content_digest = digest AND rule_set_version = %(rule_set_version)s
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
