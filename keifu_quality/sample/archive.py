"""Rosters as files: one tab-separated file per table, in PostgreSQL's COPY text format.

Belongs here: the layout of such a directory, writing one, opening one. Stays out: the database.

A directory that the sample wrote has a `manifest.json` with the columns of every file and a `labels.json`. A directory
without a manifest is read in the fixed layout of `UNLABELLED_LAYOUT`.
"""

import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from keifu_quality.errors import KeifuError
from keifu_quality.sample.copy_text import blocks
from keifu_quality.sample.roster import Roster
from keifu_quality.sample.rows import LOAD_ORDER, columns

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
LABELS = "labels.json"

_TIMES = ("createdAt", "updatedAt")
UNLABELLED_LAYOUT: dict[str, tuple[str, ...]] = {
    "Source": ("id", "name", "url", "type", "publishedOn", "accessedOn", "reliability", "notes", *_TIMES),
    "Competition": ("id", "slug", "nameJa", "type", *_TIMES),
    "CompetitionEdition": ("id", "competitionId", "slug", "year", "officialName", "startsOn", *_TIMES),
    "ImportBatch": (
        "id", "key", "type", "status", "sourceId", "payload", "startedAt", "completedAt", *_TIMES,
    ),
    "Organization": ("id", "slug", "nameJa", "type", *_TIMES),
    "Race": (
        "id", "competitionEditionId", "slug", "name", "discipline", "leg", "distanceMeters", "startsAt", *_TIMES,
    ),
    "Person": ("id", "slug", "displayNameJa", "displayNameJaSearch", "type", "status", *_TIMES),
    "Membership": (
        "id", "personId", "organizationId", "type", "startYear", "endYear", "startDate", "endDate", "role", "status",
        "sourceId", *_TIMES,
    ),
    "RaceResult": (
        "id", "personId", "raceId", "organizationId", "isEntry", "isStarter", "mark", "markMillis", "rank",
        "gradeAtRace", "sourceId", *_TIMES,
    ),
    "AuditLog": (
        "id", "entityType", "entityId", "action", "reasonType", "sourceId", "actorType", "batchId", "createdAt",
    ),
}  # fmt: skip
"""Columns of each file, in order, of a directory without a manifest."""


class MalformedArchive(KeifuError):
    """The directory or tar file holds no roster; the message says what is missing or wrong."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """One file of a roster with the table it belongs to and its columns in order."""

    table: str
    columns: tuple[str, ...]
    path: Path


def write_directory(roster: Roster, directory: Path) -> None:
    """Writes the roster as files with manifest and labels; an equal roster gives equal bytes.

    Makes the directory where it is missing. Raises FileExistsError when it holds anything already.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.iterdir()):
        raise FileExistsError(f"{directory} is not empty; name a new directory for the roster")
    tables: list[dict[str, Any]] = []
    for row_type in LOAD_ORDER:
        with (directory / f"{row_type.table}.tsv").open("wb") as file:
            for block in blocks(row_type, roster.tables[row_type]):
                file.write(block)
        tables.append({"table": row_type.table, "columns": list(columns(row_type))})
    _write_json(directory / MANIFEST, {"format": FORMAT_VERSION, **_origin(roster), "tables": tables})
    write_labels(roster, directory / LABELS)


def write_labels(roster: Roster, path: Path) -> None:
    """Writes what has to be found on each athlete as JSON."""
    people = [label.as_json() for label in roster.labels]
    _write_json(path, {"format": FORMAT_VERSION, **_origin(roster), "people": people})


def _origin(roster: Roster) -> dict[str, Any]:
    return {"size": roster.size, "seed": roster.seed, "asOf": roster.as_of.isoformat()}


@contextmanager
def opened(path: Path) -> Iterator[list[TableFile]]:
    """The files of a roster in loading order, from a directory or a tar file (.tar, .tar.gz, .tar.xz).

    A tar file is unpacked to a temporary directory that is gone afterwards. Raises MalformedArchive.
    """
    if path.is_dir():
        yield _table_files(path)
        return
    if not path.exists():
        raise MalformedArchive(f"{path} does not exist; name a directory of .tsv files or a tar file of them")
    with TemporaryDirectory(prefix="keifu-roster-") as unpacked:
        try:
            with tarfile.open(path) as tar:
                tar.extractall(unpacked, filter="data")
        except tarfile.TarError as error:
            raise MalformedArchive(f"{path} is no tar file that can be unpacked: {error}") from error
        found = next(iter(sorted(Path(unpacked).rglob("Person.tsv"))), None)
        if found is None:
            raise MalformedArchive(f"{path} holds no Person.tsv")
        yield _table_files(found.parent)


def _table_files(directory: Path) -> list[TableFile]:
    layout = _layout(directory)
    files = [
        TableFile(table, names, directory / f"{table}.tsv")
        for table, names in layout.items()
        if (directory / f"{table}.tsv").exists()
    ]
    if "Person" not in {file.table for file in files}:
        raise MalformedArchive(f"{directory} holds no Person.tsv; name the directory that holds one .tsv per table")
    return files


def _layout(directory: Path) -> dict[str, tuple[str, ...]]:
    manifest = directory / MANIFEST
    if not manifest.exists():
        return UNLABELLED_LAYOUT
    known = {row_type.table: set(columns(row_type)) for row_type in LOAD_ORDER}
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        layout = {str(entry["table"]): tuple(map(str, entry["columns"])) for entry in content["tables"]}
    except (ValueError, KeyError, TypeError) as error:
        raise MalformedArchive(f"{manifest} is no manifest of a roster: {error}") from error
    for table, names in layout.items():
        if not set(names) <= known.get(table, set()):
            raise MalformedArchive(f"{manifest} names a table or a column that a roster does not have: {table}")
    return {table: layout[table] for table in known if table in layout}


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
