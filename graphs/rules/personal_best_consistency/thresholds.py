"""What the rules of the family personal_best_consistency compare with.

Belongs here: values a maintainer may change; each says its unit.
"""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphs.facts import Discipline
from graphs.text.mark_bounds import MEN, NATIONAL_RECORDS, MarkBounds


class PersonalBestConsistencyThresholds(BaseModel):
    """Thresholds of the family personal_best_consistency."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mark_bounds: Mapping[str, MarkBounds] = dict(MEN)
    """Credible range of a mark by discipline, in milliseconds; the default holds men's bounds, for the archive holds
    men. In a rules file a discipline that is not named keeps its default."""

    national_records: Mapping[str, int] = dict(NATIONAL_RECORDS)
    """Records of Japan by discipline, in milliseconds; PB07 applies them to athletes of Japanese nationality only."""

    main_disciplines: tuple[Discipline, ...] = ("m5000", "m10000", "half_marathon", "marathon")
    """Disciplines that the site shows first; PB09 asks for their bests."""

    rounding_tolerance_millis: int = Field(default=10, ge=0)
    """Milliseconds that two marks of one precision may differ without one being faster."""

    distance_tolerance: float = Field(default=0.01, ge=0, lt=0.5)
    """Share of a discipline's length by which the recorded length of a race may differ and still be that discipline."""

    minimum_age_years: int = Field(default=11, ge=0)
    """Whole years that an athlete must have on the day of a best."""

    extra_university_years: int = Field(default=2, ge=0)
    """Academic years that a student may run on after the projected graduation, for repeated years."""

    @field_validator("mark_bounds", "national_records")
    @classmethod
    def _known_disciplines(cls, table: Mapping[str, Any]) -> Mapping[str, Any]:
        known = [name for name in get_args(Discipline) if name != "ekiden_leg"]
        for name in table:
            if name not in known:
                raise ValueError(f"{name} is no discipline with bounds; they are {', '.join(known)}")
        return table

    @field_validator("mark_bounds")
    @classmethod
    def _floor_below_ceiling(cls, table: Mapping[str, MarkBounds]) -> Mapping[str, MarkBounds]:
        for name, bounds in table.items():
            if not 0 < bounds.floor_millis < bounds.ceiling_millis:
                raise ValueError(f"{name}: floor_millis must be positive and below ceiling_millis")
        return table

    @field_validator("national_records")
    @classmethod
    def _records_are_times(cls, table: Mapping[str, int]) -> Mapping[str, int]:
        for name, millis in table.items():
            if millis <= 0:
                raise ValueError(f"{name}: a record is a positive number of milliseconds")
        return table
