"""What the rules of the family person_normalization compare with: values a maintainer may change, with their units."""

from pydantic import BaseModel, ConfigDict, Field


class PersonNormalizationThresholds(BaseModel):
    """Thresholds of the family person_normalization."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cohort_gap_years: int = Field(default=2, ge=1)
    """Years between two implied birth cohorts from which two records are two people. A repeated or a skipped year
    moves a cohort by one."""

    university_delay_years: int = Field(default=1, ge=0)
    """Further years allowed where a university entry is compared with an earlier stage: two years of preparation for
    the entrance examination are ordinary."""

    oldest_competitor_years: int = Field(default=50, ge=30)
    """Age in years beyond which nobody runs an ekiden leg for a corporate team. A wide bound: the oldest starters
    of corporate ekiden were in their early forties."""

    oldest_racer_years: int = Field(default=60, ge=30)
    """Age in years beyond which nobody runs any race of the archive: two records of one name whose races lie further
    apart are two people, whatever teams they ran for."""

    youngest_racer_years: int = Field(default=11, ge=0)
    """Age in years before which nobody runs any race of the archive."""

    youngest_worker_years: int = Field(default=15, ge=12)
    """Age in years at the end of compulsory schooling, before which nobody joins a corporate team."""

    overlap_tolerance_days: int = Field(default=31, ge=0)
    """Days that two stays may share before they count as stays at one time."""

    adjacent_stay_years: int = Field(default=2, ge=1)
    """Academic years from the last of one stay to the first of another at the same organization up to which the
    second continues the first: a season without a result leaves a gap in windows that were inferred from results."""

    equal_bests: int = Field(default=2, ge=1)
    """Disciplines with the same personal best to the millisecond from which two records are one person."""

    name_group_limit: int = Field(default=3, ge=1)
    """Other people of one written name up to which each pair is weighed; beyond it the recall is too wide or an
    import is broken."""
