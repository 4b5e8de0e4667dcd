"""How the rules of personal bests read a row: its value, its stage, its evidence.

Belongs here: what several rules of this family share about one row or one discipline.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from graphs.facts import DataStatus, Discipline, PersonalBest
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.stages import claimed_stages
from graphs.rules.rule import Evidence
from graphs.text.marks import TRACK_DISCIPLINES, ParsedMark

DISTANCE_ORDER: tuple[Discipline, ...] = (
    "m800",
    "m1500",
    "m2000sc",
    "m3000",
    "m3000sc",
    "m5000",
    "m10000",
    "ten_mile",
    "half_marathon",
    "marathon",
)
"""Disciplines in the order of the time that they take."""

_OVERALL_WORDS = frozenset({"", "overall", "current", "all", "総合", "通算"})

UNIT_MILLIS = {0: 1000, 1: 100, 2: 10, 3: 1}
"""Milliseconds of the last digit, by the number of decimals."""


@dataclass(frozen=True, slots=True)
class BestRow(Evidence):
    """A personal best as stored, with where it comes from."""

    id: str
    discipline: str
    mark: str
    mark_millis: int | None
    achieved_on: date | None
    competition_name: str | None
    stage: str | None
    is_high_school_pb: bool
    is_college_pb: bool
    status: DataStatus
    source_id: str | None
    source_reliability: int | None


def best_row(best: PersonalBest) -> BestRow:
    """The evidence of a row."""
    return BestRow(
        id=best.id,
        discipline=best.discipline,
        mark=best.mark,
        mark_millis=best.mark_millis,
        achieved_on=best.achieved_on,
        competition_name=best.competition_name,
        stage=best.stage,
        is_high_school_pb=best.is_high_school_pb,
        is_college_pb=best.is_college_pb,
        status=best.status,
        source_id=best.source.id if best.source else None,
        source_reliability=best.source.reliability if best.source else None,
    )


def by_discipline(athlete: Athlete) -> Mapping[str, Sequence[PersonalBest]]:
    """The rows of every discipline that has any, disciplines in text order, rows in the order of the athlete."""
    groups: dict[str, list[PersonalBest]] = {}
    for best in athlete.personal_bests:
        groups.setdefault(best.discipline, []).append(best)
    return groups


def value_of(best: PersonalBest, parsed: ParsedMark) -> int | str:
    """What makes two rows the same mark: parsed milliseconds, else stored ones, else the text without spaces."""
    if parsed.kind == "time" and parsed.millis is not None:
        return parsed.millis
    if best.mark_millis is not None:
        return best.mark_millis
    return "".join(unicodedata.normalize("NFKC", best.mark).split())


def millis_of(best: PersonalBest, parsed: ParsedMark) -> int | None:
    """Milliseconds of the row: read from the text where that is a time, else as stored."""
    return parsed.millis if parsed.kind == "time" else best.mark_millis


def stage_label(best: PersonalBest) -> str:
    """The stages that a row claims to be the best of, empty for a row that is the best of all.

    A flag and the same stage written out are one claim; text that nobody knows is a claim of its own.
    """
    claimed = claimed_stages(best)
    text = "".join((best.stage or "").split()).casefold()
    return "+".join(claimed) if claimed or text in _OVERALL_WORDS else text


def fastest(athlete: Athlete, rows: Sequence[PersonalBest]) -> PersonalBest | None:
    """The fastest row whose mark is a time; None where no row has one."""
    parsed = athlete.parsed_bests
    timed = [(parsed[row.id].millis or 0, row.id, row) for row in rows if parsed[row.id].kind == "time"]
    return min(timed)[2] if timed else None


def margin_millis(discipline: str, first: ParsedMark, second: ParsedMark, least: int) -> int:
    """Milliseconds by which two marks must differ before one is faster.

    Marks of one precision are compared as they are, but whole seconds on the track hide up to a second, and of two
    precisions the coarser one decides. A hand time is never finer than a second against any other.
    """
    precisions = (first.precision or 0, second.precision or 0)
    coarse = min(precisions)
    hand = ("hand" in first.flags) != ("hand" in second.flags)
    if hand or (coarse == 0 and discipline in TRACK_DISCIPLINES):
        return UNIT_MILLIS[0]
    if precisions[0] != precisions[1]:
        return max(least, UNIT_MILLIS[coarse])
    return least


def all_conflicting(rows: Sequence[PersonalBest]) -> bool:
    """Whether somebody has already marked every row; there is nothing left to propose then."""
    return all(row.status == "conflicting" for row in rows)
