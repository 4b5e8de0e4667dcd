"""Whether the archive still holds the very rows that digests were once taken of.

Belongs here: one statement that names the state of every table that digests read, without reading what its rows say.
PostgreSQL gives each stored version of a row a place (`ctid`) and the transaction that wrote it (`xmin`), those of its
own catalogue included. As long as one server runs, equal sums over both mean that nobody wrote a row or changed a
column or a label; this costs a tenth of the digests. Stays out: the digests themselves
(`keifu_quality.db.content_digests`), and what equal states lead to (`keifu_quality.db.known_digests`).
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from sqlalchemy import Engine

from keifu_quality.db.business.access import run_single
from keifu_quality.db.content_digests import PARTS, DigestScope

# Only PostgreSQL's heap keeps place and writer of every row version; views, foreign tables and other storage do not,
# and the parent of others may have such children.
ARE_IN_HEAPS = """
SELECT count(*) = cardinality(%(tables)s::text[])
FROM unnest(%(tables)s::text[]) AS wanted (name)
JOIN pg_class c ON c.oid = to_regclass(quote_ident(wanted.name))
JOIN pg_am m ON m.oid = c.relam
WHERE c.relkind = 'r' AND NOT c.relhassubclass AND m.amname = 'heap' AND has_table_privilege(c.oid, 'SELECT')
"""

# A server that was restored, copied or set back while it was down may number its transactions as another did before.
STATE = """
SELECT concat_ws(', ', extract(epoch FROM pg_postmaster_start_time()),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    (SELECT sum(hash_record_extended(ROW(a.attrelid, a.attnum, a.xmin), 0))
        FROM unnest(%(tables)s::text[]) AS wanted (name)
        JOIN pg_attribute a ON a.attrelid = to_regclass(quote_ident(wanted.name))
        WHERE a.attnum > 0),
    (SELECT sum(hash_record_extended(ROW(e.oid, e.xmin), 0)) FROM pg_enum e),
    (SELECT string_agg(concat_ws(' ', name, rows, hash), ', ' ORDER BY name) FROM ({tables}) state (name, rows, hash)))
"""
STATE_OF_TABLE = """
SELECT '{table}', count(*), sum(hash_record_extended(ROW(t.tableoid, t.ctid, t.xmin{more}), 0))
FROM "{table}" t
CROSS JOIN (SELECT %(day)s::timestamp AS day) today
"""

DAYS_OF_TODAY: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "Membership": ('t."startDate" > today.day', 't."endDate" < today.day'),
        "Person": ('t."birthDate" > today.day',),
        "PersonalBest": ('t."achievedOn" > today.day',),
    }
)
"""On which side of today a date lies is a part of the digests, so a day that goes by may change the state."""

TABLES: Sequence[str] = sorted({"Person", "AuditLog", "ImportBatch"}.union(*(tables for _, tables in PARTS)))


def archive_state(engine: Engine, scope: DigestScope) -> str | None:
    """What is equal for as long as no digest of this scope can have changed; None where that cannot be told."""
    tables = [table for table in TABLES if table not in scope.faults]
    if not run_single(engine, ARE_IN_HEAPS, {"tables": tables})[0][0]:
        return None
    statement = STATE.format(tables=" UNION ALL ".join(map(_state_of, tables)))
    return run_single(engine, statement, {"day": scope.day, "tables": tables})[0][0]


def _state_of(table: str) -> str:
    more = "".join(f", {side}" for side in DAYS_OF_TODAY.get(table, ()))
    return STATE_OF_TABLE.format(table=table, more=more)
