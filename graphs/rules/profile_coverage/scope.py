"""Which fields the family expects of whom.

Belongs here: predicates that several rules of the family share. Stays out: what a rule makes of them.
"""

from graphs.facts import Person
from graphs.rules.profile_coverage.field_forms import MARKUP
from graphs.rules.profile_coverage.thresholds import ProfileCoverageThresholds


def is_athlete(person: Person) -> bool:
    """The family leaves coaches and staff alone."""
    return person.type == "athlete"


def is_foreign(person: Person, thresholds: ProfileCoverageThresholds) -> bool:
    """A known nationality other than the home one; no hometown is expected then.

    Markup around the nationality is PC06 and makes nobody a foreigner.
    """
    if not person.nationality:
        return False
    bare = MARKUP.sub("", person.nationality).strip()
    return bool(bare) and bare not in thresholds.home_nationalities
