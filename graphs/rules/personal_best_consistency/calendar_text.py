"""Dates in free text that no calendar has.

Belongs here: finding such a date and the day that a lenient reader makes of it. JavaScript's Date accepts 31 April
and 29 February of a common year and moves on to the next month; only the source's own words still tell.
"""

import calendar
import re
import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta

_DATE = re.compile(r"(?<!\d)((?:19|20)\d{2})[/.\-年](\d{1,2})[/.\-月](\d{1,2})(?!\d)")


@dataclass(frozen=True, slots=True)
class ImpossibleDate:
    """The text of a date that does not exist, and the day that it becomes when read leniently."""

    text: str
    rolled_over: date


def impossible_date(text: str | None) -> ImpossibleDate | None:
    """The first date in a text whose day its month does not have; None where there is none."""
    if not text:
        return None
    for found in _DATE.finditer(unicodedata.normalize("NFKC", text)):
        year, month, day = (int(part) for part in found.groups())
        if 1 <= month <= 12 and calendar.monthrange(year, month)[1] < day <= 31:
            return ImpossibleDate(text=found.group(0), rolled_over=date(year, month, 1) + timedelta(days=day - 1))
    return None
