"""What two stays of one athlete mean together: a double, an alias, a rename, a transfer, an allowed pair.

Belongs here: the predicates by which rules of this family leave a pair to another rule, or let it be.
Stays out: overlaps in days (`graphs.rules.membership_timeline.stays`) and severities.
"""

from datetime import date
from typing import Literal

from graphs.facts import Membership, RaceResult
from graphs.rules.affiliation import (
    EMPLOYERS,
    belongs_to_same,
    linked_by_former_name,
    same_organization,
    same_school_of_municipality,
)
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import DAYS_PER_YEAR, SCHOOL_STAGES, end_of, start_of
from graphs.text.school_year import STAGE_LENGTHS, academic_year

GRADUATE_WORDS = ("大学院", "研究科", "修士", "博士")
LOOSE_TYPES = frozenset({"club", "organizer"})
"""Organization types that anybody may belong to beside a school or an employer."""

AllowedReason = Literal["club", "graduate_school", "one_employer", "transfer"]
RenameEvidence = Literal["former_name", "team_mates"]


def is_duplicate(first: Membership, second: Membership) -> bool:
    """Whether two rows say the same: organization, type, role, dates and years."""
    return duplicate_key(first) == duplicate_key(second)


def duplicate_key(membership: Membership) -> tuple[object, ...]:
    """What makes two rows one stay. The status is not part of it."""
    return (
        membership.organization.id,
        membership.type,
        membership.role,
        membership.start_date,
        membership.end_date,
        membership.start_year,
        membership.end_year,
    )


def is_alias(first: Membership, second: Membership) -> bool:
    """Whether two rows name one organization by two organization rows. A renamed corporate team is no alias."""
    a, b = first.organization, second.organization
    if a.id == b.id or not (same_organization(a, b) or same_school_of_municipality(a, b)):
        return False
    return not (a.type == "corporate_team" and linked_by_former_name(a, b))


def rename_evidence(
    athlete: Athlete, first: Membership, second: Membership, thresholds: MembershipTimelineThresholds
) -> RenameEvidence | None:
    """What shows that two corporate rows are one team before and after a rename or a transfer of the whole team.

    Either a recorded former name, or rows that touch and team-mates who made the same move at the same time.
    """
    a, b = first.organization, second.organization
    if a.type != "corporate_team" or b.type != "corporate_team" or a.id == b.id:
        return None
    if linked_by_former_name(a, b):
        return "former_name"
    for old, new in ((first, second), (second, first)):
        if _touch(old, new, thresholds) and _team_mates(athlete, old, new) >= thresholds.rename_teammates:
            return "team_mates"
    return None


def has_graduate_words(membership: Membership) -> bool:
    """Whether the organization, the faculty, the department or a note of a stay names a graduate school."""
    texts = (membership.organization.name_ja, membership.faculty, membership.department, membership.notes)
    return any(word in text for text in texts if text for word in GRADUATE_WORDS)


def is_graduate_stay(athlete: Athlete, membership: Membership, thresholds: MembershipTimelineThresholds) -> bool:
    """Whether a stay at a university is, or runs on into, graduate school.

    By its words, the age at entry, an earlier university that had ended, or a grade beyond the fourth.
    """
    if membership.organization.type != "university":
        return False
    if has_graduate_words(membership):
        return True
    start, birth = start_of(membership), athlete.person.birth_date
    if start is not None and birth is not None and _age(birth, start) >= thresholds.graduate_age:
        return True
    if start is not None and any(_ended_before(other, start) for other in _universities(athlete, membership)):
        return True
    return any(
        (result.grade_at_race or 0) >= thresholds.graduate_grade
        and result.organization is not None
        and same_organization(result.organization, membership.organization)
        and (start is None or start <= athlete.race_dates[result.id].value)
        for result in athlete.results
    )


def is_transfer(
    athlete: Athlete, first: Membership, second: Membership, thresholds: MembershipTimelineThresholds
) -> bool:
    """Whether two rows of one school stage are a change of school whose first graduation was only projected.

    Together they span the normal years, and the results agree: some at the new school, none there before the
    change and none at the old school after it.
    """
    stage = first.organization.type
    if stage not in SCHOOL_STAGES or stage != second.organization.type:
        return False
    first_start, second_start = start_of(first), start_of(second)
    if first_start is None or second_start is None or first_start == second_start:
        return False
    old, new, change = (first, second, second_start) if first_start < second_start else (second, first, first_start)
    ends = [end for end in (end_of(first), end_of(second)) if end is not None]
    years = STAGE_LENGTHS[stage] * DAYS_PER_YEAR
    if (
        not ends
        or abs((max(ends) - min(first_start, second_start)).days - years) > thresholds.school_length_tolerance_days
    ):
        return False
    old_results, new_results = _results_of(athlete, old), _results_of(athlete, new)
    return (
        bool(new_results)
        and all(_may_be_before(athlete, r, change) for r in old_results)
        and all(_may_be_from(athlete, r, change) for r in new_results)
    )


def allowed_together(
    athlete: Athlete, first: Membership, second: Membership, thresholds: MembershipTimelineThresholds
) -> AllowedReason | None:
    """Why two stays may run at the same time, or None.

    Anybody may belong to a club; an employee may study at a graduate school; a team and the company behind it are
    one employer; a pupil may have changed schools.
    """
    a, b = first.organization.type, second.organization.type
    if a in LOOSE_TYPES or b in LOOSE_TYPES:
        return "club"
    if a == b == "university":
        later = max(first, second, key=lambda m: start_of(m) or date.min)
        if is_graduate_stay(athlete, later, thresholds):
            return "graduate_school"
    elif a != b and {a, b} <= EMPLOYERS | {"university"}:
        student = next((m for m in (first, second) if m.organization.type == "university"), None)
        if student is None:
            return "one_employer" if belongs_to_same(first.organization, second.organization) else None
        return "graduate_school" if is_graduate_stay(athlete, student, thresholds) else None
    return "transfer" if is_transfer(athlete, first, second, thresholds) else None


def _touch(old: Membership, new: Membership, thresholds: MembershipTimelineThresholds) -> bool:
    end, start = end_of(old), start_of(new)
    return end is not None and start is not None and abs((start - end).days) <= thresholds.rename_gap_days


def _team_mates(athlete: Athlete, old: Membership, new: Membership) -> int:
    return max(
        (
            move.athletes
            for move in athlete.snapshot.team_moves
            if (move.from_organization_id, move.to_organization_id) == (old.organization.id, new.organization.id)
        ),
        default=0,
    )


def _universities(athlete: Athlete, besides: Membership) -> list[Membership]:
    return [m for m in athlete.athlete_memberships if m.organization.type == "university" and m.id != besides.id]


def _ended_before(membership: Membership, day: date) -> bool:
    end = end_of(membership)
    return start_of(membership) is not None and end is not None and (end - day).days <= 1


def _age(birth: date, day: date) -> int:
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def _results_of(athlete: Athlete, membership: Membership) -> list[RaceResult]:
    return [
        r
        for r in athlete.results
        if r.organization is not None and same_organization(r.organization, membership.organization)
    ]


def _may_be_before(athlete: Athlete, result: RaceResult, day: date) -> bool:
    race = athlete.race_dates[result.id]
    return race.value < day if race.precision == "day" else min(race.academic_years) < academic_year(day)


def _may_be_from(athlete: Athlete, result: RaceResult, day: date) -> bool:
    race = athlete.race_dates[result.id]
    return race.value >= day if race.precision == "day" else max(race.academic_years) >= academic_year(day)
