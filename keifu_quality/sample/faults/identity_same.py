"""People of one written name: doubles, doubtful pairs, namesakes.

Belongs here: PN01, PN02, PN03, PN07. Stays out: names that differ in their glyphs (`identity_forms`).
"""

from datetime import date, datetime, timedelta

from keifu_quality.sample.faults.bases import own_race, pick, pupil, readable_name, student, worker
from keifu_quality.sample.faults.form import form
from keifu_quality.sample.profiles import born_in_cohort
from keifu_quality.sample.workshop import Workshop


@form("PN01", people=2)
def same_birth_date_and_school(w: Workshop) -> None:
    name, entry = w.names.japanese(), w.academic_year - 9
    born, school = born_in_cohort(w, entry - 16), pick(w, "high_school")
    for _record in range(2):
        athlete = w.athlete(name, birth_date=born)
        w.school(athlete, school, entry)
        athlete.expect("PN01", "error")


@form("PN01", people=2)
def slugs_in_both_romanisation_orders(w: Workshop) -> None:
    name = readable_name(w)
    first = w.athlete(name, slug=f"{name.given_roman}-{name.family_roman}")
    second = w.athlete(name, slug=f"{name.family_roman}-{name.given_roman}")
    w.school(first, pick(w, "high_school"), w.academic_year - 9)
    w.membership(second, pick(w, "corporate_team"), date(w.academic_year - 6, 4, 1), None)
    for athlete in (first, second):
        athlete.expect("PN01", "error")
        athlete.expect("PN06", "warning")


@form("PN01", people=2)
def same_marks_in_two_disciplines(w: Workshop) -> None:
    name = w.names.japanese()
    first, _school = pupil(w, w.academic_year - 12, name=name)
    second, _team = worker(w, years=8, name=name)
    for athlete in (first, second):
        w.best(athlete, "m5000", 842_310)
        w.best(athlete, "m10000", 1_741_580)
        athlete.expect("PN01", "error")


@form("PN01", people=2)
def same_university_and_class(w: Workshop) -> None:
    name, entry = w.names.japanese(), w.academic_year - 8
    first, university = student(w, entry, name=name)
    second = w.athlete(name)
    w.school(second, university, entry)
    for athlete in (first, second):
        athlete.expect("PN01", "error")


@form("PN01", people=2)
def foreign_name_with_dot_and_with_space(w: Workshop) -> None:
    name, entry = w.names.foreign(), w.academic_year - 6
    university = pick(w, "university")
    for written in (name.written, f"{name.given} {name.family}"):
        athlete = w.athlete(name, written=written)
        w.school(athlete, university, entry)
        athlete.expect("PN01", "error")
        athlete.undecided.add("PN05")


@form("PN01", people=2)
def compatibility_ideograph(w: Workshop) -> None:
    given, entry = w.names.reserved_given(), w.academic_year - 8
    plain = w.names.named(("福倣", "フクナラ"), given)
    university = pick(w, "university")
    first = w.athlete(plain)
    second = w.athlete(plain, written="\ufa1b" + plain.written[1:])
    for athlete in (first, second):
        w.school(athlete, university, entry)
        athlete.expect("PN01", "error")
    second.expect("PN13", "info")


@form("PN02", people=2)
def one_name_without_evidence(w: Workshop) -> None:
    name = w.names.japanese()
    first, _school = pupil(w, w.academic_year - 14, name=name)
    second, _team = worker(w, years=8, name=name)
    for athlete in (first, second):
        athlete.expect("PN02", "warning")


@form("PN02", people=2)
def consecutive_schools(w: Workshop) -> None:
    name, entry = w.names.japanese(), w.academic_year - 9
    first, second = w.athlete(name), w.athlete(name)
    w.school(first, pick(w, "junior_high_school"), entry)
    w.school(second, pick(w, "high_school"), entry + 3)
    for athlete in (first, second):
        # An equal reading and stages that follow each other support, and decide nothing.
        athlete.person.display_name_kana = name.kana
        athlete.expect("PN02", "warning")


@form("PN02", people=3)
def three_of_one_name(w: Workshop) -> None:
    name = w.names.japanese()
    first, _school = pupil(w, w.academic_year - 14, name=name)
    second, _team = worker(w, years=8, name=name)
    third = w.athlete(name)
    w.membership(third, pick(w, "club"), date(w.academic_year - 3, 4, 1), None)
    for athlete in (first, second, third):
        athlete.expect("PN02", "warning")


@form("PN02", people=2)
def readings_differ(w: Workshop) -> None:
    given = w.names.reserved_given()
    readings = (("東倣", "アズマナラ"), ("東倣", "ヒガシナラ"))
    first, _school = pupil(w, w.academic_year - 14, name=w.names.named(readings[0], given))
    second, _team = worker(w, years=8, name=w.names.named(readings[1], given))
    for athlete in (first, second):
        athlete.person.display_name_kana = athlete.name.kana
        athlete.expect("PN02", "warning")


@form("PN03", people=2)
def different_birth_dates(w: Workshop) -> None:
    name, entry = w.names.japanese(), w.academic_year - 9
    first, _school = pupil(w, entry, name=name)
    second, _team = worker(w, name=name)
    first.person.birth_date = datetime(entry - 16, 5, 20)  # noqa: DTZ001 the archive's times are naive UTC
    second.person.birth_date = first.person.birth_date + timedelta(days=203)
    for athlete in (first, second):
        athlete.expect("PN03", "info")


@form("PN03", people=2)
def one_race_for_two_teams(w: Workshop) -> None:
    name, event = w.names.japanese(), own_race(w, "m10000", w.academic_year - 2)
    first, team = worker(w, name=name)
    second = w.athlete(name)
    other = pick(w, "corporate_team", team)
    w.membership(second, other, date(w.academic_year - 7, 4, 1), None)
    w.result(first, event, team)
    w.result(second, event, other)
    for athlete in (first, second):
        athlete.expect("PN03", "info")


@form("PN03", people=2)
def two_high_schools_at_one_time(w: Workshop) -> None:
    name, entry = w.names.japanese(), w.academic_year - 8
    first, school = pupil(w, entry, name=name)
    second = w.athlete(name)
    w.school(second, pick(w, "high_school", school), entry)
    for athlete in (first, second):
        athlete.expect("PN03", "info")


@form("PN03", people=2)
def school_classes_years_apart(w: Workshop) -> None:
    name = w.names.japanese()
    first, university = student(w, w.academic_year - 16, name=name)
    second = w.athlete(name)
    w.school(second, pick(w, "university", university), w.academic_year - 6)
    for athlete in (first, second):
        athlete.expect("PN03", "info")


@form("PN03", people=2)
def readings_and_birth_dates_differ(w: Workshop) -> None:
    given = w.names.reserved_given()
    for kana, month in (("アズマナラ", 5), ("ヒガシナラ", 11)):
        athlete, _team = worker(w, years=4, name=w.names.named(("東倣", kana), given))
        athlete.person.display_name_kana = athlete.name.kana
        athlete.person.birth_date = datetime(w.academic_year - 24, month, 20)  # noqa: DTZ001 as above
        athlete.expect("PN03", "info")


@form("PN07", people=6)
def six_records_of_one_name(w: Workshop) -> None:
    name = w.names.japanese()
    for _record in range(6):
        athlete = w.athlete(name)
        athlete.expect("PN07", "error")
        athlete.undecided.add("PN02")
