"""Snapshots as JSON values and back, for states that survive a process.

Belongs here: the JSON shape of `graphs.facts.Snapshot`, with the published names. Sections that could not be read
stay unreadable on the way back. Encoding then decoding gives an equal snapshot.
"""

import dataclasses
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter
from pydantic.alias_generators import to_camel

from graphs.facts import RelationCache, Snapshot, Unavailable, UnknownValue

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
    return cast("Snapshot", _decode_owner(Snapshot, values))


def _encode(value: Any) -> Any:
    if isinstance(value, (Unavailable, UnknownValue)):
        return {"unavailable": {"table": value.table, "code": value.code, "message": value.message}}
    if isinstance(value, RelationCache):
        shallow = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        payload = shallow.pop("payload")
        return {**{to_camel(name): _encode(item) for name, item in shallow.items()}, "payload": payload}
    if dataclasses.is_dataclass(value):
        return {_published(f.name): _encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, frozenset):
        return sorted(_encode(item) for item in cast("frozenset[Any]", value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_encode(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, date):
        return value.isoformat()
    return value


def _published(name: str) -> str:
    return PUBLISHED_NAMES.get(name, to_camel(name))


def _is_unavailable(value: Any) -> bool:
    return isinstance(value, dict) and "unavailable" in value


@lru_cache(maxsize=256)
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


@lru_cache(maxsize=256)
def _adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint)


def _decode_owner(kind: type[Any], encoded: dict[str, Any]) -> Any:
    hints = _hints(kind)
    return kind(**{f.name: _decode_value(hints[f.name], encoded[_published(f.name)]) for f in dataclasses.fields(kind)})


def _decode_value(hint: Any, raw: Any) -> Any:
    if dataclasses.is_dataclass(hint):
        return _decode_owner(cast("type[Any]", hint), raw)
    inner = get_args(hint)
    if get_origin(hint) in (Sequence, tuple) and inner and dataclasses.is_dataclass(inner[0]):
        if _is_unavailable(raw):
            return Unavailable[Any](**raw["unavailable"])
        return tuple(_decode_owner(cast("type[Any]", inner[0]), row) for row in cast("list[Any]", raw))
    if raw is not None and len(inner) == 2 and inner[1] is type(None) and dataclasses.is_dataclass(inner[0]):
        return _decode_owner(cast("type[Any]", inner[0]), raw)
    if get_origin(hint) is Literal and _is_unavailable(raw):
        return UnknownValue(**cast("dict[str, Any]", raw)["unavailable"])
    return _adapter(hint).validate_python(raw)
