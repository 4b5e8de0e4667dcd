"""Loading a roster into a business database.

Belongs here: creating the archive's tables where there are none, and filling them by COPY in one transaction. Stays
out: making rosters, and the server.

A database is replaced only when the sample filled it: the comment on its table Person says so. An archive of anybody's
own is never emptied.
"""

from collections.abc import Callable, Iterable, Iterator
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
    bar = _Bar(progress, sum(len(rows) for rows in roster.tables.values()))
    with psycopg.connect(parse_dsn(url).libpq()) as connection:
        _prepare(connection, replace=replace)
        loaded = [
            _copy(
                connection,
                row_type.table,
                columns(row_type),
                bar.watched(row_type.table, blocks(row_type, roster.tables[row_type]), _lines),
            )
            for row_type in LOAD_ORDER
        ]
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
        bar = _Bar(progress, sum(file.path.stat().st_size for file in table_files))
        loaded = [
            _copy(connection, file.table, file.columns, bar.watched(file.table, _read(file.path), len))
            for file in table_files
        ]
        _finish(connection)
    return loaded


class _Bar:
    """Adds up what passes and tells it."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def watched(self, table: str, content: Iterable[bytes], size: Callable[[bytes], int]) -> Iterator[bytes]:
        for block in content:
            yield block
            self._done += size(block)
            if self._progress:
                self._progress(table, self._done, self._total)


def _lines(block: bytes) -> int:
    return block.count(b"\n")


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


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block
