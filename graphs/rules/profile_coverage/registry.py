"""The rules of the family profile_coverage, in the order in which they run."""

from graphs.rules.profile_coverage.pc01_missing_fields import MissingFields
from graphs.rules.profile_coverage.pc05_birth_date import ImplausibleBirthDate
from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = (MissingFields(), ImplausibleBirthDate())
