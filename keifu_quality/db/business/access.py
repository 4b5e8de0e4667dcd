"""How statements reach the business database.

Belongs here: one consistent read, a single statement outside of any transaction, and what is known of unreadable
tables. Stays out: any particular statement.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Engine

from graphs.facts import Unavailable

Rows = Sequence[tuple[Any, ...]]
Run = Callable[[str, Mapping[str, Any]], Rows]
"""Runs one statement with bound parameters and returns its rows as positional tuples."""

MISSING_TABLE = "42P01"
MISSING_COLUMN = "42703"
DENIED = "42501"
PERMANENT_SQLSTATES = frozenset({DENIED, MISSING_COLUMN, MISSING_TABLE})
"""SQLSTATE codes (PostgreSQL, appendix A) after which a statement fails for as long as nobody changes the database."""


@dataclass(frozen=True, slots=True)
class TableFault:
    """Why a table cannot be read: an SQLSTATE, and a message that names table and role and says what to do."""

    table: str
    code: str
    message: str

    def unavailable(self) -> Unavailable[Any]:
        """What stands in a snapshot in place of the rows."""
        return Unavailable(table=self.table, code=self.code, message=self.message)


Faults = Mapping[str, TableFault]
"""The tables that cannot be read, by name."""

NO_FAULTS: Faults = MappingProxyType({})


def first_fault(faults: Faults, tables: Iterable[str]) -> TableFault | None:
    """The fault of the first of these tables that has one."""
    return next((faults[table] for table in tables if table in faults), None)


@contextmanager
def consistent_read(engine: Engine) -> Iterator[Run]:
    """Statements that all see the database as it was at one moment; costs BEGIN and COMMIT besides."""
    with (
        engine.connect().execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True) as connection,
        connection.begin(),
    ):
        yield _runner(connection)


def run_single(engine: Engine, statement: str, parameters: Mapping[str, Any]) -> Rows:
    """One statement, sent without a transaction around it, so that it costs one statement."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        return _runner(connection)(statement, parameters)


def text_array(values: Iterable[str]) -> str:
    """A PostgreSQL array literal, to be bound as a parameter and cast to text[].

    The driver makes one element by element, which for thousands of ids costs more than the statement.
    """
    listed = list(values)
    if not listed:
        return "{}"
    plain = '","'.join(listed)
    # Ids hardly ever hold a quote or a backslash: two looks at the whole are cheaper than two at each.
    if "\\" in plain or plain.count('"') != 2 * (len(listed) - 1):
        plain = '","'.join(value.replace("\\", "\\\\").replace('"', '\\"') for value in listed)
    return f'{{"{plain}"}}'


def _runner(connection: Connection) -> Run:
    def run(statement: str, parameters: Mapping[str, Any]) -> Rows:
        result = connection.exec_driver_sql(statement, dict(parameters))
        # The driver's own tuples: SQLAlchemy's rows cost more than the facts that are made of them.
        cursor = result.cursor
        rows = cursor.fetchall() if cursor is not None else []
        result.close()
        return rows

    return run
