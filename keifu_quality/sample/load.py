"""Loading a roster into a business database.

Belongs here: creating the archive's tables where there are none, and filling them by COPY in one transaction. Stays
out: making rosters, and the server.

A database is replaced only when the sample filled it: the comment on its table Person says so. An archive of anybody's
own is never emptied.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import psycopg
from psycopg import sql

from keifu_quality.dsn import parse_dsn
from keifu_quality.errors import KeifuError
from keifu_quality.sample import archive
from keifu_quality.sample.copy_text import blocks
from keifu_quality.sample.roster import Roster
from keifu_quality.sample.rows import LOAD_ORDER, columns

Progress = Callable[[str, int, int], None]
"""Told the table at hand, how much is written and how much there is in all; rows or bytes, the same throughout."""

_BLOCK_BYTES = 1 << 20
_MARK = "Filled by keifu sample load."


class SampleLoadRefused(KeifuError):
    """The database holds rows already, or the rows do not fit; nothing was changed."""


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """How many rows a table received."""

    table: str
    rows: int


def load_roster(
    roster: Roster, url: str, *, replace: bool = False, progress: Progress | None = None
) -> list[LoadedTable]:
    """Loads a generated roster; `url` is that of the owner of the business database.

    Raises SampleLoadRefused when the database holds people already, unless the sample loaded them and `replace` is
    true. All or nothing.
    """
    total = sum(len(rows) for rows in roster.tables.values())
    done = 0
    loaded: list[LoadedTable] = []
    with psycopg.connect(parse_dsn(url).libpq()) as connection:
        _prepare(connection, replace=replace)
        for row_type in LOAD_ORDER:
            rows = roster.tables[row_type]
            loaded.append(_copy(connection, row_type.table, columns(row_type), blocks(row_type, rows)))
            done += len(rows)
            if progress:
                progress(row_type.table, done, total)
        _finish(connection)
    return loaded


def load_directory(
    path: Path, url: str, *, replace: bool = False, progress: Progress | None = None
) -> list[LoadedTable]:
    """Loads a roster from a directory or a tar file of tab-separated files (`keifu_quality.sample.archive`).

    Raises SampleLoadRefused as `load_roster` does and when a row does not fit its table, MalformedArchive when there
    is no roster at that path. All or nothing.
    """
    with archive.opened(path) as table_files, psycopg.connect(parse_dsn(url).libpq()) as connection:
        _prepare(connection, replace=replace)
        total = sum(file.path.stat().st_size for file in table_files)
        done = 0
        loaded: list[LoadedTable] = []
        for file in table_files:
            loaded.append(_copy(connection, file.table, file.columns, _read(file.path)))
            done += file.path.stat().st_size
            if progress:
                progress(file.table, done, total)
        _finish(connection)
    return loaded


def _prepare(connection: psycopg.Connection, *, replace: bool) -> None:
    if connection.execute("SELECT to_regclass('\"Person\"')").fetchone() == (None,):
        connection.execute(files("keifu_quality.db").joinpath("business_schema.sql").read_bytes())
        return
    filled = connection.execute('SELECT EXISTS (SELECT FROM "Person")').fetchone()
    if filled != (True,):
        return
    comment = connection.execute("SELECT obj_description('\"Person\"'::regclass)").fetchone()
    if comment != (_MARK,):
        raise SampleLoadRefused(
            "the business database holds athletes that the sample did not load; name an empty database"
        )
    if not replace:
        raise SampleLoadRefused(
            "the business database holds a sample already; say that it is to be replaced, or keep it"
        )
    tables = sql.SQL(", ").join(sql.Identifier(row_type.table) for row_type in LOAD_ORDER)
    connection.execute(sql.SQL("TRUNCATE {} CASCADE").format(tables))


def _copy(connection: psycopg.Connection, table: str, names: tuple[str, ...], content: Iterable[bytes]) -> LoadedTable:
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, names))
    )
    with connection.cursor() as cursor:
        try:
            with cursor.copy(statement) as copy:
                for block in content:
                    copy.write(block)
        except (psycopg.DataError, psycopg.IntegrityError) as error:
            where = error.diag.context or ""
            raise SampleLoadRefused(
                f"a row does not fit table {table}: {error.diag.message_primary} ({where})"
            ) from error
        return LoadedTable(table, cursor.rowcount)


def _finish(connection: psycopg.Connection) -> None:
    connection.execute(sql.SQL('COMMENT ON TABLE "Person" IS {}').format(sql.Literal(_MARK)))
    for row_type in LOAD_ORDER:
        connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(row_type.table)))


def _read(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block
