"""Clean special cases: what looks like a fault and is none.

Belongs here: athletes on whom every rule keeps silent at severity warning and above. Stays out: namesakes that PN03
tells apart (`identity_same`), and ordinary athletes.
"""

from datetime import date, datetime, time, timedelta

from keifu_quality.sample.faults.bases import (
    graduate,
    own_race,
    pick,
    place,
    profiled,
    pupil,
    readable_name,
    student,
    worker,
)
from keifu_quality.sample.faults.caches import SQUAD, Caches, squad
from keifu_quality.sample.faults.form import form
from keifu_quality.sample.profiles import born_in_cohort
from keifu_quality.sample.workshop import Workshop


@form("clean", people=2)
def twins(w: Workshop) -> None:
    entry = w.academic_year - 8
    first_name = readable_name(w)
    family = (first_name.family, first_name.family_kana or "")
    born, school, university = born_in_cohort(w, entry - 16), pick(w, "high_school"), pick(w, "university")
    for name in (first_name, w.names.japanese(family=family)):
        athlete = w.athlete(name, birth_date=born, hometown="長野県", display_name_kana=name.kana)
        w.school(athlete, school, entry)
        w.school(athlete, university, entry + 3)
        event = own_race(w, "m5000", entry + 4)
        w.result(athlete, event, university, 861_000, grade=2)
        w.best(athlete, "m5000", 861_000)


@form("clean")
def transfer_between_high_schools(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete, first = w.athlete(), pick(w, "high_school")
    second = pick(w, "high_school", first)
    w.membership(athlete, first, date(entry, 4, 1), date(entry + 1, 3, 31))
    w.membership(athlete, second, date(entry + 1, 4, 1), date(entry + 3, 3, 31))
    w.result(athlete, w.calendar.leg("high-school-ekiden-men", entry, 2), first, grade=1)
    w.result(athlete, w.calendar.leg("high-school-ekiden-men", entry + 2, 3), second, grade=3)
    athlete.tolerated |= {"MT09", "MT12"}


@form("clean")
def repeated_year_at_university(w: Workshop) -> None:
    entry = w.academic_year - 8
    athlete, university = w.athlete(), pick(w, "university")
    w.school(athlete, university, entry, 5)
    for year, grade in ((entry + 1, 2), (entry + 2, 2), (entry + 3, 3), (entry + 4, 4)):
        w.result(athlete, w.calendar.leg("izumo-ekiden", year, 2), university, grade=grade)
    athlete.tolerated |= {"MT12", "MT13"}


@form("clean")
def fifth_year_at_university(w: Workshop) -> None:
    entry = w.academic_year - 8
    athlete, university = w.athlete(), pick(w, "university")
    w.school(athlete, university, entry, 5)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry + 4, 2), university, grade=5)


@form("clean")
def projected_graduation(w: Workshop) -> None:
    entry = w.academic_year - 1
    athlete, university = student(w, entry)
    w.school(athlete, pick(w, "high_school"), entry - 3)
    athlete.person.birth_date = born_in_cohort(w, entry - 19)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry, 5), university, grade=1)


@form("clean")
def hand_over_on_one_day(w: Workshop) -> None:
    entry = w.academic_year - 6
    athlete = w.athlete()
    w.membership(athlete, pick(w, "high_school"), date(entry - 3, 4, 1), date(entry, 4, 1))
    w.school(athlete, pick(w, "university"), entry)
    athlete.tolerated.add("MT09")


@form("clean")
def born_on_the_first_of_april(w: Workshop) -> None:
    athlete, entry = graduate(w, name=readable_name(w))
    profiled(w, athlete, entry - 19)
    # The first of April belongs to the class of the year before.
    athlete.person.birth_date = datetime(entry - 18, 4, 1)  # noqa: DTZ001 stored as naive UTC


@form("clean")
def born_on_the_second_of_april(w: Workshop) -> None:
    athlete, entry = graduate(w, name=readable_name(w))
    profiled(w, athlete, entry - 19)
    athlete.person.birth_date = datetime(entry - 19, 4, 2)  # noqa: DTZ001 stored as naive UTC


@form("clean")
def first_race_in_the_night_of_the_first_of_april(w: Workshop) -> None:
    entry = w.academic_year - 5
    athlete, university = student(w, entry)
    # 00:40 in Japan on 1 April is still March in UTC.
    starts_at = datetime.combine(date(entry, 3, 31), time(15, 40))
    event = w.calendar.time_trial("m5000", date(entry, 4, 1), w.serial(), starts_at)
    w.result(athlete, event, university, 871_000, grade=1)
    w.best(athlete, "m5000", 871_000)


@form("clean")
def reserve_on_another_leg(w: Workshop) -> None:
    entry = w.academic_year - 6
    athlete, university = student(w, entry)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry + 1, 9), university, grade=2)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry + 1, 10), university, mark="DNS", grade=2)


@form("clean")
def best_equalled_on_another_day(w: Workshop) -> None:
    athlete, entry = graduate(w)
    for year in (entry + 1, entry + 2):
        day = datetime.combine(date(year, 6, 8), time())
        w.best(athlete, "m5000", 841_230, achieved_on=day, competition_name=f"第{year - 1990}回春季長距離競技会")
    athlete.tolerated.add("PB02")


@form("clean")
def best_of_march_after_graduation(w: Workshop) -> None:
    entry = w.academic_year - 6
    athlete, _school = pupil(w, entry)
    day = datetime.combine(date(entry + 3, 3, 27), time())
    w.best(athlete, "m5000", 866_090, achieved_on=day, is_high_school_pb=True)


@form("clean")
def hand_timed_best_a_second_off(w: Workshop) -> None:
    athlete, university = student(w, w.academic_year - 6)
    w.result(athlete, own_race(w, "m5000", w.academic_year - 4), university, 825_600)
    w.best(athlete, "m5000", 826_000, mark="13:46")
    athlete.tolerated.add("PB13")


@form("clean")
def faster_only_in_an_unofficial_race(w: Workshop) -> None:
    athlete, university = student(w, w.academic_year - 6)
    w.result(athlete, own_race(w, "m5000", w.academic_year - 4), university, 841_600, notes="参考記録")
    w.best(athlete, "m5000", 853_000)


@form("clean")
def half_marathon_in_minutes(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    w.best(athlete, "half_marathon", 3_730_000, mark="62:10")


@form("clean", people=SQUAD)
def best_changed_after_the_cache(w: Workshop) -> None:
    athlete, _mate, _other = squad(w)
    best = w.best(athlete, "m10000", min(row.mark_millis or 0 for row in athlete.results))

    def touch(caches: Caches) -> None:
        # Personal bests are no input of the relation builder.
        best.updated_at = caches[athlete.person.id].generated_at + timedelta(minutes=30)

    w.after_caches.append(touch)


@form("clean")
def undated_club_beside_a_team(w: Workshop) -> None:
    athlete, _team = worker(w)
    w.membership(athlete, pick(w, "club"), None, None)
    athlete.tolerated.add("MT08")


@form("clean")
def transfer_between_teams(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 7
    first = pick(w, "corporate_team")
    w.membership(athlete, first, date(start, 4, 1), date(start + 3, 3, 31))
    w.membership(athlete, pick(w, "corporate_team", first), date(start + 3, 4, 1), None)


@form("clean", people=2)
def one_reading_two_names(w: Workshop) -> None:
    entry, university = w.academic_year - 6, pick(w, "university")
    for given in (("匠倣", "タクミ"), ("巧倣", "タクミ")):
        athlete = w.athlete(w.names.japanese(family=(place(w) + "部", "ミベ"), given=given))
        athlete.person.display_name_kana = athlete.name.kana
        w.school(athlete, university, entry)


@form("clean", people=2)
def families_of_like_look(w: Workshop) -> None:
    given, entry, university = w.names.reserved_given(), w.academic_year - 6, pick(w, "university")
    for family in (("渡倣部", "ワタナベ"), ("渡倣辺", "ワタナベ")):
        athlete = w.athlete(w.names.named(family, given))
        w.school(athlete, university, entry)


@form("clean", people=2)
def initial_of_somebody_else(w: Workshop) -> None:
    name, entry, university = w.names.foreign(), w.academic_year - 4, pick(w, "university")
    first = w.athlete(name)
    # No supplied given name begins with a sound of W.
    second = w.athlete(name, written=f"Ｗ.{name.family}")
    for athlete in (first, second):
        w.school(athlete, university, entry)


@form("clean")
def foreign_student_without_reading_and_hometown(w: Workshop) -> None:
    athlete = w.athlete(w.names.foreign())
    athlete.person.nationality, athlete.person.display_name_roman = "KEN", athlete.name.roman
    athlete.person.birth_date = datetime(w.academic_year - 29, 8, 9)  # noqa: DTZ001 stored as naive UTC
    w.school(athlete, pick(w, "university"), w.academic_year - 5)
    w.best(athlete, "m10000", 1_626_880)


@form("clean")
def runs_for_the_home_prefecture(w: Workshop) -> None:
    athlete, _team = worker(w)
    team = w.organizations.prefectures["大分県"]
    w.result(athlete, w.calendar.leg("prefecture-ekiden-men", w.academic_year - 2, 7), team)


@form("clean")
def veteran_of_fifty_nine(w: Workshop) -> None:
    athlete, _team = worker(w, years=30)
    athlete.person.birth_date = datetime(w.academic_year - 60, 10, 9)  # noqa: DTZ001 stored as naive UTC
    event = own_race(w, "marathon", w.academic_year - 1)
    w.result(athlete, event, pick(w, "club"), 9_950_000)
    w.best(athlete, "marathon", 9_950_000)


@form("clean", people=2)
def references_that_disagree_on_the_reading(w: Workshop) -> None:
    for _athlete in range(2):
        athlete, _entry = graduate(w)
        w.reference(athlete, displayNameKana="アズマ レイ")
        w.reference(athlete, source="pdf", displayNameKana="ヒガシ レイ")


@form("clean")
def two_years_between_school_and_university(w: Workshop) -> None:
    entry = w.academic_year - 7
    athlete = w.athlete(birth_date=born_in_cohort(w, entry - 21))
    w.school(athlete, pick(w, "high_school"), entry - 5)
    w.school(athlete, pick(w, "university"), entry)


@form("clean")
def renamed_on_purpose(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    former = w.names.japanese()
    w.variant(former.written, "former", athlete=athlete)
    w.reference(athlete, source="pdf", name=former.written)
