"""The digest of all that the rules read of an athlete, computed by the business database.

Belongs here: one statement over the whole archive that gives a row an athlete: id, digest, signals. Rows are hashed
where they lie; what leaves the server is some fifty bytes an athlete. Stays out: what is known in the agent database
alone (namesakes, judgements), and what a differing digest leads to (`keifu_quality.db.sweeps`).

What a digest covers: the athlete's own rows in every table with the organizations, sources, races, editions and
competitions that they name; who else is in the athlete's races, and for athletes with a relation cache when their rows
changed; when each race was last imported; stays of others at the corporate teams between which the athlete moved; how
many share its birth date; merges into it or of its slug; and on which side of today each of its dates lies. `day` adds
the month, which stands for the ages and years that rules count.

What it does not cover: how crowded a day of birth is among people of one source, the stays of people that a relation
cache names outside the athlete's races, and results of candidates' opponents. A full sweep sees those.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

import psycopg
from psycopg.abc import Buffer
from sqlalchemy import Engine

from keifu_quality.db.business.access import Faults, first_fault, text_array

DIGEST_VERSION = 1
"""Raised when what a digest covers changes, so that no stored one is equal to a new one."""

SEVERAL_CURRENT_MEMBERSHIPS = 1
UNMARKED_DUPLICATE_BESTS = 2
"""Bits of the signals that say whom to diagnose first."""

SORT_IN_MEMORY = "SET LOCAL work_mem = '64MB'; SET LOCAL jit = off"
"""With the stock 4 MB the statement spends most of its time in temporary files."""

# A hash of a record takes nulls and borders into account. Sums of them do not depend on the order of rows; the seed
# keeps rows of different tables apart. Labels of enums are hashed as text: their own hash is that of an object id.
COMMON = """
source AS MATERIALIZED (
    SELECT s.id, hash_record_extended(ROW(s.name, s.type::text, s.reliability, s."createdAt"), 1) AS hash
    FROM "Source" s
), organization AS MATERIALIZED (
    SELECT o.id, o.type = 'corporate_team' AS is_corporate, hash_record_extended(ROW(o.slug, o."nameJa", o.type::text,
        o."shortName", o.prefecture, o.country, {organization_names}), 2) AS hash
    FROM "Organization" o
)"""
ORGANIZATION_NAMES = """(SELECT sum(hash_record_extended(ROW(v.value, v.type::text), 3))
        FROM "NameVariant" v WHERE v."organizationId" = o.id)"""

FIELDS = """
field AS MATERIALIZED (
    SELECT f.id, f.changes, hash_record_extended(ROW(a.slug, a.name, a.discipline::text, a.leg, a.round, a.heat,
        a."distanceMeters", a."startsAt", e.id, e.slug, e."officialName", e.year, e."editionNumber", e."startsOn", c.id,
        c.slug, c."nameJa", c.type::text, GREATEST(a."updatedAt", e."updatedAt", c."updatedAt"), f.people,
        f.oldest, f.newest, {last_import}), 4) AS hash
    FROM (
        SELECT r."raceId" AS id, sum(hashtextextended(r."personId", 5)) AS people, min(r."createdAt") AS oldest,
            max(r."createdAt") AS newest,
            sum(hash_record_extended(ROW(r."personId", r."createdAt", r."updatedAt"), 6)) AS changes
        FROM "RaceResult" r
        WHERE {only.their_races}
        GROUP BY r."raceId"
    ) f
    JOIN "Race" a ON a.id = f.id
    JOIN "CompetitionEdition" e ON e.id = a."competitionEditionId"
    JOIN "Competition" c ON c.id = e."competitionId"
)"""
LAST_IMPORT = """(SELECT sum(hash_record_extended(ROW(b."sourceId", b."startedAt"), 7))
        FROM "AuditLog" l JOIN "ImportBatch" b ON b.id = l."batchId"
        WHERE f.oldest < f.newest AND b.status = 'completed' AND l."entityType" = 'RaceResult' AND l."entityId" = (
            SELECT r.id FROM "RaceResult" r WHERE r."raceId" = f.id ORDER BY r."createdAt" DESC LIMIT 1))"""

PEOPLE = """
SELECT p.id, hash_record_extended(ROW(p.slug, p."displayNameJa", p."displayNameJaSearch", p."displayNameKana",
    p."displayNameRoman", p."displayNameZh", p."displayNameEn", p."birthDate", p.hometown, p.nationality, p."heightCm",
    p."weightKg", p.type::text, p.status::text, p.notes, p."createdAt", p."updatedAt", p."birthDate" > today.day,
    born.people), 10), 0
FROM "Person" p
CROSS JOIN today
LEFT JOIN (
    SELECT p."birthDate"::date AS day, count(*) AS people
    FROM "Person" p
    WHERE p."birthDate" IS NOT NULL
    GROUP BY p."birthDate"::date
) born ON born.day = p."birthDate"::date
WHERE {only[p.id]}
"""
MEMBERSHIPS = """
SELECT m."personId", sum(hash_record_extended(ROW(m.id, m.type::text, m.role::text, m."startDate", m."endDate",
        m."startYear", m."endYear", m.cohort, m.status::text, m.notes, m."createdAt", m."updatedAt", m.faculty,
        m.department, o.hash, s.hash, m."startDate" > today.day, m."endDate" < today.day), 11)),
    CASE WHEN count(*) FILTER (WHERE m.role = 'athlete' AND m."endDate" IS NULL AND m."endYear" IS NULL
        AND m.type IN ('enrolled', 'affiliated')) > 1 THEN 1 ELSE 0 END
FROM "Membership" m
JOIN organization o ON o.id = m."organizationId"
LEFT JOIN source s ON s.id = m."sourceId"
CROSS JOIN today
WHERE {only[m."personId"]}
GROUP BY m."personId"
"""
TEAM_MOVES = """
SELECT moved."personId", sum(team.hash), 0
FROM (
    SELECT m."personId", unnest(array_agg(DISTINCT m."organizationId")) AS team
    FROM "Membership" m
    JOIN organization o ON o.id = m."organizationId" AND o.is_corporate
    WHERE m.role = 'athlete' AND {only[m."personId"]}
    GROUP BY m."personId"
    HAVING count(DISTINCT m."organizationId") > 1
) moved
JOIN (
    SELECT m."organizationId" AS id, sum(hash_record_extended(ROW(m."personId", m."startDate", m."endDate",
        m."startYear", m."endYear"), 12)) AS hash
    FROM "Membership" m
    JOIN organization o ON o.id = m."organizationId" AND o.is_corporate
    WHERE m.role = 'athlete' AND {only.their_teams}
    GROUP BY m."organizationId"
) team ON team.id = moved.team
GROUP BY moved."personId"
"""
PERSONAL_BESTS = """
SELECT b."personId", sum(b.hash), bit_or(b.signals)
FROM (
    SELECT b."personId", hash_record_extended(ROW(b.id, b.discipline::text, b.mark, b."markMillis", b."achievedOn",
            b."competitionName", b.venue, b."organizationId", o.id IS NOT NULL, b.stage, b."isHighSchoolPb",
            b."isCollegePb", b.status::text, b.notes, b."createdAt", b."updatedAt", s.hash, b."achievedOn" > today.day),
            13) AS hash,
        CASE WHEN count(*) FILTER (WHERE b.status <> 'conflicting') OVER (PARTITION BY b."personId", b.discipline) > 1
            THEN 2 ELSE 0 END AS signals
    FROM "PersonalBest" b
    LEFT JOIN organization o ON o.id = b."organizationId"
    LEFT JOIN source s ON s.id = b."sourceId"
    CROSS JOIN today
    WHERE {only[b."personId"]}
) b
GROUP BY b."personId"
"""
RESULTS = """
SELECT r."personId", sum(hash_record_extended(ROW(r.id, r."isEntry", r."isStarter", r.mark, r."markMillis", r.rank,
    r."gradeAtRace", r.status::text, r.notes, r."sourceId", r."createdAt", r."updatedAt", f.hash, o.hash), 14)), 0
FROM "RaceResult" r
JOIN field f ON f.id = r."raceId"
LEFT JOIN organization o ON o.id = r."organizationId"
WHERE {only[r."personId"]}
GROUP BY r."personId"
"""
RELATION_CACHES = """
SELECT c."personId", hash_record_extended(ROW(c.id, jsonb_hash_extended(c.payload, 0), c."generatedAt", c."sourceHash",
    c."updatedAt", (SELECT sum(f.changes) FROM "RaceResult" r JOIN field f ON f.id = r."raceId"
        WHERE r."personId" = c."personId")), 15), 0
FROM "PlayerRelationCache" c
WHERE {only[c."personId"]}
"""
NAME_VARIANTS = """
SELECT v."personId", sum(hash_record_extended(ROW(v.id, v.value, v.type::text, v.language, s.hash), 16)), 0
FROM "NameVariant" v
LEFT JOIN source s ON s.id = v."sourceId"
WHERE v."personId" IS NOT NULL AND {only[v."personId"]}
GROUP BY v."personId"
"""
SOURCE_REFERENCES = """
SELECT f."personId", sum(hash_record_extended(ROW(f.id, f."sourceEntityType", f."sourceEntityKey",
    f.metadata->>'displayNameJa', f.metadata->>'displayNameKana', f.metadata->>'displayNameRoman', f."updatedAt",
    s.hash), 17)), 0
FROM "SourceReference" f
JOIN source s ON s.id = f."sourceId"
WHERE f."personId" IS NOT NULL AND {only[f."personId"]}
GROUP BY f."personId"
"""
MERGES = """
SELECT p.id, sum(hash_record_extended(ROW(a.id, a."entityId", jsonb_hash_extended(a."oldValue", 0),
    jsonb_hash_extended(a."newValue", 0), jsonb_hash_extended(a.metadata, 0), a."createdAt"), 18)), 0
FROM "AuditLog" a
JOIN "Person" p ON p.id IN (a."entityId", a."newValue"->>'canonicalPersonId', a."newValue"->>'keepPersonId',
        a."newValue"->>'keepId', a.metadata->>'canonicalPersonId', a.metadata->>'keepPersonId', a.metadata->>'keepId')
    OR p.slug IN (a."oldValue"->>'mergedPersonSlug', a."oldValue"->>'dropSlug', a.metadata->>'mergedPersonSlug',
        a.metadata->>'dropSlug')
WHERE {only[p.id]} AND (a.action = 'merge' OR (a."entityType" = 'Person' AND (
    a."oldValue" ?| ARRAY['mergedPersonSlug', 'dropSlug', 'mergedPersonId', 'dropPersonId', 'dropId']
    OR a.metadata ?| ARRAY['mergedPersonSlug', 'dropSlug', 'mergedPersonId', 'dropPersonId', 'dropId'])))
GROUP BY p.id
"""

RESULT_TABLES = ("RaceResult", "Race", "CompetitionEdition", "Competition", "Organization", "Source")
PARTS: Sequence[tuple[str, Sequence[str]]] = (
    (MEMBERSHIPS, ("Membership", "Organization", "Source")),
    (TEAM_MOVES, ("Membership", "Organization", "Source")),
    (PERSONAL_BESTS, ("PersonalBest", "Organization", "Source")),
    (RESULTS, RESULT_TABLES),
    (RELATION_CACHES, ("PlayerRelationCache", *RESULT_TABLES)),
    (NAME_VARIANTS, ("NameVariant", "Organization", "Source")),
    (SOURCE_REFERENCES, ("SourceReference", "Organization", "Source")),
    (MERGES, ("AuditLog",)),
)
"""The parts besides the profile, and the tables without which each is left out."""


@dataclass(frozen=True, slots=True)
class DigestScope:
    """What a digest is taken of: the day in Japan whose findings it stands for, and the tables that cannot be read."""

    day: date
    faults: Faults

    def identity(self) -> str:
        """What must be equal for two digests to be comparable: version, month, unreadable tables."""
        return f"{DIGEST_VERSION}:{self.day:%Y-%m}:{','.join(sorted(self.faults))}"


@contextmanager
def open_digests(
    engine: Engine, scope: DigestScope, *, person_ids: Collection[str] | None = None
) -> Iterator[Iterator[Buffer]]:
    """Digests of these athletes, or of all, in blocks of PostgreSQL's COPY text: person id, digest (bigint), signals.

    One statement, so that all of them are of one moment. The blocks are there for as long as the context is open.
    """
    parameters: dict[str, Any] = {"day": scope.day}
    if person_ids is not None:
        parameters["ids"] = text_array(person_ids)
    statement = _statement(scope.faults, only=_Everybody() if person_ids is None else _Some())
    with engine.connect() as connection, connection.begin():
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection), "the engines use psycopg 3"  # noqa: S101
        with driver.cursor() as cursor:
            cursor.execute(SORT_IN_MEMORY)
            with cursor.copy(f"COPY ({statement}) TO STDOUT".encode(), parameters) as copy:
                yield iter(copy)


class _Everybody:
    """The conditions of a statement over the whole archive."""

    their_races = "true"
    their_teams = "true"

    def __getitem__(self, column: str) -> str:
        """The condition on the column that holds the athlete's id."""
        return "true"


class _Some(_Everybody):
    """The conditions of a statement over the athletes whose ids are the parameter `ids`."""

    their_races = """r."raceId" IN (
            SELECT own."raceId" FROM "RaceResult" own WHERE own."personId" = ANY(%(ids)s::text[]))"""
    their_teams = """m."organizationId" IN (
            SELECT own."organizationId" FROM "Membership" own WHERE own."personId" = ANY(%(ids)s::text[]))"""

    def __getitem__(self, column: str) -> str:
        """The condition on the column that holds the athlete's id."""
        return f"{column} = ANY(%(ids)s::text[])"


def _statement(faults: Faults, *, only: _Everybody) -> str:
    def readable(*tables: str) -> bool:
        return first_fault(faults, tables) is None

    common = ["today AS (SELECT %(day)s::timestamp AS day)"]
    if readable("Organization", "Source"):
        names = ORGANIZATION_NAMES if readable("NameVariant") else "NULL::numeric"
        common.append(COMMON.format(organization_names=names))
    if readable(*RESULT_TABLES):
        imports = LAST_IMPORT if readable("AuditLog", "ImportBatch") else "NULL::numeric"
        common.append(FIELDS.format(last_import=imports, only=only))
    parts = [PEOPLE, *(part for part, tables in PARTS if readable(*tables))]
    return (
        f"WITH {', '.join(common)} SELECT person_id, hashtextextended(sum(hash)::text, 0), bit_or(signals) "
        f"FROM ({' UNION ALL '.join(parts).format(only=only)}) part (person_id, hash, signals) GROUP BY person_id"
    )
