"""Times that a spreadsheet turned into something else.

Belongs here: recognising a time of day, a fraction of a day, a date with a time, and error cells, and the duration
they most likely stood for. Stays out: well-formed marks (``marks``). Such a text is never a mark: the duration is a
suggestion, since the cell format that was lost decides what was typed.
"""

import re
from dataclasses import dataclass
from typing import Final

_DAY_MILLIS: Final = 86_400_000
# Fewer digits of a day cannot tell one second from the next.
_LEAST_FRACTION_DIGITS: Final = 5
_MOST_FRACTION_DIGITS: Final = 15

_TIME: Final = r"(?P<hours>\d{1,2}):(?P<minutes>\d{2})(?::(?P<seconds>\d{2})(?:\.(?P<fraction>\d{1,9}))?)?"
_TIME_OF_DAY: Final = (
    re.compile(rf"{_TIME}\s*(?P<half>[AP])\.?M\.?", re.ASCII | re.IGNORECASE),
    re.compile(rf"(?P<half>午前|午後|[AP]M)\s*{_TIME}", re.ASCII | re.IGNORECASE),
)
_DATED: Final = (
    re.compile(rf"\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}[T\s]*{_TIME}\s*(?:Z|[+-]\d{{2}}:?\d{{2}})?", re.ASCII),
    re.compile(rf"\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\s+{_TIME}(?:\s*(?P<half>[AP])M)?", re.ASCII | re.IGNORECASE),
    re.compile(rf"\d+\s*days?,?\s*{_TIME}", re.ASCII | re.IGNORECASE),
)
_DAY_FRACTION: Final = re.compile(r"(?:0|\d{5})?\.(?P<digits>\d+)", re.ASCII)
_SCIENTIFIC: Final = re.compile(r"(?P<digits>\d(?:\.\d+)?)E-0?(?P<shift>\d)", re.ASCII | re.IGNORECASE)
_NO_DURATION: Final = re.compile(
    r"#[A-Z/0!?]+|#{2,}|\d{1,2}月\d{1,2}日|\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{1,2}-(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)",
    re.ASCII | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SpreadsheetForm:
    """A text that a spreadsheet left; ``millis`` is the likeliest duration, None when it cannot be told."""

    millis: int | None


def recognise(text: str) -> SpreadsheetForm | None:
    """Return the form of a trimmed text in normal width with its blanks; None when no spreadsheet made it."""
    for pattern in (*_TIME_OF_DAY, *_DATED):
        if (found := pattern.fullmatch(text)) is not None:
            return SpreadsheetForm(_clock_millis(found.groupdict()))
    if (fraction := _DAY_FRACTION.fullmatch(text)) is not None:
        digits = fraction["digits"][:_MOST_FRACTION_DIGITS]
        return SpreadsheetForm(_day_fraction_millis(digits)) if len(digits) >= _LEAST_FRACTION_DIGITS else None
    if (number := _SCIENTIFIC.fullmatch(text)) is not None:
        digits = "0" * (int(number["shift"]) - 1) + number["digits"].replace(".", "")
        digits = digits[:_MOST_FRACTION_DIGITS]
        return SpreadsheetForm(_day_fraction_millis(digits) if len(digits) >= _LEAST_FRACTION_DIGITS else None)
    return SpreadsheetForm(None) if _NO_DURATION.fullmatch(text) else None


def _clock_millis(found: dict[str, str | None]) -> int | None:
    hours, minutes, seconds = int(found["hours"] or 0), int(found["minutes"] or 0), int(found["seconds"] or 0)
    half = found.get("half")
    if minutes >= 60 or seconds >= 60 or (half and not 1 <= hours <= 12):
        return None
    if half:
        hours = hours % 12 + (12 if half.upper() in {"P", "PM", "午後"} else 0)
    fraction = int((found["fraction"] or "").ljust(3, "0")[:3])
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + fraction


def _day_fraction_millis(digits: str) -> int:
    scale = 10 ** len(digits)
    millis = (int(digits) * _DAY_MILLIS * 2 + scale) // (2 * scale)
    # The digits carry an error of one unit in the last place; the roundest duration inside it is what was typed.
    error = _DAY_MILLIS // scale + 1
    for unit in (1000, 100, 10):
        rounded = (millis + unit // 2) // unit * unit
        if abs(rounded - millis) <= error:
            return rounded
    return millis
