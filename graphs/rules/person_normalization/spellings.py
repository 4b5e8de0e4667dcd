"""Candidates whose name is spelled in another way.

Belongs here: what rules PN04 to PN06 share: weighing a candidate of another spelling, and what counts as support.
"""

from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.group import own_record
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.stays import shared_organizations
from graphs.rules.person_normalization.weighing import Weighing, weigh
from graphs.rules.rule import RuleContext


def weigh_spelling(athlete: Athlete, other: Record, context: RuleContext) -> Weighing | None:
    """The weighing of a candidate of another spelling; None where it is somebody else and hence no candidate."""
    weighing = weigh(
        own_record(athlete), other, context, judgements=athlete.judgements, merge_records=athlete.merge_records
    )
    return None if weighing.verdict == "different" else weighing


def has_support(weighing: Weighing) -> bool:
    """Whether anything but the spelling speaks for one person, and nothing decides against it."""
    if weighing.different:
        return False
    if weighing.same or (weighing.judgement is not None and weighing.judgement.verdict == "same"):
        return True
    return any(i.kind != "kana_differs" for i in weighing.supporting)


def share_an_organization(athlete: Athlete, other: Record) -> bool:
    """Whether both were at one school or team."""
    return len(shared_organizations(own_record(athlete), other)) > 0
