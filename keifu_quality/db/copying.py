"""Writing many rows at once, with COPY inside the caller's transaction."""

from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Connection


def copy_rows(connection: Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes rows, whose values stand in the order of the columns, into a table of the connection's search path."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection), "the engines use psycopg 3"  # noqa: S101
    statement = sql.SQL("COPY {table} ({columns}) FROM STDIN").format(
        table=sql.Identifier(table), columns=sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
