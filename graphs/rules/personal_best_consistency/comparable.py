"""Which results may stand beside a personal best.

Belongs here: the one reading of "comparable finish". A leg of an ekiden never is one, whatever its length, and a leg
whose recorded distance is wrong makes every runner of it look superhuman: that is a matter of the race, not of an
athlete, so no rule of this family looks at the pace of a leg.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from graphs.facts import RaceResult
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.thresholds import PersonalBestConsistencyThresholds
from graphs.rules.rule import Evidence
from graphs.text.marks import TRACK_DISCIPLINES

_IRREGULAR = re.compile(r"参考|非公認|追風|追い風|unofficial", re.IGNORECASE)
_CLAIMS_BEST = re.compile(r"(?<![A-Za-z])PB(?![A-Za-z])|自己新|自己ベスト|自己最高|自己記録更新")

_ROAD_TYPES = ("road_race", "marathon")

NOMINAL_METERS: Mapping[str, int] = {
    "m800": 800,
    "m1500": 1_500,
    "m2000sc": 2_000,
    "m3000": 3_000,
    "m3000sc": 3_000,
    "m5000": 5_000,
    "m10000": 10_000,
    "ten_mile": 16_093,
    "half_marathon": 21_098,
    "marathon": 42_195,
}
"""Length of each discipline in whole metres."""


@dataclass(frozen=True, slots=True)
class ResultRow(Evidence):
    """A result as stored; `day` is in Japan, and with precision year only its year is known."""

    id: str
    race: str
    edition: str
    discipline: str
    mark: str | None
    mark_millis: int | None
    day: date
    day_precision: Literal["day", "year"]
    notes: str | None
    source_id: str | None


def result_row(athlete: Athlete, result: RaceResult) -> ResultRow:
    """The evidence of a result."""
    day = athlete.race_dates[result.id]
    return ResultRow(
        id=result.id,
        race=result.race.slug,
        edition=result.race.edition_name,
        discipline=result.race.discipline,
        mark=result.mark,
        mark_millis=result.mark_millis,
        day=day.value,
        day_precision=day.precision,
        notes=result.notes,
        source_id=result.source_id,
    )


def comparable_finishes(
    athlete: Athlete, thresholds: PersonalBestConsistencyThresholds
) -> Mapping[str, Sequence[RaceResult]]:
    """Comparable finishes by discipline, fastest first.

    Left out: legs, conflicting results, unofficial and wind-aided marks, races whose recorded length is not that of
    the discipline, track disciplines raced on the road (10 km is another event than 10000 m), hand times (which never
    count as faster), and marks beyond the best ever run.
    """
    if all(result.race.discipline == "ekiden_leg" for result in athlete.snapshot.results):
        return {}
    parsed = athlete.parsed_results
    found: dict[str, list[tuple[int, str, RaceResult]]] = {}
    for result in athlete.finishes:
        mark, discipline = parsed[result.id], result.race.discipline
        bounds = thresholds.mark_bounds.get(discipline)
        if (
            discipline == "ekiden_leg"
            or mark.millis is None
            or result.status == "conflicting"
            or _IRREGULAR.search(unicodedata.normalize("NFKC", result.notes or ""))
            or not {"hand", "unofficial"}.isdisjoint(mark.flags)
            or _has_another_length(result, thresholds.distance_tolerance)
            or (discipline in TRACK_DISCIPLINES and result.race.competition_type in _ROAD_TYPES)
            or (bounds is not None and mark.millis < bounds.floor_millis)
        ):
            continue
        found.setdefault(discipline, []).append((mark.millis, result.id, result))
    return {discipline: [row for _, _, row in sorted(rows)] for discipline, rows in sorted(found.items())}


def claims_best(result: RaceResult) -> bool:
    """Whether the result list itself calls the mark a personal best."""
    return _CLAIMS_BEST.search(unicodedata.normalize("NFKC", result.notes or "")) is not None


def _has_another_length(result: RaceResult, tolerance: float) -> bool:
    stated, nominal = result.race.distance_meters, NOMINAL_METERS.get(result.race.discipline)
    if stated is None or nominal is None:
        return False
    return abs(stated - nominal) > nominal * tolerance
