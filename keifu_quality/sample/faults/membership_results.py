"""Race results that do not fit the memberships.

Belongs here: MT10, MT11, MT12, MT13, MT16. Stays out: results that make two people of one (`identity_mixed`).
"""

from datetime import date

from keifu_quality.sample.faults.bases import graduate, pick, place, pupil, student
from keifu_quality.sample.faults.form import form
from keifu_quality.sample.workshop import Workshop

_EDITION_WITHOUT_SELECTION = 2023
"""The academic year of hakone-ekiden-100."""


@form("MT10")
def university_without_membership(w: Workshop) -> None:
    athlete, entry = w.athlete(), w.academic_year - 6
    w.school(athlete, pick(w, "high_school"), entry - 3)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry, 3), pick(w, "university"), grade=1)
    athlete.expect("MT10", "warning")


@form("MT10")
def other_university_than_the_known_one(w: Workshop) -> None:
    entry = w.academic_year - 6
    athlete, university = student(w, entry)
    event = w.calendar.leg("all-japan-university-ekiden", entry + 2, 5)
    w.result(athlete, event, pick(w, "university", university))
    athlete.expect("MT10", "error")


@form("MT10")
def university_of_a_similar_name(w: Workshop) -> None:
    entry, name = w.academic_year - 6, place(w)
    athlete = w.athlete()
    w.school(athlete, w.organization(f"{name}大学", "university", "東京都"), entry)
    ran_for = w.organization(f"{name}体育大学", "university", "東京都")
    w.result(athlete, w.calendar.leg("izumo-ekiden", entry + 1, 2), ran_for, grade=2)
    athlete.expect("MT10", "error")


@form("MT10")
def other_high_school_than_the_known_one(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, school = pupil(w, entry)
    event = w.calendar.leg("high-school-ekiden-men", entry + 1, 4)
    w.result(athlete, event, pick(w, "high_school", school), grade=2)
    athlete.expect("MT10", "error")


@form("MT10")
def corporate_team_without_membership(w: Workshop) -> None:
    athlete, entry = graduate(w)
    event = w.calendar.leg("new-year-ekiden", entry + 5, 6)
    w.result(athlete, event, pick(w, "corporate_team"))
    athlete.expect("MT10", "warning")


@form("MT11")
def race_in_the_year_after_graduation(w: Workshop) -> None:
    entry = w.academic_year - 8
    athlete, university = student(w, entry)
    w.result(athlete, w.calendar.leg("izumo-ekiden", entry + 4, 3), university)
    athlete.expect("MT11", "warning")


@form("MT11")
def race_years_after_graduation(w: Workshop) -> None:
    entry = w.academic_year - 9
    athlete, university = student(w, entry)
    w.result(athlete, w.calendar.leg("izumo-ekiden", entry + 6, 4), university)
    athlete.expect("MT11", "error")


@form("MT11")
def race_before_entry(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, school = pupil(w, entry)
    w.result(athlete, w.calendar.leg("high-school-ekiden-men", entry - 1, 2), school)
    athlete.expect("MT11", "warning")


@form("MT11")
def corporate_race_before_joining(w: Workshop) -> None:
    athlete, entry = graduate(w)
    team = pick(w, "corporate_team")
    w.membership(athlete, team, date(entry + 5, 10, 1), None)
    w.result(athlete, w.calendar.leg("new-year-ekiden", entry + 4, 5), team)
    athlete.expect("MT11", "warning")


@form("MT12")
def grade_one_ahead(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, university = student(w, entry)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry + 1, 7), university, grade=3)
    athlete.expect("MT12", "warning")


@form("MT12")
def grade_two_ahead(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, university = student(w, entry)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry + 1, 8), university, grade=4)
    athlete.expect("MT12", "error")


@form("MT12")
def high_school_grade_two_behind(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, school = pupil(w, entry)
    w.result(athlete, w.calendar.leg("high-school-ekiden-men", entry + 2, 1), school, grade=1)
    athlete.expect("MT12", "error")


@form("MT12")
def grade_off_where_only_the_year_is_known(w: Workshop) -> None:
    # The All-Japan editions of such years have no day.
    year = max(year for year in range(w.academic_year - 8, w.academic_year) if year % 6 == 1)
    athlete, university = student(w, year - 3)
    w.result(athlete, w.calendar.leg("all-japan-university-ekiden", year, 4), university, grade=2)
    athlete.expect("MT12", "info")


@form("MT13")
def one_grade_out_of_line(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, university = student(w, entry)
    for year, grade in ((entry + 1, 2), (entry + 2, 4), (entry + 3, 4)):
        w.result(athlete, w.calendar.leg("hakone-ekiden", year, 9), university, grade=grade)
    athlete.expect("MT13", "warning")
    athlete.expect("MT12", "warning")


@form("MT13")
def grades_two_years_apart(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, university = student(w, entry)
    for year, grade in ((entry + 1, 2), (entry + 2, 1)):
        w.result(athlete, w.calendar.leg("izumo-ekiden", year, 5), university, grade=grade)
    athlete.expect("MT13", "error")
    athlete.expect("MT12", "error")
    athlete.expect("PN10", "error")


@form("MT16")
def selection_in_the_edition_without_one(w: Workshop) -> None:
    athlete, _university = student(w, _EDITION_WITHOUT_SELECTION - 2)
    event = w.calendar.leg("hakone-ekiden", _EDITION_WITHOUT_SELECTION, 8)
    w.result(athlete, event, w.organizations.unions["kanto-student-union"], grade=3)
    athlete.expect("MT16", "error")
