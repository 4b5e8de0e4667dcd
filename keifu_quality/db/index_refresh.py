"""Bringing the index of athletes up to date with the business database.

Belongs here: the digest that tells whether any name changed, the pull of all names, and the set-based write. Stays
out: keys (`keifu_quality.db.index_rows`) and searching (`keifu_quality.db.athlete_index`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine

from keifu_quality.db.agent import KEY_COLUMNS, NameKind
from keifu_quality.db.business.access import Faults, run_single
from keifu_quality.db.copying import copy_rows
from keifu_quality.db.index_rows import ArchivePerson, keys_version, name_rows, person_row

Progress = Callable[[int, int], None]
"""Told how many athletes of how many have their keys."""

PROGRESS_STEP = 1_000

ATHLETES_PER_COPY = 5_000
"""A COPY lasts as long as the keys of its athletes take, and no statement may exceed KEIFU_STATEMENT_TIMEOUT_MS."""

ADVISORY_LOCK = 0x6B65_6966_0001
"""`keif` and a number: one refresh at a time, whatever process it runs in."""

# Order-independent: a sum of one hash a row. PostgreSQL's own hash of a record takes nulls and borders into account.
PERSON_HASHES = """
SELECT 1 AS athletes, hash_record_extended(ROW(p.id, p.slug, p."displayNameJa", p."displayNameKana",
    p."displayNameRoman", p."displayNameEn", p."displayNameZh"), 0) AS hash
FROM "Person" p
"""
VARIANT_HASHES = """
SELECT 0, hash_record_extended(ROW(v."personId", v.value), 1)
FROM "NameVariant" v
WHERE v."personId" IS NOT NULL
"""
DIGEST = "SELECT COALESCE(sum(athletes), 0)::bigint, COALESCE(sum(hash), 0)::text FROM ({hashes}) row_hashes"

NAMES = """
SELECT p.id, p.slug, p."displayNameJa", p."displayNameKana", p."displayNameRoman", p."displayNameEn", p."displayNameZh",
    {variants}
FROM "Person" p
"""
VARIANT_VALUES = '(SELECT array_agg(v.value) FROM "NameVariant" v WHERE v."personId" = p.id)'

STORED_PEOPLE = """
SELECT i.person_id, i.person_slug, i.display_name_ja, n.kinds, n.texts
FROM athlete_index i
LEFT JOIN (
    SELECT person_id, array_agg(kind) AS kinds, array_agg(value) AS texts FROM athlete_names GROUP BY person_id
) n ON n.person_id = i.person_id
"""

DISPLAY_KINDS = (NameKind.KANA, NameKind.ROMAN, NameKind.ENGLISH, NameKind.CHINESE)

# All rows at once and in the order of ids, as chunks of diagnoses take them: otherwise each could wait for the other.
HOLD = """
SELECT FROM athlete_index
WHERE person_id IN (SELECT person_id FROM incoming_athlete_index UNION ALL SELECT person_id FROM outgoing_people)
ORDER BY person_id
FOR UPDATE
"""

UPSERT = """
INSERT INTO athlete_index ({columns})
SELECT {columns} FROM incoming_athlete_index ORDER BY person_id
ON CONFLICT (person_id) DO UPDATE SET {updates}
"""

INDEX_COLUMNS = ("person_id", "person_slug", "display_name_ja", *KEY_COLUMNS, "is_placeholder")
NAME_COLUMNS = ("person_id", "kind", "value", *KEY_COLUMNS)


@dataclass(frozen=True, slots=True)
class IndexRefresh:
    """What a refresh did, in athletes. `up_to_date` means that the digest was equal and nothing was read or
    written."""

    athletes: int
    added: int = 0
    changed: int = 0
    removed: int = 0
    up_to_date: bool = False


def refresh_index(agent: Engine, business: Engine, *, faults: Faults, progress: Progress | None = None) -> IndexRefresh:
    """Makes the index equal to the names of the archive; costs one statement on it when no name changed.

    The digest is taken before the names are read, so a change in between is found by the next refresh.
    """
    variants_readable = "NameVariant" not in faults
    athletes, digest = _names_digest(business, variants_readable=variants_readable)
    with agent.begin() as connection:
        if _stored_digest(connection) == digest:
            return IndexRefresh(athletes, up_to_date=True)
        _wait_for_others(connection)
        stored_digest = _stored_digest(connection)
        if stored_digest == digest:
            return IndexRefresh(athletes, up_to_date=True)
        people = _archive_people(business, variants_readable=variants_readable)
        same_keys = stored_digest is not None and stored_digest.startswith(keys_version())
        stored = _stored_people(connection)
        differing = [
            person
            for person_id, person in people.items()
            if not same_keys or stored.get(person_id) != (person.slug, person.display_name, person.all_names())
        ]
        removed = stored.keys() - people.keys()
        _write(connection, differing, removed, progress)
        connection.exec_driver_sql(
            "INSERT INTO athlete_index_state (id, names_digest, athlete_count, refreshed_at) "
            "VALUES (1, %(digest)s, %(count)s, now()) ON CONFLICT (id) DO UPDATE "
            "SET names_digest = EXCLUDED.names_digest, athlete_count = EXCLUDED.athlete_count, "
            "refreshed_at = EXCLUDED.refreshed_at",
            {"digest": digest, "count": len(people)},
        )
    added = sum(person.person_id not in stored for person in differing)
    return IndexRefresh(len(people), added=added, changed=len(differing) - added, removed=len(removed))


def _wait_for_others(connection: Connection) -> None:
    """Waits for as long as another process takes; the first refresh of a large roster outlasts any usual limit."""
    connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
    connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(key)s)", {"key": ADVISORY_LOCK})
    connection.exec_driver_sql("SET LOCAL statement_timeout TO DEFAULT")


def _names_digest(business: Engine, *, variants_readable: bool) -> tuple[int, str]:
    hashes = f"{PERSON_HASHES} UNION ALL {VARIANT_HASHES}" if variants_readable else PERSON_HASHES
    [(athletes, total)] = run_single(business, DIGEST.format(hashes=hashes), {})
    return athletes, f"{keys_version()}:{'all' if variants_readable else 'display'}:{athletes}:{total}"


def _stored_digest(connection: Connection) -> str | None:
    return connection.exec_driver_sql("SELECT names_digest FROM athlete_index_state").scalar()


def _archive_people(business: Engine, *, variants_readable: bool) -> Mapping[str, ArchivePerson]:
    statement = NAMES.format(variants=VARIANT_VALUES if variants_readable else "NULL::text[]")
    return {row[0]: _archive_person(row) for row in run_single(business, statement, {})}


def _archive_person(row: Sequence[Any]) -> ArchivePerson:
    person_id, slug, display_name, *others, variants = row
    names = {(kind, value) for kind, value in zip(DISPLAY_KINDS, others, strict=True) if value}
    names |= {(NameKind.VARIANT, value) for value in variants or ()}
    return ArchivePerson(person_id, slug, display_name, frozenset(names))


def _stored_people(connection: Connection) -> Mapping[str, tuple[str, str, frozenset[tuple[NameKind, str]]]]:
    rows = connection.exec_driver_sql(STORED_PEOPLE)
    return {
        person_id: (slug, name, frozenset(zip(map(NameKind, kinds or ()), texts or (), strict=True)))
        for person_id, slug, name, kinds, texts in rows
    }


def _write(
    connection: Connection, people: Sequence[ArchivePerson], removed: Iterable[str], progress: Progress | None
) -> None:
    for table in ("athlete_index", "athlete_names"):
        connection.exec_driver_sql(
            f"CREATE TEMP TABLE incoming_{table} ON COMMIT DROP AS SELECT * FROM {table} WITH NO DATA"
        )
    connection.exec_driver_sql("CREATE TEMP TABLE outgoing_people (person_id text PRIMARY KEY) ON COMMIT DROP")
    for start in range(0, len(people), ATHLETES_PER_COPY):
        part = people[start : start + ATHLETES_PER_COPY]
        rows = _told(part, start, len(people), progress)
        copy_rows(connection, "incoming_athlete_index", INDEX_COLUMNS, rows)
        copy_rows(
            connection, "incoming_athlete_names", NAME_COLUMNS, (row for person in part for row in name_rows(person))
        )
    copy_rows(connection, "outgoing_people", ("person_id",), ((person_id,) for person_id in sorted(removed)))
    connection.exec_driver_sql(HOLD)
    updates = ", ".join(f"{column} = EXCLUDED.{column}" for column in INDEX_COLUMNS[1:])
    index_columns, name_columns = ", ".join(INDEX_COLUMNS), ", ".join(NAME_COLUMNS)
    for statement in (
        UPSERT.format(columns=index_columns, updates=updates),
        "DELETE FROM athlete_names n USING incoming_athlete_index i WHERE n.person_id = i.person_id",
        f"INSERT INTO athlete_names ({name_columns}) SELECT {name_columns} FROM incoming_athlete_names",
        "DELETE FROM athlete_names n USING outgoing_people o WHERE n.person_id = o.person_id",
        "DELETE FROM athlete_index i USING outgoing_people o WHERE i.person_id = o.person_id",
    ):
        connection.exec_driver_sql(statement)


def _told(
    people: Sequence[ArchivePerson], before: int, total: int, progress: Progress | None
) -> Iterable[Sequence[Any]]:
    for done, person in enumerate(people, start=before + 1):
        yield person_row(person)
        if progress is not None and (done % PROGRESS_STEP == 0 or done == total):
            progress(done, total)
