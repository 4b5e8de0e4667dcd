"""The predicates that rules share: periods of stays and identity of organizations."""

from datetime import date
from typing import Any

import pytest

from graphs.facts import Membership
from graphs.rules.affiliation import (
    belongs_to_same,
    is_abroad,
    is_foreign,
    is_temporary,
    linked_by_former_name,
    prefecture_of,
    same_organization,
)
from graphs.rules.membership_timeline.stays import believed_end, is_never_closed
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import covers, end_of, is_current, is_undated, overlap_days, start_of
from tests.graphs.rules.facts_builder import build_membership, build_organization, build_person

TODAY = date(2026, 11, 1)
THRESHOLDS = MembershipTimelineThresholds()


def stay(organization: str = "university:例示大学", **given: Any) -> Membership:
    """A membership with an id."""
    return build_membership({"id": "m1", "organization": organization, **given}, 1)


class TestPeriods:
    def test_years_stand_for_the_school_year(self) -> None:
        row = stay(start_year=2022, end_year=2026)
        assert (start_of(row), end_of(row)) == (date(2022, 4, 1), date(2026, 3, 31))

    def test_dates_win_over_years(self) -> None:
        row = stay(start_date=date(2022, 9, 1), start_year=2021)
        assert start_of(row) == date(2022, 9, 1)

    @pytest.mark.parametrize("year", [0, -3, 10_000])
    def test_a_year_outside_the_calendar_is_unknown(self, year: int) -> None:
        assert is_undated(stay(start_year=year, end_year=year))

    @pytest.mark.parametrize(
        ("given", "current"),
        [
            ({}, False),
            ({"start_date": date(2022, 4, 1)}, True),
            ({"start_year": 2022}, False),
            ({"start_year": 2022, "end_year": 2027}, False),
            ({"end_date": date(2026, 11, 1)}, True),
            ({"end_date": date(2026, 10, 31)}, False),
            ({"start_date": date(2026, 11, 1)}, True),
            ({"start_date": date(2026, 11, 2)}, False),
        ],
    )
    def test_current(self, given: dict[str, Any], current: bool) -> None:
        assert is_current(stay(**given), TODAY) is current

    def test_touching_stays_share_nothing(self) -> None:
        first = stay(start_date=date(2018, 4, 1), end_date=date(2022, 4, 1))
        second = stay(start_date=date(2022, 4, 1))
        assert overlap_days(first, second, TODAY) == 0

    def test_an_open_end_reaches_to_today(self) -> None:
        first, second = stay(start_date=date(2018, 4, 1)), stay(start_date=date(2026, 10, 2))
        assert overlap_days(first, second, TODAY) == 30

    def test_an_unknown_start_overlaps_nothing(self) -> None:
        assert overlap_days(stay(end_date=date(2022, 3, 31)), stay(start_date=date(2018, 4, 1)), TODAY) is None

    def test_an_unknown_start_covers_nothing(self) -> None:
        assert not covers(stay(end_date=date(2022, 3, 31)), date(2020, 1, 2))


class TestNeverClosed:
    @pytest.mark.parametrize(
        ("organization", "start", "never_closed"),
        [
            ("high_school:架空高校", date(2022, 11, 2), False),
            ("high_school:架空高校", date(2022, 10, 31), True),
            ("university:例示大学", date(2020, 4, 1), False),
            ("university:例示大学", date(2019, 4, 1), True),
            ("corporate_team:架空電気", date(2001, 4, 1), False),
        ],
    )
    def test_longer_than_anybody_stays(self, organization: str, start: date, never_closed: bool) -> None:
        assert is_never_closed(stay(organization, start_date=start), TODAY, THRESHOLDS) is never_closed

    def test_is_believed_to_have_lasted_the_normal_years(self) -> None:
        row = stay("high_school:架空高校", start_date=date(2010, 4, 1))
        assert believed_end(row, TODAY, THRESHOLDS) == date(2013, 3, 31)

    def test_an_open_team_reaches_to_today(self) -> None:
        row = stay("corporate_team:架空電気", start_date=date(2001, 4, 1))
        assert believed_end(row, TODAY, THRESHOLDS) == TODAY


class TestOrganizations:
    @pytest.mark.parametrize(
        ("first", "second", "same"),
        [
            ("high_school:架空学園附属高等学校", "high_school:架空学園付属", True),
            ("high_school:例西@京都府", "high_school:例西@山口県", False),
            ("high_school:例西@京都府", "high_school:例西(京都)", True),
            ("high_school:例西(中国*)", "high_school:例西(山口2)", True),
            ("high_school:例西(京都)", "high_school:例西(山口)", False),
            ("university:例日本体育大学", "university:例日本大学", False),
            ("high_school:架空学園", "junior_high_school:架空学園", False),
            ("junior_high_school:例示市東中(秋田)", "junior_high_school:東中(秋田)", False),
        ],
    )
    def test_same_organization(self, first: str, second: str, same: bool) -> None:
        a, b = build_organization(first), build_organization(second)
        assert same_organization(a, b) is same
        assert same_organization(b, a) is same

    @pytest.mark.parametrize(
        ("first", "second", "same"),
        [
            ("junior_high_school:例示市東中(秋田)", "junior_high_school:東中(秋田)", True),
            ("junior_high_school:例示市立東中@秋田県", "junior_high_school:東中(秋田)", True),
            ("junior_high_school:例示市東中", "junior_high_school:東中", False),
            ("junior_high_school:例示市東中(秋田)", "junior_high_school:東中(岩手)", False),
            ("corporate_team:架空電気", "company:株式会社架空電気", True),
            ("corporate_team:架空電気", "club:架空電気", False),
        ],
    )
    def test_belongs_to_same(self, first: str, second: str, same: bool) -> None:
        a, b = build_organization(first), build_organization(second)
        assert belongs_to_same(a, b) is same
        assert belongs_to_same(b, a) is same

    def test_a_recorded_name_links_and_only_a_former_one_is_a_rename(self) -> None:
        old = build_organization("corporate_team:架空紡績")
        renamed = build_organization({"type": "corporate_team", "name_ja": "例示化成", "names": {"former": "架空紡績"}})
        short = build_organization({"type": "corporate_team", "name_ja": "例示化成", "names": {"short": "架空紡績"}})
        assert same_organization(old, renamed)
        assert same_organization(short, old)
        assert linked_by_former_name(old, renamed)
        assert not linked_by_former_name(old, short)

    @pytest.mark.parametrize(
        ("organization", "prefecture"),
        [
            ("high_school:例東@北海道", "北海道"),
            ("high_school:例東@東京都", "東京"),
            ("high_school:例東(神奈川)", "神奈川"),
            ("high_school:例東(北海道2)", "北海道"),
            ("high_school:例東(北関東*)", None),
            ("corporate_team:例電(長野)", None),
        ],
    )
    def test_prefecture(self, organization: str, prefecture: str | None) -> None:
        assert prefecture_of(build_organization(organization)) == prefecture

    @pytest.mark.parametrize(
        ("organization", "abroad"),
        [
            ({"type": "high_school", "name_ja": "ミホンセカンダリー", "country": "KE"}, True),
            ("high_school:ミホンセカンダリー@ケニア", True),
            ("high_school:例東@長野県", False),
            ("high_school:例東@長野", False),
            ("high_school:例東", False),
        ],
    )
    def test_abroad(self, organization: object, abroad: bool) -> None:
        assert is_abroad(build_organization(organization)) is abroad  # pyright: ignore[reportArgumentType]

    def test_temporary_teams(self) -> None:
        assert is_temporary(build_organization("prefecture_representative:例示県"))
        assert not is_temporary(build_organization("university:例示大学"))


@pytest.mark.parametrize(
    ("person", "foreign"),
    [
        ({"nationality": "KEN"}, True),
        ({"nationality": "JPN", "name_ja": "ミホン・ケン"}, False),
        ({"nationality": None, "name_ja": "ミホン・ケン"}, True),
        ({"nationality": None, "name_ja": "例見 太郎"}, False),
        ({"nationality": "", "name_ja": "例見 太郎"}, False),
        ({"nationality": None, "name_ja": "れいみ さくら"}, False),
    ],
)
def test_foreign(person: dict[str, str | None], foreign: bool) -> None:
    assert is_foreign(build_person(person)) is foreign
