"""What the rules of the family membership_timeline compare with. Values a maintainer may change; each says its unit."""

from datetime import date
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field


class MembershipTimelineThresholds(BaseModel):
    """Thresholds of the family membership_timeline."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    handover_days: int = Field(default=31, ge=0)
    """Days that a school and what follows it may share while one hands over to the other (MT01, MT03)."""
    overlap_tolerance_days: int = Field(default=0, ge=0)
    """Days beyond one shared boundary day that two stays of one kind may share (MT04, MT05, MT17)."""

    open_school_years: int = Field(default=4, ge=1)
    """Years after its start up to which a junior high or high school row without an end is believed to run."""
    open_university_years: int = Field(default=7, ge=1)
    """Years after its start up to which a university row without an end is believed to run."""
    school_length_tolerance_days: int = Field(default=60, ge=0)
    """Days by which a stay of three years may miss the round number: ceremonies in March and in April."""
    university_years_min: int = Field(default=1, ge=0)
    """Shortest believable stay at a university, in years."""
    university_years_max: int = Field(default=6, ge=1)
    """Longest stay at a university without graduate school, in years: faculties of medicine take six."""
    graduate_years_max: int = Field(default=9, ge=1)
    """Longest stay at a university with graduate school folded into it, in years."""

    far_future_days: int = Field(default=400, ge=0)
    """Days from today beyond which a start cannot be planned: next April and a month."""
    earliest_start: date = date(1900, 1, 1)
    """No runner of this archive began before; the oldest ekiden was run in 1917."""

    april_grace_days: int = Field(default=30, ge=0)
    """Days after a stay has ended in which lists still print the old team: the races of April."""
    highest_grade: int = Field(default=10, ge=1)
    """Highest grade that an import accepts; graduate school continues the count."""
    graduate_grade: int = Field(default=5, ge=1)
    """Lowest grade at a university that means a repeated year, a long faculty or graduate school."""
    graduate_age: int = Field(default=22, ge=15)
    """Age in years from which an entry into a university is one into graduate school."""
    late_high_school_gap: int = Field(default=2, ge=1)
    """Years after the normal entry of the birth cohort from which an entry into a high school is doubtful."""
    late_university_gap: int = Field(default=3, ge=1)
    """The same for a university: one or two years of preparing for the entrance examination are normal."""
    earliest_high_school_gap: int = 0
    """Years against the normal entry below which an entry into a high school is impossible."""
    earliest_university_gap: int = -1
    """The same for a university: early entry exists and is rare."""

    rename_gap_days: int = Field(default=40, ge=0)
    """Days between the end at one team and the start at another that still touch."""
    rename_teammates: int = Field(default=3, ge=1)
    """Other athletes with the same move that make it the team's move, not the athlete's."""
    early_joining_days: int = Field(default=60, ge=0)
    """Days before the end of the last school from which joining a corporate team is doubtful."""

    seed_reliability: int = 1
    """Source.reliability up to which a membership is a guess."""
    sourced_reliability: int = 3
    """Source.reliability from which a membership supersedes a guess."""

    absent_teams: tuple[tuple[str, int, str], ...] = (("hakone-ekiden", 100, "kanto-student-union"),)
    """Teams that an edition did not have: competition slug, edition number, organization slug."""

    @cached_property
    def absent_team_slugs(self) -> frozenset[str]:
        """Organization slugs of `absent_teams`."""
        return frozenset(slug for _, _, slug in self.absent_teams)
