"""Snapshots as JSON values and back, for states that survive a process.

Belongs here: the JSON shape of `graphs.facts.Snapshot`, with the published names. Sections that could not be read
stay unreadable on the way back. Encoding then decoding gives an equal snapshot.
"""

import dataclasses
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel

from graphs.facts import RelationCache, Snapshot, Unavailable, UnknownValue

Decoder = Callable[[Any], Any]

PUBLISHED_NAMES = {"person": "profile", "results": "raceResults"}
"""Sections of a snapshot whose published name is not the attribute's."""


def encode_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """The snapshot as a JSON object; `relationCache` is an object or null."""
    encoded = cast("dict[str, Any]", _encode(snapshot))
    caches = encoded.pop("relationCaches")
    encoded["relationCache"] = caches if isinstance(caches, dict) else (caches[0] if caches else None)
    return encoded


def decode_snapshot(encoded: dict[str, Any]) -> Snapshot:
    """The snapshot that was encoded. Raises pydantic.ValidationError when the JSON has another shape."""
    values = dict(encoded)
    cache = values.pop("relationCache")
    values["relationCaches"] = cache if _is_unavailable(cache) else ([] if cache is None else [cache])
    return cast("Snapshot", _decoder(Snapshot)(values))


def _encode(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (Unavailable, UnknownValue)):
        return {"unavailable": {"table": value.table, "code": value.code, "message": value.message}}
    if isinstance(value, RelationCache):
        names = _published(RelationCache)
        return {name: value.payload if own == "payload" else _encode(getattr(value, own)) for own, name in names}
    if dataclasses.is_dataclass(value):
        return {name: _encode(getattr(value, own)) for own, name in _published(type(value))}
    if isinstance(value, frozenset):
        return sorted(_encode(item) for item in cast("frozenset[Any]", value))
    if isinstance(value, Sequence):
        return [_encode(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, date):
        return value.isoformat()
    return value


@cache
def _published(kind: type[Any]) -> Sequence[tuple[str, str]]:
    """The attributes of a record with their names in JSON."""
    return [(field.name, PUBLISHED_NAMES.get(field.name, to_camel(field.name))) for field in dataclasses.fields(kind)]


def _is_unavailable(value: Any) -> bool:
    return isinstance(value, dict) and "unavailable" in value


# A snapshot holds hundreds of records and every node reads it, so what a type asks for is found out once.
@cache
def _decoder(hint: Any) -> Decoder:
    """The function that makes a value of this type from JSON."""
    if dataclasses.is_dataclass(hint):
        return _record_decoder(cast("type[Any]", hint))
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Sequence, tuple) and inner and dataclasses.is_dataclass(inner[0]):
        return _rows_decoder(_decoder(inner[0]))
    if len(inner) == 2 and inner[1] is type(None) and dataclasses.is_dataclass(inner[0]):
        record = _decoder(inner[0])
        return lambda raw: None if raw is None else record(raw)
    plain: Decoder = TypeAdapter[Any](hint).validator.validate_python
    if origin is Literal:
        return lambda raw: UnknownValue(**raw["unavailable"]) if _is_unavailable(raw) else plain(raw)
    return plain


def _record_decoder(kind: type[Any]) -> Decoder:
    hints = get_type_hints(kind)
    fields = [(own, name, _decoder(hints[own])) for own, name in _published(kind)]
    return lambda raw: kind(**{own: decode(raw[name]) for own, name, decode in fields})


def _rows_decoder(row: Decoder) -> Decoder:
    return lambda raw: Unavailable[Any](**raw["unavailable"]) if _is_unavailable(raw) else tuple(map(row, raw))
