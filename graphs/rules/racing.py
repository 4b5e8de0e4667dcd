"""When a result was run, and whether it is a finish.

Belongs here: the one reading of race dates and of marks of results. Dates are calendar dates in Japan.
"""

from datetime import datetime
from functools import lru_cache

from graphs.facts import RaceResult
from graphs.text.marks import ParsedMark, parse_mark
from graphs.text.school_year import RaceDate, race_date

EKIDEN_TYPES = frozenset({"university_ekiden", "high_school_ekiden", "corporate_ekiden", "mixed_ekiden"})
"""Competition types in which a runner runs one leg for one team."""


def date_of(result: RaceResult) -> RaceDate:
    """The day of the race, or the year where nothing better is known."""
    race = result.race
    return _race_date(race.starts_at, race.edition_starts_on, race.edition_year)


@lru_cache(maxsize=16_384)
def _race_date(starts_at: datetime | None, starts_on: datetime | None, year: int) -> RaceDate:
    """The legs of an edition and all who ran them share these three, so the day is kept."""
    return race_date(starts_at, starts_on, year)


@lru_cache(maxsize=65_536)
def parsed_mark(text: str | None, discipline: str) -> ParsedMark:
    """The parsed mark; marks of legs repeat across a roster, so it is kept."""
    return parse_mark(text, discipline)


def mark_of(result: RaceResult) -> ParsedMark:
    """The mark of a result, parsed for the discipline of its race."""
    return parsed_mark(result.mark, result.race.discipline)


def is_finish(result: RaceResult) -> bool:
    """Whether the mark is a time. Never judged by isStarter, which the importer always sets."""
    return mark_of(result).kind == "time"
