"""Instants at the precision of the cache: whole milliseconds since 1970, UTC.

Belongs here: the one way in which times of the relation cache are compared. The cache is stamped with milliseconds,
some of its inputs with microseconds; compared any finer a cache looks older than the row that it was stamped from.
"""

import re
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)

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
    if not isinstance(value, str) or len(value) > 40 or ISO_TEXT.match(value) is None:
        return None
    try:
        instant = datetime.fromisoformat(value)
        return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
