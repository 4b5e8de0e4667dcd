"""The parser of performance marks: the text a source printed to milliseconds.

Belongs here: normalising a mark, the grammar of times, and the canonical text. Stays out: forms that spreadsheets
leave (``spreadsheet_marks``), notes beside a time (``mark_notes``), bounds (``mark_bounds``), and every judgement of a
stored mark.

A time is parsed digit by digit in integers: nothing is rounded, and a doubtful text is never silently read another
way. What the text would be in its likeliest other reading is offered as a suggestion only.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from graphs.text import mark_notes, spreadsheet_marks
from graphs.text.characters import DELETE_IGNORABLE
from graphs.text.mark_bounds import MEN, MarkBounds

MarkKind = Literal["time", "status", "ambiguous", "invalid", "empty"]

TRACK_DISCIPLINES: Final = frozenset({"m800", "m1500", "m2000sc", "m3000", "m3000sc", "m5000", "m10000"})
"""Disciplines timed to the hundredth on the track."""

ROAD_DISCIPLINES: Final = frozenset({"ten_mile", "half_marathon", "marathon", "ekiden_leg"})
"""Disciplines at least partly on the road, timed in whole seconds."""


@dataclass(frozen=True, slots=True)
class ParsedMark:
    """What a mark says.

    ``kind`` "time" has ``millis``, ``precision`` (decimals of the second, 0 to 3) and ``canonical``; "status" has
    ``status``, the word as written in normal width and capitals; "ambiguous" and "invalid" have a ``reason``.
    ``flags`` name what the text has beside a plain time. ``suggestion`` and ``suggestion_millis`` are the likeliest
    other reading of a text that cannot or can hardly be meant as it stands.
    """

    kind: MarkKind
    millis: int | None = None
    precision: int | None = None
    canonical: str | None = None
    flags: frozenset[str] = frozenset()
    status: str | None = None
    reason: str | None = None
    suggestion_millis: int | None = None
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class _Fields:
    hours: str
    minutes: str
    seconds: str
    fraction: str


_HOUR: Final = r"(?P<hours>\d{1,2})"
_MINUTE: Final = r"(?P<minutes>\d{1,3})"
_SECOND: Final = r"(?P<seconds>\d{1,2})"
_FRACTION: Final = r"(?P<fraction>\d+)"

_CLOCK: Final = re.compile(rf"(?:{_HOUR}:(?=\d{{1,2}}:))?{_MINUTE}:{_SECOND}(?:\.{_FRACTION})?", re.ASCII)
_UNITS: Final = re.compile(
    rf"(?=.)(?:{_HOUR}時間?)?(?:{_MINUTE}分)?"
    rf"(?:{_SECOND}(?:秒(?:\.?{_FRACTION})?|\.(?P<point_fraction>\d+)秒?))?",
    re.ASCII,
)
_TICK: Final = r"(?:\"|''|s(?:ec)?)"
_PRIME: Final = re.compile(
    rf"(?:{_HOUR}(?:h|°|:|時間?))?{_MINUTE}(?:'|m(?:in)?){_SECOND}"
    rf"(?:{_TICK}(?:\.?{_FRACTION})?|\.(?P<point_fraction>\d+){_TICK}?)?",
    re.ASCII | re.IGNORECASE,
)
_COLON_PRIME: Final = re.compile(rf"(?:{_HOUR}:)?{_MINUTE}:{_SECOND}(?:\"|'')(?:\.?{_FRACTION})?", re.ASCII)
_DOTS: Final = re.compile(r"(?P<first>\d{1,2})\.(?P<second>\d{2})\.(?P<third>\d{1,2})", re.ASCII)
_NO_UNIT: Final = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_COMMA_DECIMAL: Final = re.compile(r"(?<=\d),(?=\d+\D*$)", re.ASCII)

# Mapped before NFKC, which turns some of these into blanks, accents or several characters.
_LOOKALIKES: Final = str.maketrans(
    dict.fromkeys("“”„‟″〃〝〞〟˝ʺ＂", '"')
    | dict.fromkeys("‘’‚‛′ʹʼʻ´`＇ˊ", "'")
    | dict.fromkeys("゜°º˚", "°")
    | dict.fromkeys("∶︰꞉ː：﹕", ":")
    | dict.fromkeys("・･·∙⋅｡。", ".")
    | dict.fromkeys("、､，﹐", ",")
)


def parse_mark(text: str | None, discipline: str | None = None, bounds: MarkBounds | None = None) -> ParsedMark:
    """Parse a mark as a source printed it; any text gives a result, none raises.

    ``discipline`` is a value of the archive's discipline list and decides how dotted times read; ``bounds`` are the
    credible times of this discipline, by default those of ``mark_bounds.MEN``. They never change a time: they only
    yield a suggestion, and tell "1:02" as minutes and seconds from hours and minutes.
    """
    if text is None:
        return ParsedMark("empty")
    limits = bounds if bounds is not None else MEN.get(discipline or "")
    if _CLOCK.fullmatch(text):
        return _parse_bare(text, discipline, limits, frozenset())
    spaced = unicodedata.normalize("NFKC", text.translate(_LOOKALIKES).translate(DELETE_IGNORABLE)).strip()
    compact = "".join(spaced.split())
    if not compact:
        return ParsedMark("empty")
    if (status := mark_notes.status_word(compact)) is not None:
        return ParsedMark("status", status=status)
    # A raised or circled digit is a footnote or a list number, and NFKC would make it a digit of the time.
    if any(unicodedata.category(character) == "No" for character in text):
        return ParsedMark("invalid", reason="unrecognised")
    if (form := spreadsheet_marks.recognise(spaced)) is not None:
        return _with_suggestion(ParsedMark("invalid", reason="spreadsheet"), form.millis)
    bare, flags = _without_notes(compact)
    return _parse_bare(bare, discipline, limits, flags)


def canonical_mark(millis: int, precision: int | None = None, discipline: str | None = None) -> str:
    """Return the canonical text of a time: H:MM:SS or M:SS, with ``precision`` decimals (0 to 3) of the second.

    Without a precision a track discipline has hundredths and any other whole seconds. More decimals are shown where
    fewer would lose a part of the time. Raises ValueError for a time below zero.
    """
    if millis < 0:
        raise ValueError(f"a time cannot be negative: {millis} ms")
    wanted = precision if precision is not None else (2 if discipline in TRACK_DISCIPLINES else 0)
    seconds, rest = divmod(millis, 1000)
    needed = len(f"{rest:03d}".rstrip("0"))
    decimals = min(max(wanted, needed), 3)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    clock = f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"
    return f"{clock}.{f'{rest:03d}'[:decimals]}" if decimals else clock


def _without_notes(compact: str) -> tuple[str, frozenset[str]]:
    labelled, flags = mark_notes.strip_labels(compact)
    bare, notes = mark_notes.strip_notes(labelled)
    flags |= notes
    if bare.startswith(":"):
        bare, flags = bare[1:], flags | {"leading_separator"}
    if bare.count(",") == 1 and (comma := _COMMA_DECIMAL.search(bare)) is not None:
        bare = f"{bare[: comma.start()]}.{bare[comma.end() :]}"
        flags |= {"comma_decimal"}
    return bare, flags


def _parse_bare(bare: str, discipline: str | None, limits: MarkBounds | None, flags: frozenset[str]) -> ParsedMark:
    if _NO_UNIT.fullmatch(bare):
        return _with_suggestion(
            ParsedMark("ambiguous", reason="no_unit", flags=flags), _plausible(_no_unit_readings(bare), limits)
        )
    if (dots := _DOTS.fullmatch(bare)) is not None:
        return _parse_dots(dots, discipline, limits, flags | {"dot_separated"})
    for pattern in (_CLOCK, _UNITS, _PRIME, _COLON_PRIME):
        if (found := pattern.fullmatch(bare)) is not None:
            groups = found.groupdict()
            fraction = groups.get("fraction") or groups.get("point_fraction") or ""
            fields = _Fields(groups["hours"] or "", groups["minutes"] or "", groups["seconds"] or "", fraction)
            return _time(fields, limits, flags, spelled=pattern is _UNITS)
    return ParsedMark("invalid", reason="unrecognised", flags=flags)


def _parse_dots(
    dots: re.Match[str], discipline: str | None, limits: MarkBounds | None, flags: frozenset[str]
) -> ParsedMark:
    first, second, third = dots["first"], dots["second"], dots["third"]
    on_track = _Fields("", first, second, third)
    on_road = _Fields(first, second, third, "")
    if discipline in TRACK_DISCIPLINES:
        return _time(on_track, limits, flags)
    if discipline in ROAD_DISCIPLINES and len(first) == 1:
        return _time(on_road, limits, flags)
    reading = _plausible(_values(on_track), limits)
    if discipline in ROAD_DISCIPLINES:
        return _with_suggestion(ParsedMark("ambiguous", reason="dot_separated", flags=flags), reading)
    return ParsedMark("ambiguous", reason="dot_separated_without_discipline", flags=flags)


def _time(fields: _Fields, limits: MarkBounds | None, flags: frozenset[str], *, spelled: bool = False) -> ParsedMark:
    if int(fields.seconds or 0) >= 60:
        return _with_suggestion(
            ParsedMark("invalid", reason="seconds_out_of_range", flags=flags), _other_reading(fields, limits)
        )
    if fields.hours and int(fields.minutes or 0) >= 60:
        return _with_suggestion(
            ParsedMark("invalid", reason="minutes_out_of_range", flags=flags), _other_reading(fields, limits)
        )
    millis = _millis(fields)
    if millis == 0:
        return ParsedMark("invalid", reason="zero", flags=flags)
    other = None if limits is None or limits.holds(millis) else _other_reading(fields, limits)
    if other is not None and not (fields.hours or fields.fraction or spelled):
        return _with_suggestion(ParsedMark("ambiguous", reason="minutes_or_hours", flags=flags), other)
    precision = min(len(fields.fraction), 3)
    time = ParsedMark(
        "time",
        millis=millis,
        precision=precision,
        canonical=canonical_mark(millis, precision),
        flags=flags | _field_flags(fields),
    )
    return _with_suggestion(time, other)


def _field_flags(fields: _Fields) -> frozenset[str]:
    flags: set[str] = set()
    if not fields.hours and int(fields.minutes or 0) >= 60:
        flags.add("minutes_over_59")
    if (fields.hours and len(fields.minutes) == 1) or (fields.minutes and len(fields.seconds) == 1):
        flags.add("unpadded")
    if len(fields.fraction) == 1:
        flags.add("tenths")
    if len(fields.fraction) > 3:
        flags.add("fraction_truncated")
    return frozenset(flags)


def _millis(fields: _Fields) -> int:
    seconds = (int(fields.hours or 0) * 60 + int(fields.minutes or 0)) * 60 + int(fields.seconds or 0)
    return seconds * 1000 + int(fields.fraction[:3].ljust(3, "0"))


def _values(*readings: _Fields) -> list[int]:
    return [
        _millis(reading)
        for reading in readings
        if int(reading.seconds or 0) < 60 and (not reading.hours or int(reading.minutes or 0) < 60)
    ]


def _other_reading(fields: _Fields, limits: MarkBounds | None) -> int | None:
    if fields.hours and not fields.fraction:
        return _plausible(_values(_Fields("", fields.hours, fields.minutes, fields.seconds)), limits)
    if not fields.hours and len(fields.fraction) == 2:
        return _plausible(_values(_Fields(fields.minutes, fields.seconds, fields.fraction, "")), limits)
    if not fields.hours and not fields.fraction:
        return _plausible(_values(_Fields(fields.minutes, fields.seconds, "", "")), limits)
    return None


def _no_unit_readings(bare: str) -> list[int]:
    whole, _, part = bare.partition(".")
    if not part and len(whole) in {5, 6}:
        return _values(
            _Fields("", whole[:-4], whole[-4:-2], whole[-2:]), _Fields(whole[:-4], whole[-4:-2], whole[-2:], "")
        )
    if len(whole) <= 3 and len(part) == 2:
        return _values(_Fields("", whole, part, ""), _Fields(whole, part, "", ""))
    return []


def _plausible(readings: Iterable[int], limits: MarkBounds | None) -> int | None:
    if limits is None:
        return None
    return next((millis for millis in readings if limits.holds(millis)), None)


def _with_suggestion(parsed: ParsedMark, millis: int | None) -> ParsedMark:
    if millis is None:
        return parsed
    return replace(parsed, suggestion_millis=millis, suggestion=canonical_mark(millis, 0))
