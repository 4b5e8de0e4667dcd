"""The SELECT statements of a snapshot, one a table, and the tables that each of them reads.

Belongs here: SQL text with explicit columns in the order in which `keifu_quality.db.business.rows` takes them. Every
statement takes arrays, so that its number does not depend on the number of athletes. Stays out: running them.
"""

PERSON_COLUMNS = """p.id, p.slug, p."displayNameJa", p."displayNameJaSearch", p."displayNameKana",
p."displayNameRoman", p."displayNameZh", p."displayNameEn", p."birthDate", p.hometown, p.nationality, p."heightCm",
p."weightKg", p.type, p.status, p.notes, p."createdAt", p."updatedAt\""""

SOURCE_COLUMNS = 's.id, s.name, s.type, s.reliability, s."createdAt"'

ORGANIZATION_COLUMNS = 'o.id, o.slug, o."nameJa", o.type, o."shortName", o.prefecture, o.country'

RESULT_TABLES = ("RaceResult", "Race", "CompetitionEdition", "Competition", "Organization")
MEMBERSHIP_TABLES = ("Membership", "Organization", "Source")
PERSONAL_BEST_TABLES = ("PersonalBest", "Organization", "Source")
NAME_VARIANT_TABLES = ("NameVariant", "Source")
REFERENCE_TABLES = ("SourceReference", "Source")
CACHE_TABLES = ("PlayerRelationCache",)
MERGE_TABLES = ("AuditLog",)
LEFTOVER_TABLES = ("AuditLog", "ImportBatch")

PERSONS = f"""
SELECT {PERSON_COLUMNS}
FROM "Person" p
WHERE p.id = ANY(%(ids)s::text[])
"""

# The payload is turned into text once, and a giant stays on the server.
PERSONS_WITH_CACHES = f"""
SELECT {PERSON_COLUMNS},
    c.id, c.bytes, c.payload, c."generatedAt", c."sourceHash", c."updatedAt"
FROM "Person" p
LEFT JOIN LATERAL (
    SELECT t.id, t.bytes, CASE WHEN t.bytes <= %(payload_limit)s THEN t.text END AS payload,
        t."generatedAt", t."sourceHash", t."updatedAt"
    FROM (
        SELECT c.id, c.payload::text AS text, octet_length(c.payload::text) AS bytes,
            c."generatedAt", c."sourceHash", c."updatedAt"
        FROM "PlayerRelationCache" c
        WHERE c."personId" = p.id AND p.id = ANY(%(diagnosed)s::text[])
    ) t
) c ON true
WHERE p.id = ANY(%(ids)s::text[])
"""

MEMBERSHIPS = f"""
SELECT m."personId", m.id, m.type, m.role, m."startDate", m."endDate", m."startYear", m."endYear", m.cohort, m.status,
    m.notes, m."createdAt", m."updatedAt", m.faculty, m.department, {ORGANIZATION_COLUMNS}, {SOURCE_COLUMNS}
FROM "Membership" m
JOIN "Organization" o ON o.id = m."organizationId"
LEFT JOIN "Source" s ON s.id = m."sourceId"
WHERE m."personId" = ANY(%(ids)s::text[])
ORDER BY m.id
"""

PERSONAL_BESTS = f"""
SELECT b."personId", b.id, b.discipline, b.mark, b."markMillis", b."achievedOn", b."competitionName", b.venue,
    b."organizationId", o.id IS NOT NULL, b.stage, b."isHighSchoolPb", b."isCollegePb", b.status, b.notes,
    b."createdAt", b."updatedAt", {SOURCE_COLUMNS}
FROM "PersonalBest" b
LEFT JOIN "Organization" o ON o.id = b."organizationId"
LEFT JOIN "Source" s ON s.id = b."sourceId"
WHERE b."personId" = ANY(%(ids)s::text[])
ORDER BY b.id
"""

RESULTS = f"""
SELECT r."personId", r.id, r."isEntry", r."isStarter", r.mark, r."markMillis", r.rank, r."gradeAtRace", r.status,
    r.notes, r."sourceId", r."createdAt", r."updatedAt",
    a.id, a.slug, a.name, a.discipline, a.leg, a.round, a.heat, a."distanceMeters", a."startsAt",
    e.id, e.slug, e."officialName", e.year, e."editionNumber", e."startsOn",
    c.id, c.slug, c."nameJa", c.type, GREATEST(a."updatedAt", e."updatedAt", c."updatedAt"), {ORGANIZATION_COLUMNS}
FROM "RaceResult" r
JOIN "Race" a ON a.id = r."raceId"
JOIN "CompetitionEdition" e ON e.id = a."competitionEditionId"
JOIN "Competition" c ON c.id = e."competitionId"
LEFT JOIN "Organization" o ON o.id = r."organizationId"
WHERE r."personId" = ANY(%(ids)s::text[])
ORDER BY r.id
"""

NAME_VARIANTS = f"""
SELECT v."personId", v."organizationId", v.id, v.value, v.type, v.language, {SOURCE_COLUMNS}
FROM "NameVariant" v
LEFT JOIN "Source" s ON s.id = v."sourceId"
WHERE v."personId" = ANY(%(ids)s::text[]) OR v."organizationId" = ANY(%(organizations)s::text[])
ORDER BY v.id
"""

SOURCE_REFERENCES = f"""
SELECT f."personId", f.id, f."sourceEntityType", f."sourceEntityKey", f.metadata->>'displayNameJa',
    f.metadata->>'displayNameKana', f.metadata->>'displayNameRoman', f."updatedAt", {SOURCE_COLUMNS}
FROM "SourceReference" f
JOIN "Source" s ON s.id = f."sourceId"
WHERE f."personId" = ANY(%(ids)s::text[])
ORDER BY f.id
"""

# A merge is recorded with the action `merge`, or under a person with the merged slug in its old value. The site's own
# scripts disagree on the names of the fields.
MERGES = """
SELECT t.id, t.merged_slug, t.merged_id, t.canonical_id, t."createdAt", p.slug
FROM (
    SELECT a.id, a."createdAt",
        COALESCE(a."oldValue"->>'mergedPersonSlug', a."oldValue"->>'dropSlug',
            a.metadata->>'mergedPersonSlug', a.metadata->>'dropSlug') AS merged_slug,
        COALESCE(a."oldValue"->>'mergedPersonId', a."oldValue"->>'dropPersonId', a."oldValue"->>'dropId',
            a.metadata->>'mergedPersonId', a.metadata->>'dropPersonId', a.metadata->>'dropId') AS merged_id,
        COALESCE(a."newValue"->>'canonicalPersonId', a."newValue"->>'keepPersonId', a."newValue"->>'keepId',
            a.metadata->>'canonicalPersonId', a.metadata->>'keepPersonId', a.metadata->>'keepId',
            a."entityId") AS canonical_id
    FROM "AuditLog" a
    WHERE a.action = 'merge' OR a."entityType" = 'Person'
) t
LEFT JOIN "Person" p ON p.id = t.canonical_id
WHERE (t.merged_slug IS NOT NULL OR t.merged_id IS NOT NULL)
    AND (t.merged_slug = ANY(%(diagnosed_slugs)s::text[]) OR t.merged_id = ANY(%(gone)s::text[])
        OR t.canonical_id = ANY(%(diagnosed)s::text[]))
ORDER BY t."createdAt", t.id
"""

# The parts of the one statement on what surrounds the athletes. Each gives: kind, first key, second key, time, count,
# people.
PEOPLE_OF_RACES = """
SELECT 'race', r."raceId", NULL, NULL::timestamp, 0::bigint, array_agg(r."personId")
FROM "RaceResult" r
WHERE r."raceId" = ANY(%(races)s::text[])
GROUP BY r."raceId"
"""

CHANGES_OF_OTHERS = """
SELECT 'others', own."personId", NULL, max(GREATEST(r."createdAt", r."updatedAt")), 0::bigint, NULL::text[]
FROM "RaceResult" own
JOIN "RaceResult" r ON r."raceId" = own."raceId" AND r."personId" <> own."personId"
WHERE own."personId" = ANY(%(cached)s::text[])
GROUP BY own."personId"
"""

RELATED_PEOPLE = """
SELECT 'related', p.id, NULL, max(m."updatedAt"), 0::bigint, NULL::text[]
FROM "Person" p
LEFT JOIN "Membership" m ON m."personId" = p.id
WHERE p.id = ANY(%(related)s::text[])
GROUP BY p.id
"""

# An import deletes and makes anew every row of its race, so the newest row belongs to the last one, and a race whose
# rows are all of one time holds no older ones. A failed run may not have come to all of its rows: only completed ones
# count.
LAST_IMPORTS = """
SELECT 'import', mixed."raceId", b."sourceId", max(b."startedAt"), 0::bigint, NULL::text[]
FROM (
    SELECT r."raceId", max(r."createdAt") AS newest_at
    FROM "RaceResult" r
    WHERE r."raceId" = ANY(%(imported_races)s::text[])
        AND EXISTS (SELECT FROM "ImportBatch" d WHERE d.status = 'completed' AND d."startedAt" IS NOT NULL)
    GROUP BY r."raceId"
    HAVING min(r."createdAt") < max(r."createdAt")
) mixed
CROSS JOIN LATERAL (
    SELECT r.id
    FROM "RaceResult" r
    WHERE r."raceId" = mixed."raceId" AND r."createdAt" = mixed.newest_at
    ORDER BY r.id
    LIMIT 1
) newest
JOIN "AuditLog" a ON a."entityType" = 'RaceResult' AND a."entityId" = newest.id
JOIN "ImportBatch" b ON b.id = a."batchId"
WHERE b.status = 'completed' AND b."startedAt" IS NOT NULL
GROUP BY mixed."raceId", b."sourceId"
"""

BIRTH_DATES = """
SELECT 'birth_date', NULL, NULL, p."birthDate"::date::timestamp, count(*), NULL::text[]
FROM "Person" p
WHERE p."birthDate"::date = ANY(%(birth_dates)s::date[])
GROUP BY p."birthDate"::date
"""

BIRTH_DAYS_OF_ARCHIVE = """
SELECT 'birth_day', '', to_char(p."birthDate", 'MM-DD'), NULL::timestamp, count(*), NULL::text[]
FROM "Person" p
WHERE p."birthDate" IS NOT NULL
GROUP BY to_char(p."birthDate", 'MM-DD')
"""

BIRTH_DAYS_BY_SOURCES = """
SELECT 'birth_day', peer.sources, to_char(p."birthDate", 'MM-DD'), NULL::timestamp, count(*), NULL::text[]
FROM (
    SELECT DISTINCT wanted.sources, f."personId"
    FROM unnest(%(source_sets)s::text[], %(source_ids)s::text[]) AS wanted (sources, source_id)
    JOIN "SourceReference" f ON f."sourceId" = wanted.source_id
) peer
JOIN "Person" p ON p.id = peer."personId"
WHERE p."birthDate" IS NOT NULL
GROUP BY peer.sources, to_char(p."birthDate", 'MM-DD')
"""

# Other athletes who moved between the same two teams about when the athlete did. Comparisons, not differences: a date
# may be infinite, which cannot be subtracted.
TEAM_MOVES = """
SELECT 'move', wanted.number::text, NULL, NULL::timestamp, count(DISTINCT l."personId"), NULL::text[]
FROM unnest(%(move_numbers)s::int[], %(move_people)s::text[], %(move_from)s::text[], %(move_to)s::text[],
    %(move_ends)s::date[]) AS wanted (number, person_id, from_id, to_id, day)
JOIN "Membership" l ON l."organizationId" = wanted.from_id AND l."personId" <> wanted.person_id AND l.role = 'athlete'
JOIN "Membership" j ON j."personId" = l."personId" AND j."organizationId" = wanted.to_id AND j.role = 'athlete'
CROSS JOIN LATERAL (
    SELECT COALESCE(l."endDate"::date,
            CASE WHEN l."endYear" BETWEEN 1 AND 9999 THEN make_date(l."endYear", 3, 31) END) AS leaves,
        COALESCE(j."startDate"::date,
            CASE WHEN j."startYear" BETWEEN 1 AND 9999 THEN make_date(j."startYear", 4, 1) END) AS joins
) other
WHERE other.joins BETWEEN other.leaves - 40 AND other.leaves + 40
    AND other.joins BETWEEN wanted.day - 40 AND wanted.day + 40
GROUP BY wanted.number
"""
