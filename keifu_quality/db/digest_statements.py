"""The statements that make the digest of an athlete of its own record and of those that it is compared with.

Belongs here: SQL text alone, on the agent database. Stays out: the digest of the record alone
(`keifu_quality.db.content_digests`), and running the statements (`keifu_quality.db.known_digests` for all athletes,
`keifu_quality.db.athlete_digests` for some).

The digest of an athlete covers those of everybody who shares its loose, romanised or foreign name key or the tokens of
its slug, and the judgements on any of them. Namesakes that only a lost character connects are not covered; a full sweep
sees those.
"""

TURNED_SLUG = """(SELECT string_agg(t, '-' ORDER BY t) FROM unnest(string_to_array(person_slug, '-')) t)"""
HAS_READABLE_SLUG = "NOT is_placeholder AND person_slug NOT LIKE 'person-%%'"
"""Slugs of the same tokens have one key; those that were made of an id have none."""

INCOMING = """
CREATE TEMP TABLE incoming_digests (person_id text, own bigint, signals integer) ON COMMIT DROP
"""

# Sums of digests do not depend on the order of athletes. A group of one adds nothing and is left out.
DIGESTS = f"""
CREATE TEMP TABLE computed_digests ON COMMIT DROP AS
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
        d.signals, d.own + COALESCE(j.hash, 0) AS own
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
    SELECT person_id, own, {TURNED_SLUG} AS key
    FROM athlete
    WHERE {HAS_READABLE_SLUG}
), turned AS (
    SELECT key, sum(own) AS hash FROM slugs GROUP BY key HAVING count(*) > 1
), turners AS (
    SELECT s.person_id, t.hash FROM slugs s JOIN turned t ON t.key = s.key
)
SELECT a.person_id, a.signals, namesakes.people IS NOT NULL AS has_namesakes,
    md5(concat_ws('|', %(scope)s::text, a.own, loose.hash, 'r', roman.hash, 'f', strangers.hash, 's', turners.hash))
        AS digest
FROM athlete a
LEFT JOIN namesakes ON NOT a.is_placeholder AND namesakes.strict_key = a.strict_key
LEFT JOIN loose ON NOT a.is_placeholder AND loose.key = a.loose_key
LEFT JOIN roman ON NOT a.is_placeholder AND roman.key = a.roman_key
LEFT JOIN strangers ON strangers.person_id = a.person_id
LEFT JOIN turners ON turners.person_id = a.person_id
"""
