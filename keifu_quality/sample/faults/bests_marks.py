"""Personal bests as marks: text, milliseconds, plausibility, dates and flags.

Belongs here: PB04, PB05, PB06, PB07, PB11, PB12, PB13. Stays out: doubles and results that are faster (`bests_rows`).
"""

from datetime import date, datetime, time, timedelta
from functools import partial
from typing import Any

from keifu_quality.sample.faults.bases import graduate, own_race, pupil, student
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.profiles import born_in_cohort
from keifu_quality.sample.workshop import Workshop

Expected = tuple[tuple[str, str], ...]


def _mark(
    w: Workshop,
    discipline: str,
    mark: str,
    millis: int | None,
    expected: Expected,
    undecided: tuple[str, ...] = (),
) -> None:
    athlete, _entry = graduate(w)
    w.best(athlete, discipline, millis, mark=mark)
    for code, severities in expected:
        athlete.expect(code, *severities.split("/"))
    athlete.undecided |= set(undecided)


def _marks(code: str, *rows: tuple[Any, ...]) -> tuple[Form, ...]:
    return tuple(
        Form(
            code,
            label,
            1,
            partial(
                _mark,
                discipline=discipline,
                mark=mark,
                millis=millis,
                expected=expected,
                undecided=rest[0] if rest else (),
            ),
        )
        for label, discipline, mark, millis, expected, *rest in rows
    )


TEXT_WARNING = (("PB05", "warning"),)

WITHOUT_MILLIS = _marks(
    "PB04",
    ("parseable", "m5000", "13:52.34", None, (("PB04", "warning"),)),
    (
        "hand_timed",
        "m10000",
        "28:09.4h",
        None,
        (("PB04", "warning"),),
        # Hand times are legal text; whether the h is canonical is left open.
        ("PB05", "PB13"),
    ),
    ("status_text", "m5000", "DNS", None, (("PB04", "info"), ("PB05", "warning/error"))),
)

TEXTS = _marks(
    "PB05",
    ("leading_colon", "half_marathon", ":59:49", 3_589_000, TEXT_WARNING),
    ("typographic_quotes", "m5000", "13’45”67", 825_670, TEXT_WARNING),
    ("full_width", "m5000", "１３：４５．６７", 825_670, TEXT_WARNING),
    ("japanese_units", "m10000", "28分12秒34", 1_692_340, TEXT_WARNING),
    ("trailing_label", "m10000", "28:27.88 PB", 1_707_880, TEXT_WARNING),
    ("comma_decimal", "m5000", "13:45,67", 825_670, TEXT_WARNING),
    ("unpadded", "half_marathon", "1:2:3", 3_723_000, TEXT_WARNING),
    ("seconds_over_59", "m5000", "13:75.00", 855_000, (("PB05", "error"),), ("PB06",)),
    ("about", "m10000", "約29分", None, (("PB05", "error"),), ("PB04",)),
    ("no_unit", "m5000", "13.45", None, (("PB05", "warning"),), ("PB04",)),
    ("spreadsheet_time", "half_marathon", "1:02:30 AM", None, (("PB05", "error/warning"),), ("PB04",)),
    ("spreadsheet_fraction", "half_marathon", "0.043402777", None, (("PB05", "error/warning"),), ("PB04",)),
)

MILLIS = _marks(
    "PB06",
    ("wrong_digit", "m5000", "13:45.67", 835_670, (("PB06", "error"),)),
    ("one_millisecond_lost", "m5000", "17:04.07", 1_024_069, (("PB06", "error"),)),
    ("tenths_read_as_thousandths", "m5000", "14:39.7", 879_007, (("PB06", "error"), ("PB13", "info"))),
    (
        "hand_time_loses_its_fraction",
        "m5000",
        "13:45.6h",
        825_000,
        (("PB06", "error"),),
        ("PB05", "PB13"),
    ),
    (
        "dots_read_as_seconds",
        "m3000sc",
        "8.33.43",
        8_330,
        (("PB06", "error"), ("PB05", "warning")),
        ("PB07", "PB12"),
    ),
)

IMPLAUSIBLE = _marks(
    "PB07",
    ("faster_than_anybody", "m5000", "12:20.00", 740_000, (("PB07", "error"),)),
    ("half_faster_than_anybody", "half_marathon", "55:40", 3_340_000, (("PB07", "error"),)),
    ("slower_than_any_runner", "m5000", "20:10.00", 1_210_000, (("PB07", "warning"),)),
    (
        "minutes_taken_for_hours",
        "marathon",
        "2:05.50",
        125_500,
        (("PB07", "error"), ("PB13", "info")),
        ("PB05",),
    ),
)


@form("PB07")
def faster_than_the_national_record(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    athlete.person.nationality = "JPN"
    w.best(athlete, "m5000", 785_000)
    athlete.expect("PB07", "info")


@form("PB11")
def achieved_in_the_future(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    day = datetime.combine(w.as_of + timedelta(days=700), time())
    w.best(athlete, "m5000", 833_120, achieved_on=day)
    athlete.expect("PB11", "error")


@form("PB11")
def achieved_as_a_child(w: Workshop) -> None:
    athlete, entry = graduate(w)
    born = born_in_cohort(w, entry - 19)
    athlete.person.birth_date = born
    w.best(athlete, "m5000", 833_120, achieved_on=born + timedelta(days=9 * 365))
    athlete.expect("PB11", "error")


@form("PB11")
def achieved_before_the_race_it_names(w: Workshop) -> None:
    entry = w.academic_year - 6
    athlete, university = student(w, entry)
    event = own_race(w, "m5000", entry + 2)
    w.result(athlete, event, university, 861_230)
    day = datetime.combine(event.sort_day - timedelta(days=40), time())
    w.best(athlete, "m5000", 861_230, achieved_on=day, competition_name=event.edition.official_name)
    athlete.expect("PB11", "error")


def _flags(w: Workshop, years_after_entry: int, high_school: bool, college: bool) -> None:
    athlete, entry = graduate(w)
    w.best(
        athlete,
        "m5000",
        841_900,
        achieved_on=datetime(entry + years_after_entry, 7, 6),  # noqa: DTZ001 stored as naive UTC
        is_high_school_pb=high_school,
        is_college_pb=college,
    )
    athlete.expect("PB11", "warning")


FLAGS = (
    Form(
        "PB11",
        "high_school_flag_at_university",
        1,
        partial(_flags, years_after_entry=2, high_school=True, college=False),
    ),
    Form(
        "PB11",
        "college_flag_at_high_school",
        1,
        partial(_flags, years_after_entry=-2, high_school=False, college=True),
    ),
)


@form("PB11")
def both_flags_with_one_stage(w: Workshop) -> None:
    entry = w.academic_year - 6
    athlete, _school = pupil(w, entry)
    day = datetime.combine(date(entry + 1, 7, 6), time())
    w.best(athlete, "m5000", 871_000, achieved_on=day, is_high_school_pb=True, is_college_pb=True)
    athlete.expect("PB11", "warning")


@form("PB11")
def high_school_row_faster_than_overall(w: Workshop) -> None:
    athlete, entry = graduate(w)
    day = datetime.combine(date(entry - 1, 7, 6), time())
    w.best(athlete, "m5000", 838_450, achieved_on=day, is_high_school_pb=True)
    w.best(athlete, "m5000", 846_020)
    athlete.expect("PB11", "warning", "error")
    athlete.undecided.add("PB02")


def _order(w: Workshop, shorter: tuple[str, int], longer: tuple[str, int], also: Expected = ()) -> None:
    athlete, _entry = graduate(w)
    for discipline, millis in (shorter, longer):
        w.best(athlete, discipline, millis)
    # Flat and steeplechase are equally long: how bad a slower flat best is, is left open.
    severities = ("error", "warning") if longer[0] == "m3000sc" else ("error",)
    athlete.expect("PB12", *severities)
    for code, severity in also:
        athlete.expect(code, severity)


ORDER = (
    Form(
        "PB12", "steeple_in_less_than_flat", 1, partial(_order, shorter=("m3000", 545_000), longer=("m3000sc", 521_000))
    ),
    Form(
        "PB12",
        "half_in_less_than_ten_miles",
        1,
        partial(_order, shorter=("ten_mile", 3_780_000), longer=("half_marathon", 3_750_000)),
    ),
    Form("PB12", "equal_times", 1, partial(_order, shorter=("m2000sc", 462_000), longer=("m3000", 462_000))),
    Form(
        "PB12",
        "disciplines_exchanged",
        1,
        partial(
            _order,
            shorter=("m5000", 1_710_000),
            longer=("m10000", 820_000),
            also=(("PB07", "error"), ("PB07", "warning")),
        ),
    ),
)


def _leg_as_best(w: Workshop, discipline: str, leg: int, millis: int) -> None:
    entry = w.academic_year - 6
    athlete, university = student(w, entry)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry + 1, leg), university, millis)
    w.best(athlete, discipline, millis)
    athlete.expect("PB12", "error")


LEG_AS_BEST = (
    Form(
        "PB12",
        "leg_taken_for_a_half_marathon",
        1,
        partial(_leg_as_best, discipline="half_marathon", leg=1, millis=3_785_000),
    ),
)

PRECISION = _marks(
    "PB13",
    ("track_in_whole_seconds", "m5000", "14:02", 842_000, (("PB13", "info"),)),
    ("track_in_tenths", "m10000", "29:01.4", 1_741_400, (("PB13", "info"),)),
    ("track_in_thousandths", "m1500", "3:48.123", 228_123, (("PB13", "info"),)),
    ("road_with_hundredths", "half_marathon", "1:03:12.34", 3_792_340, (("PB13", "info"),)),
)
