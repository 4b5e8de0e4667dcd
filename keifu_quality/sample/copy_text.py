"""PostgreSQL's COPY text format, written from rows.

Belongs here: how one value and one row become text. Stays out: files and connections.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from operator import attrgetter
from typing import Any

from keifu_quality.sample.rows import Row

_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))
_compact_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_LINES_PER_BLOCK = 2_000


def _text(value: str) -> str:
    for raw, escaped in _ESCAPES:
        if raw in value:
            value = value.replace(raw, escaped)
    return value


def _json(value: Any) -> str:
    # JSON holds no raw tab or line break, so that only the backslash is left to escape.
    return _compact_json(value).replace("\\", "\\\\")


def _timestamp(value: datetime) -> str:
    return value.isoformat(" ", "milliseconds")


def _null(_value: None) -> str:
    return "\\N"


def _boolean(value: bool) -> str:
    return "t" if value else "f"


_ENCODERS: dict[type, Callable[[Any], str]] = {
    str: _text,
    int: str,
    bool: _boolean,
    datetime: _timestamp,
    type(None): _null,
    dict: _json,
    list: _json,
}


def blocks(row_type: type[Row], rows: Iterable[Row]) -> Iterator[bytes]:
    """The rows of one table as UTF-8 blocks of COPY text, each of up to 2,000 lines.

    A JSON column takes a dict or a list; a JSON string, number or null at the top of a JSON column is not supported.
    """
    values = attrgetter(*(field.name for field in fields(row_type)))
    encoders = _ENCODERS
    lines: list[str] = []
    for row in rows:
        lines.append("\t".join([encoders[type(value)](value) for value in values(row)]))
        if len(lines) == _LINES_PER_BLOCK:
            yield ("\n".join(lines) + "\n").encode()
            lines.clear()
    if lines:
        yield ("\n".join(lines) + "\n").encode()
