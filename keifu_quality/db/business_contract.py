"""How the business database differs from what the product expects of it.

What belongs here: one statement that reads the catalogue, and every difference in words. What stays out: the
declaration (`keifu_quality.db.business_tables`), reading rows (`keifu_quality.db.business`) and write privileges
(`keifu_quality.db.business_proof`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from psycopg import sql
from sqlalchemy import Connection, text

from keifu_quality.db.business_tables import ENUMS, TABLES, ExpectedColumn
from keifu_quality.errors import BusinessContractBroken

# Types that a driver gives as the same Python value.
EQUAL_TYPES = {"text": {"text", "character varying"}, "integer": {"integer", "smallint", "bigint"}}
# Without the people there is nobody to diagnose; any other table costs only the rules that need it.
INDISPENSABLE = frozenset({"Person"})

_CATALOGUE = text("""
SELECT
    current_schema()::text AS schema,
    current_user::text AS role,
    c.relname::text AS table,
    a.attname::text AS column,
    CASE t.typtype WHEN 'e' THEN t.typname::text ELSE format_type(t.oid, NULL) END AS type,
    NOT a.attnotnull AS nullable,
    has_column_privilege(c.oid, a.attnum, 'SELECT') AS readable,
    (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid) AS labels
FROM (SELECT 1) AS always
LEFT JOIN pg_class c
    ON c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relname = ANY(:tables)
    AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_type t ON t.oid = a.atttypid
""")


class Severity(StrEnum):
    """What a difference costs: everything, the rules that need the table, or nothing yet."""

    FATAL = "fatal"
    UNAVAILABLE = "unavailable"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference; `column` is None when it concerns the whole table."""

    table: str
    column: str | None
    severity: Severity
    message: str


@dataclass(frozen=True, slots=True)
class ContractReport:
    """Every difference between what is expected and what is there."""

    differences: tuple[Difference, ...]

    def unavailable(self) -> dict[str, str]:
        """The tables that cannot be read as expected, each with why."""
        reasons: dict[str, list[str]] = {}
        for found in self.differences:
            if found.severity is not Severity.WARNING:
                reasons.setdefault(found.table, []).append(found.message)
        return {table: " ".join(messages) for table, messages in reasons.items()}

    def warnings(self) -> tuple[str, ...]:
        """The differences that keep nothing from being read."""
        return tuple(found.message for found in self.differences if found.severity is Severity.WARNING)

    def require(self) -> None:
        """Raise BusinessContractBroken, naming each fatal difference, if there is one."""
        fatal = [found.message for found in self.differences if found.severity is Severity.FATAL]
        if fatal:
            raise BusinessContractBroken("The business database cannot be read. " + " ".join(fatal))


def check_contract(connection: Connection) -> ContractReport:
    """Compare the declaration with the catalogue, in one statement, for the schema of the search path."""
    rows = connection.execute(_CATALOGUE, {"tables": list(TABLES)}).all()
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row.table is not None:
            found.setdefault(row.table, {})[row.column] = row
    schema, role = rows[0].schema, sql.Identifier(rows[0].role).as_string()
    if schema is None:
        message = (
            "The schema of TASUKI_KEIFU_BUSINESS_DATABASE_URL (?schema=, else public) does not exist "
            "or is closed to the role. "
            f"Run: GRANT USAGE ON SCHEMA public TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role};"
        )
        return ContractReport(
            tuple(Difference(table, None, Severity.FATAL, message) for table in sorted(INDISPENSABLE))
        )
    differences = [
        difference
        for table, columns in TABLES.items()
        for difference in _compare(table, columns, found.get(table), role)
    ]
    return ContractReport((*differences, *_compare_enums(found)))


def _compare(
    table: str, expected: Mapping[str, ExpectedColumn], actual: Mapping[str, Any] | None, role: str
) -> Iterator[Difference]:
    broken = Severity.FATAL if table in INDISPENSABLE else Severity.UNAVAILABLE
    if actual is None:
        yield Difference(table, None, broken, f'There is no table "{table}".')
        return
    unreadable = [name for name in expected if name in actual and not actual[name].readable]
    if unreadable:
        columns = "" if len(unreadable) == len(expected) else f" ({', '.join(unreadable)})"
        remedy = f'GRANT SELECT ON "{table}" TO {role};'
        message = f'The role {role} may not SELECT from "{table}"{columns}. Run: {remedy}'
        yield Difference(table, None, broken, message)
    for name, column in expected.items():
        if name not in actual:
            yield Difference(table, name, broken, f'The table "{table}" has no column "{name}".')
        elif actual[name].type not in EQUAL_TYPES.get(column.type, {column.type}):
            yield Difference(
                table, name, broken, f'"{table}"."{name}" has the type {actual[name].type} instead of {column.type}.'
            )
        elif actual[name].nullable and not column.nullable:
            yield Difference(table, name, Severity.WARNING, f'"{table}"."{name}" may be null, which was not so before.')


def _compare_enums(found: Mapping[str, Mapping[str, Any]]) -> Iterator[Difference]:
    seen: set[str] = set()
    for table, expected in TABLES.items():
        for name, column in expected.items():
            actual = found.get(table, {}).get(name)
            if column.type in ENUMS and column.type not in seen and actual is not None and actual.type == column.type:
                seen.add(column.type)
                yield from _compare_labels(table, name, column.type, actual.labels)


def _compare_labels(table: str, name: str, enum: str, labels: Sequence[str]) -> Iterator[Difference]:
    for label in sorted(set(labels) - ENUMS[enum]):
        message = f'The enum "{enum}" has the value {label}, which is not known here; rows with it cannot be read.'
        yield Difference(table, name, Severity.WARNING, message)
    for label in sorted(ENUMS[enum] - set(labels)):
        yield Difference(table, name, Severity.WARNING, f'The enum "{enum}" has lost the value {label}.')
