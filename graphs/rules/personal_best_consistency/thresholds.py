"""What the rules of the family personal_best_consistency compare with.

Belongs here: values a maintainer may change; each says its unit.
"""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from graphs.facts import Discipline
from graphs.text.mark_bounds import MEN, NATIONAL_RECORDS, MarkBounds


class PersonalBestConsistencyThresholds(BaseModel):
    """Thresholds of the family personal_best_consistency."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mark_bounds: Mapping[str, MarkBounds] = dict(MEN)
    """Credible range of a mark by discipline, in milliseconds; a table given here replaces the whole default, which is
    the men's, for the archive holds men."""

    national_records: Mapping[str, int] = dict(NATIONAL_RECORDS)
    """Records of Japan by discipline, in milliseconds; PB07 applies them to athletes of Japanese nationality only."""

    main_disciplines: tuple[Discipline, ...] = ("m5000", "m10000", "half_marathon", "marathon")
    """Disciplines that the site shows first; PB09 asks for their bests."""

    rounding_tolerance_millis: int = 10
    """Milliseconds that two marks of one precision may differ without one being faster."""

    distance_tolerance: float = 0.01
    """Share of a discipline's length by which the recorded length of a race may differ and still be that discipline."""

    minimum_age_years: int = 11
    """Whole years that an athlete must have on the day of a best."""

    extra_university_years: int = 2
    """Academic years that a student may run on after the projected graduation, for repeated years."""
