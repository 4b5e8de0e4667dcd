"""Membership rows that are wrong by themselves or beside their like.

Belongs here: MT06, MT07, MT08, MT09, MT15, MT17. Stays out: what needs race results or birth dates.
"""

from datetime import date
from functools import partial

from keifu_quality.sample.faults.bases import graduate, pick, place, pupil, student, worker
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.workshop import Workshop


def _identical(w: Workshop, kind: str, status: str) -> None:
    athlete, school = w.athlete(), pick(w, kind)
    for row_status in ("pending", status):
        w.school(athlete, school, w.academic_year - 9, status=row_status)
    athlete.expect("MT06", "warning")
    athlete.undecided.add("MT04")


IDENTICAL_ROWS = (
    Form("MT06", "identical_rows", 1, partial(_identical, kind="university", status="pending")),
    Form("MT06", "identical_but_for_status", 1, partial(_identical, kind="high_school", status="verified")),
)


@form("MT07")
def end_before_start(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 5
    w.membership(athlete, pick(w, "corporate_team"), date(start, 4, 1), date(start - 1, 3, 31))
    athlete.expect("MT07", "error")


@form("MT07")
def end_year_before_start_year(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 5
    w.membership(athlete, pick(w, "corporate_team"), None, None, start_year=start, end_year=start - 2)
    athlete.expect("MT07", "error")


@form("MT07")
def start_year_differs_from_date(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 5
    w.membership(athlete, pick(w, "club"), date(start, 4, 1), None, start_year=start - 1)
    athlete.expect("MT07", "info")


@form("MT07")
def end_year_differs_from_date(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 5
    w.membership(athlete, pick(w, "club"), date(start, 4, 1), date(start + 3, 3, 31), end_year=start + 2)
    athlete.expect("MT07", "info")


@form("MT07")
def starts_in_the_far_future(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    w.membership(athlete, pick(w, "club"), date(w.academic_year + 5, 4, 1), None)
    athlete.expect("MT07", "info", "warning", "error")


def _undated(w: Workshop, kind: str) -> None:
    athlete, _entry = graduate(w)
    w.membership(athlete, pick(w, kind), None, None)
    athlete.expect("MT08", "info")


UNDATED = tuple(
    Form("MT08", f"undated_{kind}", 1, partial(_undated, kind=kind))
    for kind in ("club", "company", "junior_high_school")
)


def _window(w: Workshop, kind: str, years: int) -> None:
    athlete = w.athlete()
    w.school(athlete, pick(w, kind), w.academic_year - years - 2, years)
    athlete.expect("MT09", "warning")


WINDOWS = tuple(
    Form("MT09", f"{kind}_of_{years}_years", 1, partial(_window, kind=kind, years=years))
    for kind, years in (("high_school", 2), ("high_school", 5), ("junior_high_school", 2), ("university", 11))
)


@form("MT09")
def university_of_half_a_year(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 5
    w.membership(athlete, pick(w, "university"), date(start, 4, 1), date(start, 9, 30))
    athlete.expect("MT09", "warning")


def _open_too_long(w: Workshop, kind: str, years: int) -> None:
    athlete = w.athlete()
    w.membership(athlete, pick(w, kind), date(w.academic_year - years, 4, 1), None)
    athlete.expect("MT09", "warning")


OPEN_TOO_LONG = (
    Form("MT09", "high_school_open_for_years", 1, partial(_open_too_long, kind="high_school", years=6)),
    Form("MT09", "university_open_for_years", 1, partial(_open_too_long, kind="university", years=10)),
)


@form("MT09")
def high_school_without_end_beside_work(w: Workshop) -> None:
    athlete, _team = worker(w, years=9)
    start = w.academic_year - 16
    w.membership(athlete, pick(w, "high_school"), None, None, start_year=start)
    # Missing data, not a current school: never MT01.
    athlete.expect("MT09", "warning", "info")
    athlete.undecided.add("MT18")


@form("MT09")
def september_graduation(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 7
    w.membership(athlete, pick(w, "university"), date(start, 9, 1), date(start + 4, 8, 31))
    athlete.expect("MT09", "info")


@form("MT15")
def prefecture_team(w: Workshop) -> None:
    athlete, school = pupil(w, w.academic_year - 8)
    team = w.organizations.prefectures[school.prefecture or "大分県"]
    w.membership(athlete, team, date(w.academic_year - 5, 1, 10), date(w.academic_year - 5, 1, 31))
    athlete.expect("MT15", "error")


@form("MT15")
def student_union_selection(w: Workshop) -> None:
    athlete, _university = student(w, w.academic_year - 8)
    union = w.organizations.unions["kanto-student-union"]
    w.membership(athlete, union, date(w.academic_year - 6, 10, 20), date(w.academic_year - 5, 1, 3))
    athlete.expect("MT15", "error")


@form("MT15")
def selection_stored_as_club(w: Workshop) -> None:
    athlete, _university = student(w, w.academic_year - 8)
    union = w.organizations.unions["tokai-student-union-select"]
    w.membership(athlete, union, date(w.academic_year - 6, 10, 20), date(w.academic_year - 5, 1, 3))
    athlete.expect("MT15", "error")


@form("MT15")
def selection_known_by_its_name(w: Workshop) -> None:
    athlete, _university = student(w, w.academic_year - 8)
    union = w.organization(f"{place(w)}地区学連選抜", "club")
    w.membership(athlete, union, date(w.academic_year - 6, 10, 20), date(w.academic_year - 5, 1, 3))
    athlete.expect("MT15", "error")


@form("MT17")
def estimated_row_beside_the_sourced_one(w: Workshop) -> None:
    athlete, university = student(w, w.academic_year - 8)
    w.school(athlete, university, w.academic_year - 9, source="seed")
    athlete.expect("MT17", "warning")
    athlete.undecided.add("MT04")


@form("MT17")
def estimated_other_high_school(w: Workshop) -> None:
    athlete, school = pupil(w, w.academic_year - 8)
    w.school(athlete, pick(w, "high_school", school), w.academic_year - 9, source="seed")
    athlete.expect("MT17", "warning")
    athlete.expect("MT04", "warning")


@form("MT17")
def estimated_other_corporate_team(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 9
    team = pick(w, "corporate_team")
    w.membership(athlete, team, date(start, 4, 1), date(start + 5, 3, 31))
    other = pick(w, "corporate_team", team)
    w.membership(athlete, other, date(start + 2, 4, 1), date(start + 4, 3, 31), source="seed")
    athlete.expect("MT17", "warning")
    athlete.expect("MT04", "info")
