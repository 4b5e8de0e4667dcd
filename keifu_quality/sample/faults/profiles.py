"""Profiles that lack something, hold something impossible, or contradict the memberships.

Belongs here: PC01, PC02, PC04, PC05, PC06, PC07. Stays out: records marked verified (`profiles_verified`).
"""

from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from keifu_quality.sample.faults.bases import (
    graduate,
    own_race,
    pick,
    profiled,
    readable_name,
    student,
    worker,
)
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.profiles import born_in_cohort
from keifu_quality.sample.workshop import Workshop


@form("PC01")
def nothing_but_the_name(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    athlete.expect("PC01", "info")


def _one_missing(w: Workshop, field: str) -> None:
    athlete, entry = graduate(w, name=readable_name(w))
    profiled(w, athlete, entry - 19)
    setattr(athlete.person, field, None)
    athlete.expect("PC01", "info")


ONE_MISSING = tuple(
    Form("PC01", f"only_{field}_missing", 1, partial(_one_missing, field=field))
    for field in ("birth_date", "hometown", "nationality", "display_name_kana", "display_name_roman")
)


@form("PC02")
def reading_in_a_reference(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    w.reference(athlete, displayNameKana=athlete.name.kana)
    athlete.expect("PC02", "info")


@form("PC02")
def roman_name_in_a_reference(w: Workshop) -> None:
    athlete, _entry = graduate(w, name=readable_name(w))
    w.reference(athlete, source="pdf", displayNameRoman=athlete.name.roman)
    athlete.expect("PC02", "info")


def _in_variant(w: Workshop, kind: str) -> None:
    athlete, _entry = graduate(w, name=readable_name(w))
    w.variant(athlete.name.kana or "" if kind == "kana" else athlete.name.roman, kind, athlete=athlete)
    athlete.expect("PC02", "info")


IN_VARIANT = tuple(
    Form("PC02", f"{kind}_variant", 1, partial(_in_variant, kind=kind)) for kind in ("kana", "romanized", "english")
)


@form("PC04")
def shell_without_result(w: Workshop) -> None:
    w.athlete().expect("PC04", "info")


@form("PC04")
def shell_of_one_result(w: Workshop) -> None:
    athlete = w.athlete()
    event = w.calendar.heat("spring-track-meet", w.academic_year - 2, "m5000")
    w.result(athlete, event, pick(w, "club"))
    athlete.expect("PC04", "info")


def _born(w: Workshop, born: date, severities: tuple[str, ...], *, races: bool = True) -> None:
    athlete, team = worker(w, years=6)
    athlete.person.birth_date = datetime(born.year, born.month, born.day)  # noqa: DTZ001 stored as naive UTC
    if races:
        w.result(athlete, own_race(w, "m10000", w.academic_year - 5), team, 1_790_110)
        w.result(athlete, own_race(w, "m10000", w.academic_year - 1), team, 1_795_420)
        w.best(athlete, "m10000", 1_790_110)
    athlete.expect("PC05", *severities)


@form("PC05")
def born_in_the_future(w: Workshop) -> None:
    _born(w, w.as_of + timedelta(days=1000), ("error",))


@form("PC05")
def born_before_1930(w: Workshop) -> None:
    _born(w, date(1925, 6, 20), ("error",), races=False)


@form("PC05")
def too_young_at_the_first_race(w: Workshop) -> None:
    _born(w, date(w.academic_year - 5 - 9, 5, 3), ("error",))


@form("PC05")
def too_old_at_the_last_race(w: Workshop) -> None:
    _born(w, date(w.academic_year - 1 - 63, 4, 27), ("error",))


@form("PC05")
def filler_date_1970(w: Workshop) -> None:
    _born(w, date(1970, 1, 1), ("warning",))


@form("PC05")
def filler_date_2000(w: Workshop) -> None:
    athlete, _university = student(w, 2018)
    athlete.person.birth_date = datetime(2000, 1, 1)  # noqa: DTZ001 stored as naive UTC
    athlete.expect("PC05", "warning")


@form("PC05", people=3)
def new_year_birthday_of_several(w: Workshop) -> None:
    entry = w.academic_year - 6
    for _athlete in range(3):
        athlete, _university = student(w, entry)
        athlete.person.birth_date = datetime(entry - 18, 1, 1)  # noqa: DTZ001 stored as naive UTC
        # One athlete alone does not show that the day is shared.
        athlete.undecided.add("PC05")


def _field(w: Workshop, values: dict[str, Any], severity: str) -> None:
    athlete, _entry = graduate(w)
    for field, value in values.items():
        setattr(athlete.person, field, value)
    athlete.expect("PC06", severity)


FIELD_FORMATS = tuple(
    Form("PC06", label, 1, partial(_field, values=values, severity=severity))
    for label, values, severity in (
        ("template_in_nationality", {"nationality": "{{JPN}}"}, "warning"),
        ("link_in_nationality", {"nationality": "[[日本]]"}, "warning"),
        ("unknown_nationality", {"nationality": "XQZ"}, "warning"),
        ("hometown_without_suffix", {"hometown": "大分"}, "info"),
        ("hometown_is_a_town", {"hometown": "架空市"}, "info"),
        ("kanji_in_reading", {"display_name_kana": "カクウ 太郎"}, "warning"),
        ("latin_in_reading", {"display_name_kana": "Kaku Taro"}, "warning"),
        ("kana_in_roman_name", {"display_name_roman": "Kaku タロウ"}, "warning"),
        ("height_in_metres", {"height_cm": 2}, "warning"),
        ("height_too_great", {"height_cm": 251}, "warning"),
        ("weight_too_small", {"weight_kg": 6}, "warning"),
        ("weight_too_great", {"weight_kg": 132}, "warning"),
        ("body_mass_out_of_range", {"height_cm": 150, "weight_kg": 90}, "warning"),
    )
)


@form("PC07")
def coach_who_is_an_athlete(w: Workshop) -> None:
    athlete, _team = worker(w)
    athlete.person.type = "coach"
    athlete.expect("PC07", "warning")


@form("PC07")
def athlete_who_is_a_coach(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 9
    team = pick(w, "corporate_team")
    w.membership(athlete, team, date(start, 4, 1), date(start + 6, 3, 31))
    w.membership(athlete, team, date(start + 6, 4, 1), None, type="staff", role="coach")
    athlete.expect("PC07", "warning")


@form("PC07")
def athlete_who_ended_as_staff(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 11
    team = pick(w, "corporate_team")
    w.membership(athlete, team, date(start, 4, 1), date(start + 5, 3, 31))
    w.membership(athlete, team, date(start + 5, 4, 1), date(start + 9, 3, 31), type="staff", role="staff")
    athlete.expect("PC07", "warning")


@form("PC07")
def staff_whose_undated_row_is_not_current(w: Workshop) -> None:
    athlete, start = w.athlete(), w.academic_year - 8
    athlete.person.birth_date = born_in_cohort(w, start - 19)
    w.school(athlete, pick(w, "university"), start)
    w.membership(athlete, pick(w, "club"), None, None, type="staff", role="staff")
    athlete.person.type = "staff"
    athlete.expect("PC07", "warning")
    athlete.tolerated.add("MT08")
