"""Writing many rows at once, with COPY inside the caller's transaction."""

from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from psycopg import sql
from psycopg.abc import Buffer
from sqlalchemy import Connection


def copy_rows(connection: Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes rows, whose values stand in the order of the columns, into a table of the connection's search path."""
    statement = sql.SQL("COPY {table} ({columns}) FROM STDIN").format(
        table=sql.Identifier(table), columns=sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with _driver(connection).cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def copy_blocks(connection: Connection, table: str, blocks: Iterable[Buffer]) -> None:
    """Writes what another COPY gave, whose columns are those of the table."""
    statement = sql.SQL("COPY {table} FROM STDIN").format(table=sql.Identifier(table))
    with _driver(connection).cursor() as cursor, cursor.copy(statement) as copy:
        for block in blocks:
            copy.write(block)


def _driver(connection: Connection) -> psycopg.Connection[Any]:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection), "the engines use psycopg 3"  # noqa: S101
    return driver
