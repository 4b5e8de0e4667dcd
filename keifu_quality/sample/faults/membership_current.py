"""Several memberships at once.

Belongs here: MT01. Stays out: overlaps of ended memberships (`membership_order`).
"""

from datetime import date
from functools import partial

from keifu_quality.sample.faults.bases import pick, pupil, student
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.profiles import born_in_cohort
from keifu_quality.sample.workshop import Workshop


@form("MT01")
def two_universities_current(w: Workshop) -> None:
    athlete, first = student(w, w.academic_year - 1)
    w.school(athlete, pick(w, "university", first), w.academic_year - 1)
    athlete.expect("MT01", "error")
    athlete.expect("MT04", "warning")


@form("MT01")
def two_corporate_teams_open(w: Workshop) -> None:
    athlete = w.athlete()
    first = pick(w, "corporate_team")
    w.membership(athlete, first, date(w.academic_year - 6, 4, 1), None)
    w.membership(athlete, pick(w, "corporate_team", first), date(w.academic_year - 2, 7, 1), None)
    athlete.expect("MT01", "warning")
    athlete.expect("MT04", "info")


@form("MT01")
def two_high_schools_current(w: Workshop) -> None:
    athlete, first = pupil(w, w.academic_year)
    w.school(athlete, pick(w, "high_school", first), w.academic_year)
    athlete.expect("MT01", "error")
    athlete.expect("MT04", "warning")


@form("MT01")
def high_school_and_corporate_team(w: Workshop) -> None:
    athlete = w.athlete()
    w.school(athlete, pick(w, "high_school"), w.academic_year)
    w.membership(athlete, pick(w, "corporate_team"), date(w.academic_year, 4, 1), None)
    athlete.expect("MT01", "error")
    athlete.expect("MT18", "warning")


@form("MT01")
def university_and_corporate_team(w: Workshop) -> None:
    entry = w.academic_year - 1
    athlete, _university = student(w, entry)
    athlete.person.birth_date = born_in_cohort(w, entry - 19)
    w.membership(athlete, pick(w, "corporate_team"), date(w.academic_year, 4, 1), None)
    athlete.expect("MT01", "error")
    athlete.expect("MT18", "warning")


@form("MT01")
def corporate_teams_all_marked_conflicting(w: Workshop) -> None:
    athlete = w.athlete()
    teams = [pick(w, "corporate_team")]
    while len(teams) < 4:
        teams.append(pick(w, "corporate_team", *teams))
    for years, team in zip((11, 9, 6, 2), teams, strict=True):
        w.membership(athlete, team, date(w.academic_year - years, 4, 1), None, status="conflicting")
    # Handled already: the finding stays as an observation.
    athlete.expect("MT01", "info")
    athlete.tolerated.add("MT04")


def _with_club(w: Workshop, kind: str) -> None:
    athlete = w.athlete()
    start = date(w.academic_year - 1, 4, 1)
    if kind in ("corporate_team", "company"):
        w.membership(athlete, pick(w, kind), start, None)
    else:
        w.school(athlete, pick(w, kind), w.academic_year)
    w.membership(athlete, pick(w, "club"), start, None)
    athlete.expect("MT01", "info")


ALLOWED_PAIRS = tuple(
    Form("MT01", f"{kind}_and_club", 1, partial(_with_club, kind=kind))
    for kind in ("university", "high_school", "corporate_team", "company")
)


@form("MT01")
def corporate_team_and_graduate_school(w: Workshop) -> None:
    athlete = w.athlete()
    cohort = w.academic_year - 27
    athlete.person.birth_date = born_in_cohort(w, cohort)
    w.school(athlete, pick(w, "university"), cohort + 19)
    w.membership(athlete, pick(w, "corporate_team"), date(cohort + 23, 4, 1), None)
    w.school(athlete, pick(w, "university"), w.academic_year, 2)
    athlete.expect("MT01", "info")
    # A second degree far from the usual age is what it is.
    athlete.undecided.add("MT14")
