"""What the rules of the family profile_coverage compare with. Values a maintainer may change; each says its unit."""

from datetime import date

from pydantic import BaseModel, ConfigDict, Field, field_validator

from graphs.facts import Discipline


class ProfileCoverageThresholds(BaseModel):
    """Thresholds of the family profile_coverage."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    home_nationalities: tuple[str, ...] = ("JPN", "JP", "日本")
    """Forms in which the archive writes the home nationality; anything else is a foreign athlete."""
    further_nationalities: tuple[str, ...] = ()
    """Nationalities to accept beyond the country codes and names that come with the rules."""
    earliest_birth_year: int = 1930
    """Calendar year. Earlier births are believed only of athletes whose races fit the ages below."""
    youngest_age: int = Field(default=11, ge=0)
    """Years at a race; younger is implausible."""
    oldest_age: int = Field(default=60, ge=0)
    """Years at a race; masters run, so the bound is generous."""
    filler_birth_dates: tuple[date, ...] = (date(1900, 1, 1), date(1970, 1, 1), date(2000, 1, 1))
    """Dates that programs and forms write for want of a better one."""
    new_year_sharers: int = Field(default=3, ge=2)
    """Athletes born on the same 1 January from which on it looks like a filler."""
    crowded_day_athletes: int = Field(default=4, ge=2)
    """Athletes of one origin born on one day of the year from which on it may look crowded."""
    crowding_factor: float = Field(default=10.0, gt=1)
    """Times the number that an even spread over the year would give, from which on a day is crowded."""
    birth_year_spread: int = Field(default=25, ge=1)
    """Years over which the births of a roster spread; tells how many share a date by chance."""
    height_cm: tuple[int, int] = (140, 210)
    """Lowest and highest plausible height, in centimetres."""
    weight_kg: tuple[int, int] = (35, 100)
    """Lowest and highest plausible weight, in kilograms."""
    body_mass_index: tuple[float, float] = (14.0, 28.0)
    """Lowest and highest plausible weight over squared height, in kilograms per square metre."""
    main_disciplines: tuple[Discipline, ...] = ("m5000", "m10000", "half_marathon", "marathon")
    """Disciplines whose bests a verified athlete should have from a source; the site shows these four."""

    @field_validator("height_cm", "weight_kg", "body_mass_index")
    @classmethod
    def _lowest_first(cls, bounds: tuple[float, float]) -> tuple[float, float]:
        if bounds[0] >= bounds[1]:
            raise ValueError("give the lowest value first, then the highest")
        return bounds
