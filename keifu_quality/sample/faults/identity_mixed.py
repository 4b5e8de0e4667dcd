"""Two people in one record, and results that one person cannot have.

Belongs here: PN08, PN09, PN10, PN15. Stays out: grades that do not fit the membership (`membership_results`).
"""

from dataclasses import replace

from keifu_quality.sample.faults.bases import own_race, pick, pupil, student, worker
from keifu_quality.sample.faults.form import form
from keifu_quality.sample.names import Name
from keifu_quality.sample.slugs import encoded
from keifu_quality.sample.workshop import Workshop


@form("PN08")
def two_legs_for_one_university(w: Workshop) -> None:
    entry = w.academic_year - 6
    athlete, university = student(w, entry)
    for leg in (3, 8):
        w.result(athlete, w.calendar.leg("hakone-ekiden", entry + 1, leg), university)
    athlete.expect("PN08", "critical")


@form("PN08")
def two_prefectures_in_one_edition(w: Workshop) -> None:
    athlete, _team = worker(w, years=5)
    prefectures = list(w.organizations.prefectures.values())
    for leg, team in ((3, prefectures[5]), (7, prefectures[30])):
        w.result(athlete, w.calendar.leg("prefecture-ekiden-men", w.academic_year - 2, leg), team)
    athlete.expect("PN08", "critical")


@form("PN08")
def university_and_selection_in_one_edition(w: Workshop) -> None:
    entry = w.academic_year - 5
    athlete, university = student(w, entry)
    union = w.organizations.unions["japan-student-union-select"]
    w.result(athlete, w.calendar.leg("izumo-ekiden", entry + 2, 2), university)
    w.result(athlete, w.calendar.leg("izumo-ekiden", entry + 2, 6), union)
    athlete.expect("PN08", "critical")


@form("PN09")
def result_stored_twice(w: Workshop) -> None:
    entry = w.academic_year - 5
    athlete, university = student(w, entry)
    event = own_race(w, "m5000", entry + 1)
    athlete.wants_cache = False
    for _copy in range(2):
        w.result(athlete, event, university, 851_230)
    w.best(athlete, "m5000", 851_230)
    athlete.expect("PN09", "error")


@form("PN09")
def two_marks_in_one_race(w: Workshop) -> None:
    entry = w.academic_year - 5
    athlete, university = student(w, entry)
    event = own_race(w, "m5000", entry + 2)
    athlete.wants_cache = False
    for millis in (851_230, 866_900):
        w.result(athlete, event, university, millis)
    w.best(athlete, "m5000", 851_230)
    athlete.expect("PN09", "error")


@form("PN09", people=2)
def two_records_of_one_team_in_one_race(w: Workshop) -> None:
    name, entry = w.names.japanese(), w.academic_year - 5
    first, university = student(w, entry, name=name)
    second = w.athlete(name)
    w.school(second, university, entry)
    event = own_race(w, "m10000", entry + 2)
    for athlete, millis in ((first, 1_782_340), (second, 1_801_020)):
        athlete.wants_cache = False
        w.result(athlete, event, university, millis)
        athlete.expect("PN09", "error")
        athlete.expect("PN01", "error")


@form("PN09", people=2)
def left_over_under_the_old_slug(w: Workshop) -> None:
    name, entry = w.names.japanese(), w.academic_year - 5
    old, university = student(w, entry, name=name)
    corrected = w.athlete(name)
    w.school(corrected, university, entry)
    event = own_race(w, "m10000", entry + 1)
    for athlete in (old, corrected):
        athlete.wants_cache = False
        row = w.result(athlete, event, university, 1_795_660)
        if athlete is old:
            w.left_over.add(row.id)
        athlete.expect("PN09", "error")
        athlete.expect("PN01", "error")


@form("PN10")
def high_school_race_years_after_university_race(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, university = student(w, entry)
    school = pick(w, "high_school")
    w.school(athlete, school, entry - 3)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry, 4), university)
    w.result(athlete, w.calendar.leg("high-school-ekiden-men", entry + 2, 5), school)
    athlete.expect("PN10", "critical")
    athlete.expect("MT11", "error")


@form("PN10")
def high_school_race_weeks_after_university_race(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, university = student(w, entry)
    school = pick(w, "high_school")
    w.school(athlete, school, entry - 3)
    w.result(athlete, w.calendar.leg("izumo-ekiden", entry, 4), university)
    w.result(athlete, w.calendar.leg("high-school-ekiden-men", entry, 6), school)
    athlete.expect("PN10", "error")
    athlete.expect("MT11", "warning")


@form("PN10")
def schools_that_take_turns(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, school = pupil(w, entry)
    for year, ran_for in enumerate((school, pick(w, "high_school", school), school), start=entry):
        w.result(athlete, w.calendar.leg("high-school-ekiden-men", year, 7), ran_for)
    athlete.expect("PN10", "critical")
    athlete.expect("MT10", "error")


@form("PN10")
def two_universities_in_one_year(w: Workshop) -> None:
    entry = w.academic_year - 6
    athlete, university = student(w, entry)
    w.result(athlete, w.calendar.leg("izumo-ekiden", entry + 1, 1), university)
    event = own_race(w, "m5000", entry + 1, 12, 8)
    w.result(athlete, event, pick(w, "university", university))
    athlete.expect("PN10", "error")
    athlete.expect("MT10", "error")
    athlete.tolerated.add("PB09")


def _cut_name(w: Workshop) -> Name:
    """A name whose temporary slug is free and loses part of the last character."""
    while True:
        name = w.names.japanese()
        if len(name.written) == 4 and w.slugs.is_free(encoded(name)):
            return name


@form("PN15")
def two_names_under_one_slug(w: Workshop) -> None:
    name = _cut_name(w)
    other = replace(name, given=name.given[0] + "浩")  # a character that no supplied name ends in
    athlete = w.athlete(name, slug=encoded(name))
    w.school(athlete, pick(w, "university"), w.academic_year - 6)
    w.reference(athlete, name=f"{name.family} {name.given}")
    w.reference(athlete, source="pdf", name=f"{other.family} {other.given}")
    athlete.expect("PN15", "error")
    athlete.expect("PN11", "error")


@form("PN15")
def two_unrelated_universities_under_one_slug(w: Workshop) -> None:
    name, entry = _cut_name(w), w.academic_year - 10
    athlete = w.athlete(name, slug=encoded(name))
    first = pick(w, "university")
    second = pick(w, "university", first)
    for university, start in ((first, entry), (second, entry + 4)):
        w.school(athlete, university, start)
        w.result(athlete, w.calendar.leg("izumo-ekiden", start + 1, 3), university)
    athlete.expect("PN15", "warning")
