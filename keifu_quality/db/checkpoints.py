"""LangGraph's checkpoints in the agent database, kept as JSON so that SQL can read them.

What belongs here: the serializer and the saver's connection. What stays out: the tables (LangGraph makes them, see
`keifu_quality.db.migrate`), the view `agent_checkpoints` (the migrations) and the graph.
"""

import json
import math
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Interrupt, Send

from keifu_quality.db.engine import connect_agent_psycopg
from keifu_quality.errors import NotJson
from keifu_quality.settings import Settings

CHECKPOINT_SCHEMA = "langgraph"
JSON_TAG = "json"


class JsonSerializer:
    """Stores plain JSON values under the type tag "json" in UTF-8, and LangGraph's own objects as LangGraph does.

    Plain are None, bool, int, finite float, str without NUL or lone surrogate, list, and dict with such strings as
    keys; exactly these types, since a tuple or an enum would come back as something else after a resume. Every
    other value raises NotJson with its path. LangGraph's own are interrupts, sends and a node's exception, which
    appear only among pending writes.
    """

    def __init__(self) -> None:
        self._own = JsonPlusSerializer(pickle_fallback=False)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The type tag and the bytes of one value. Raises NotJson."""
        if _is_langgraphs(obj):
            return self._own.dumps_typed(obj)
        _require_plain(obj, "$")
        return JSON_TAG, json.dumps(obj, ensure_ascii=False, separators=(",", ":")).encode()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value of a type tag and bytes that `dumps_typed` gave."""
        tag, content = data
        return json.loads(content) if tag == JSON_TAG else self._own.loads_typed(data)


@contextmanager
def open_saver(settings: Settings) -> Iterator[PostgresSaver]:
    """A checkpoint saver with a connection of its own, closed at the end.

    A saver does one thing at a time whatever its connection, so every worker opens its own. Raises
    TransactionPoolerRefused.
    """
    with closing(connect_agent_psycopg(settings, purpose="checkpoints", search_path=CHECKPOINT_SCHEMA)) as connection:
        yield PostgresSaver(connection, serde=JsonSerializer())


def _is_langgraphs(value: Any) -> bool:
    if isinstance(value, BaseException | Send):
        return True
    if isinstance(value, list | tuple) and value and all(isinstance(item, Interrupt) for item in value):
        for item in value:
            _require_plain(item.value, "interrupt")
        return True
    return False


def _require_plain(value: Any, path: str) -> None:
    kind = type(value)
    if value is None or kind is bool or kind is int:
        return
    if kind is str:
        _require_text(value, path)
    elif kind is float:
        if not math.isfinite(value):
            raise NotJson(f"The state holds the number {value} at {path}; JSON knows finite numbers only.")
    elif kind is list:
        for index, item in enumerate(value):
            _require_plain(item, f"{path}[{index}]")
    elif kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise NotJson(f"The state holds the key {key!r} at {path}; keys must be strings.")
            _require_text(key, path)
            _require_plain(item, f"{path}.{key}")
    else:
        raise NotJson(
            f"The state holds a value of the type {kind.__module__}.{kind.__qualname__} at {path}; "
            "only plain JSON values can be kept: dump models with mode='json'."
        )


def _require_text(value: str, path: str) -> None:
    if "\x00" in value:
        raise NotJson(f"The state holds a string with a NUL character at {path}, which PostgreSQL cannot store.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise NotJson(f"The state holds a string at {path} that is no valid Unicode text.") from None
