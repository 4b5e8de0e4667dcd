"""Hard cases of real archives with invented people, as far as the text alone decides them."""

import unicodedata

import pytest

from graphs.text import names, organizations
from graphs.text.disciplines import discipline_from_text
from graphs.text.marks import parse_mark


@pytest.mark.parametrize(
    "spellings",
    [
        pytest.param(["髙橋 見本", "高橋 見本"], id="variant_kanji"),
        pytest.param(["渡邉 例", "渡邊 例", "渡辺 例"], id="three_spellings"),
        pytest.param(["𠮷田 例", "吉田 例"], id="supplementary_plane"),
    ],
)
def test_variant_glyphs_meet_in_the_variant_key_only(spellings: list[str]) -> None:
    assert len({names.variant_key(spelling) for spelling in spellings}) == 1
    assert len({names.strict_key(spelling) for spelling in spellings}) == len(spellings)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param("⼭⽥ 例", "山田 例", id="kangxi_radical"),
        pytest.param(unicodedata.normalize("NFD", "ながしま"), "ながしま", id="combining_mark"),
        pytest.param("ﾐﾎﾝ･ｼﾞｮﾝ", "ミホン・ジョン", id="halfwidth_kana"),
        pytest.param("見本 颯太(17)", "見本 颯太", id="name_with_age"),
    ],
)
def test_other_code_points_meet_in_the_strict_key(a: str, b: str) -> None:
    assert a != b
    assert names.strict_key(a) == names.strict_key(b)


def test_the_wave_dash_keeps_two_parts_apart() -> None:
    assert names.strict_key("ミホン〜ジョン") != names.strict_key("ミホンジョン")


def test_the_site_key_is_the_one_of_the_site() -> None:
    assert names.site_key("見本\ufeff太郎") == "見本太郎"


def test_foreign_names_meet_in_either_order() -> None:
    assert names.strict_key("ジョン・ミホン") != names.strict_key("ミホン・ジョン")
    assert names.foreign_forms_compatible("ジョン・ミホン", "ミホン・ジョン") == "same"


@pytest.mark.parametrize("name", ["・", "　", "\u200b", "N/A", "--", "（選手データなし）", "不明"])
def test_what_is_no_name(name: str) -> None:
    assert names.is_placeholder_name(name)


def test_an_age_and_a_grade_are_told_from_the_name() -> None:
    assert names.trailing_annotation("見本 颯太(17)") == "17"
    assert organizations.organization_key("架空長聖高(2)", "high_school") == "high_school:架空長聖"


def test_a_lost_character_is_a_wildcard() -> None:
    pattern = names.lost_character_pattern("二?見太郎")
    assert pattern is not None
    assert pattern.fullmatch(names.strict_key("二瓶見太郎"))


def test_one_reading_of_two_kanji_is_no_common_name() -> None:
    assert names.variant_key("見部陽樹") != names.variant_key("見部陽葵")


@pytest.mark.parametrize(
    ("text", "discipline", "kind", "millis", "suggestion"),
    [
        pytest.param("28:09.4h", None, "time", 1_689_400, None, id="hand_timed"),
        pytest.param("1:02", "half_marathon", "ambiguous", None, 3_720_000, id="ambiguous_two_part"),
        pytest.param("17:04.07", None, "time", 1_024_070, None, id="float_truncation"),
        pytest.param("途中棄権", None, "status", None, None, id="status_as_mark"),
        pytest.param("14:39.7", None, "time", 879_700, None, id="digit_scale"),
        pytest.param("1:02:30 AM", None, "invalid", None, 3_750_000, id="time_of_day"),
        pytest.param("0.043402777", None, "invalid", None, 3_750_000, id="day_fraction"),
        pytest.param("1900-01-00 01:02:30", None, "invalid", None, 3_750_000, id="spreadsheet_epoch"),
    ],
)
def test_mark(text: str, discipline: str | None, kind: str, millis: int | None, suggestion: int | None) -> None:
    parsed = parse_mark(text, discipline)
    assert (parsed.kind, parsed.millis, parsed.suggestion_millis) == (kind, millis, suggestion)


def test_two_spellings_of_a_discipline_are_one_and_road_and_track_are_two() -> None:
    assert discipline_from_text("ハーフ") == discipline_from_text("Half Marathon") == "half_marathon"
    assert discipline_from_text("10000m") != discipline_from_text("10km")


def test_a_team_is_not_matched_by_a_part_of_its_name() -> None:
    keys = {organizations.organization_key(name, "university") for name in ("例日本体育大学", "例日本大学")}
    assert len(keys) == 2
