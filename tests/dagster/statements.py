"""The statements that this process sends, whichever database they are for."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event


@contextmanager
def recorded_statements() -> Iterator[list[str]]:
    """A list that grows with every statement that any SQLAlchemy engine sends."""
    sent: list[str] = []

    def note(connection: Connection, cursor: Any, statement: str, *more: Any) -> None:
        del connection, cursor, more
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)
