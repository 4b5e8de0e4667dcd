"""Instants at the precision of the cache: whole milliseconds since 1970, UTC.

Belongs here: the one way in which times of the relation cache are compared. The cache is stamped with milliseconds,
some of its inputs with microseconds; compared any finer a cache looks older than the row that it was stamped from.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)

LONGEST_TEXT = 40
"""Characters; no instant is longer."""

ISO_TEXT = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?\Z",
    re.ASCII,
)
"""Dates and instants as JavaScript writes them; an instant without a zone is no instant."""


def milliseconds(instant: datetime) -> int:
    """Whole milliseconds since 1970 of an aware instant, cut and not rounded."""
    return (instant - EPOCH) // MILLISECOND


def parse_instant(value: object) -> datetime | None:
    """The instant that a JSON value names, a bare date as its midnight in UTC; None where it names none."""
    return _parse_text(value) if isinstance(value, str) and len(value) <= LONGEST_TEXT else None


@lru_cache(maxsize=4_096)
def _parse_text(text: str) -> datetime | None:
    """Days of races repeat within and across payloads, so what they name is kept."""
    if ISO_TEXT.match(text) is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
        return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
