"""The rules of the family membership_timeline, in the order in which they run."""

from graphs.rules.membership_timeline.mt01_multiple_current import MultipleCurrent
from graphs.rules.membership_timeline.mt02_high_school_after_university import HighSchoolAfterUniversity
from graphs.rules.membership_timeline.mt03_school_stage_overlap import SchoolStageOverlap
from graphs.rules.membership_timeline.mt04_same_type_overlap import SameTypeOverlap
from graphs.rules.membership_timeline.mt05_alias_organization import AliasOrganization
from graphs.rules.membership_timeline.mt06_duplicate_rows import DuplicateRows
from graphs.rules.membership_timeline.mt07_invalid_dates import InvalidDates
from graphs.rules.membership_timeline.mt08_undated_membership import UndatedMembership
from graphs.rules.membership_timeline.mt09_school_window import SchoolWindow
from graphs.rules.membership_timeline.mt10_race_without_membership import RaceWithoutMembership
from graphs.rules.membership_timeline.mt11_race_outside_window import RaceOutsideWindow
from graphs.rules.membership_timeline.mt12_grade_mismatch import GradeMismatch
from graphs.rules.membership_timeline.mt13_conflicting_grades import ConflictingGrades
from graphs.rules.membership_timeline.mt14_age_stage_mismatch import AgeStageMismatch
from graphs.rules.membership_timeline.mt15_temporary_team import TemporaryTeam
from graphs.rules.membership_timeline.mt16_absent_team import AbsentTeam
from graphs.rules.membership_timeline.mt17_seed_residue import SeedResidue
from graphs.rules.membership_timeline.mt18_corporate_transition import CorporateTransition
from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    MultipleCurrent(),
    HighSchoolAfterUniversity(),
    SchoolStageOverlap(),
    SameTypeOverlap(),
    AliasOrganization(),
    DuplicateRows(),
    InvalidDates(),
    UndatedMembership(),
    SchoolWindow(),
    RaceWithoutMembership(),
    RaceOutsideWindow(),
    GradeMismatch(),
    ConflictingGrades(),
    AgeStageMismatch(),
    TemporaryTeam(),
    AbsentTeam(),
    SeedResidue(),
    CorporateTransition(),
)
