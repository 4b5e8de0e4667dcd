import itertools
import os
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.text import school_year
from graphs.text.school_year import Stage
from tests.graphs.text.vectors import load

VECTORS = load("school_years")
STAGES: tuple[Stage, ...] = get_args(Stage)
DAYS = st.dates(date(1900, 1, 1), date(2100, 12, 31))


def window(dates: list[str]) -> tuple[date, date]:
    first, last = map(date.fromisoformat, dates)
    return first, last


class TestVectors:
    @pytest.mark.parametrize("vector", VECTORS["cohort"], ids=lambda v: v["birth"])
    def test_cohort(self, vector: dict[str, Any]) -> None:
        cohort = school_year.cohort(date.fromisoformat(vector["birth"]))
        assert cohort == vector["cohort"]
        stages: tuple[Stage, ...] = ("high_school", "university")
        for stage in stages:
            entry = school_year.entry_year(cohort, stage)
            assert school_year.stage_window(entry, stage) == window(vector[stage])

    @pytest.mark.parametrize("vector", VECTORS["grade"], ids=lambda v: f"{v['race']}-{v['grade']}-{v['stage']}")
    def test_grade(self, vector: dict[str, Any]) -> None:
        race = date.fromisoformat(vector["race"])
        entry = school_year.implied_entry_year(race, vector["grade"])
        assert school_year.academic_year(race) == vector["academicYear"]
        assert school_year.stage_window(entry, vector["stage"]) == window(vector["window"])
        assert school_year.grade_at(race, entry) == vector["grade"]

    @pytest.mark.parametrize("vector", VECTORS["gap"], ids=lambda v: f"{v['birth']}-{v['entry']}")
    def test_gap(self, vector: dict[str, Any]) -> None:
        birth = date.fromisoformat(vector["birth"])
        assert school_year.entry_gap(birth, vector["entry"], vector["stage"]) == vector["gap"]

    @pytest.mark.parametrize("vector", VECTORS["jst"], ids=lambda v: v["utc"])
    def test_jst(self, vector: dict[str, Any]) -> None:
        day = school_year.jst_date(datetime.fromisoformat(vector["utc"]))
        assert day == date.fromisoformat(vector["date"])
        assert school_year.academic_year(day) == vector["academicYear"]


def test_a_grade_beyond_the_normal_length_extends_the_window() -> None:
    implied = school_year.implied_window(date(2023, 11, 5), 5, "university")
    assert implied == (date(2019, 4, 1), date(2024, 3, 31))
    assert school_year.implied_window(date(2023, 11, 5), 4, "university") == (date(2020, 4, 1), date(2024, 3, 31))
    assert school_year.implied_window(date(2023, 11, 5), 4, "high_school") == (date(2020, 4, 1), date(2024, 3, 31))


def test_a_child_of_the_first_of_april_enters_with_the_older_class() -> None:
    entries = [
        school_year.entry_year(school_year.cohort(birth), "high_school")
        for birth in (date(2006, 4, 1), date(2006, 4, 2))
    ]
    assert entries == [2021, 2022]


class TestRaceDate:
    def test_the_start_counts_in_japan(self) -> None:
        found = school_year.race_date(datetime(2026, 3, 31, 15, 30, tzinfo=UTC), date(2020, 1, 1), 2020)
        assert found == school_year.RaceDate(date(2026, 4, 1), "day", (2026,))

    def test_midnight_is_a_date_without_a_time(self) -> None:
        found = school_year.race_date(datetime(2025, 1, 2, tzinfo=UTC), None, 2025)
        assert found == school_year.RaceDate(date(2025, 1, 2), "day", (2024,))

    def test_the_edition_stands_in_for_the_start(self) -> None:
        found = school_year.race_date(None, datetime(2024, 11, 3, 15, tzinfo=UTC), 2024)
        assert found == school_year.RaceDate(date(2024, 11, 3), "day", (2024,))
        assert school_year.race_date(None, date(2024, 11, 3), 2024) == found

    def test_a_year_leaves_two_academic_years(self) -> None:
        found = school_year.race_date(None, None, 2024)
        assert (found.precision, found.value.year, found.academic_years) == ("year", 2024, (2023, 2024))

    def test_other_zones_are_converted(self) -> None:
        start = datetime(2026, 4, 1, 0, 30, tzinfo=timezone(timedelta(hours=9)))
        assert school_year.jst_date(start) == date(2026, 4, 1)
        assert school_year.race_date(None, start, 2026).value == date(2026, 3, 31)


@pytest.fixture(params=["UTC", "Asia/Tokyo", "America/New_York"])
def process_zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield os.environ["TZ"]
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("process_zone")
def test_the_zone_of_the_process_does_not_matter() -> None:
    naive = datetime(2026, 3, 31, 15, 30, tzinfo=UTC).replace(tzinfo=None)
    assert school_year.jst_date(naive) == date(2026, 4, 1)
    assert school_year.race_date(naive, None, 2026).value == date(2026, 4, 1)


class TestProperties:
    @given(DAYS)
    def test_an_academic_year_holds_its_days(self, day: date) -> None:
        year = school_year.academic_year(day)
        assert date(year, 4, 1) <= day <= date(year + 1, 3, 31)

    @given(DAYS)
    def test_a_class_is_a_year_of_birthdays_from_the_second_of_april(self, birth: date) -> None:
        cohort = school_year.cohort(birth)
        assert date(cohort, 4, 2) <= birth <= date(cohort + 1, 4, 1)

    @given(DAYS, st.sampled_from(STAGES))
    def test_a_normal_entry_has_no_gap_and_the_stages_follow_each_other(self, birth: date, stage: Stage) -> None:
        cohort = school_year.cohort(birth)
        assert school_year.entry_gap(birth, school_year.entry_year(cohort, stage), stage) == 0
        windows = [school_year.stage_window(school_year.entry_year(cohort, each), each) for each in STAGES]
        for (_, end), (start, _) in itertools.pairwise(windows):
            assert start - end == timedelta(days=1)

    @given(DAYS, st.integers(1, 10), st.sampled_from(STAGES))
    def test_an_implied_window_holds_the_race(self, race: date, grade: int, stage: Stage) -> None:
        start, end = school_year.implied_window(race, grade, stage)
        assert start <= race <= end
        assert school_year.grade_at(race, start.year) == grade
