"""The rules of the family profile_coverage, in the order in which they run."""

from graphs.rules.profile_coverage.pc01_missing_fields import MissingFields
from graphs.rules.profile_coverage.pc02_fill_available import FillAvailable
from graphs.rules.profile_coverage.pc03_verified_incomplete import VerifiedButIncomplete
from graphs.rules.profile_coverage.pc04_shell import ShellPerson
from graphs.rules.profile_coverage.pc05_birth_date import ImplausibleBirthDate
from graphs.rules.profile_coverage.pc06_field_format import ProfileFieldFormat
from graphs.rules.profile_coverage.pc07_type_mismatch import PersonTypeRoleMismatch
from graphs.rules.profile_coverage.pc08_protected_profile import ProtectedProfileChanged
from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    MissingFields(),
    FillAvailable(),
    VerifiedButIncomplete(),
    ShellPerson(),
    ImplausibleBirthDate(),
    ProfileFieldFormat(),
    PersonTypeRoleMismatch(),
    ProtectedProfileChanged(),
)
