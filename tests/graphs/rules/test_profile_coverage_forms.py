"""The forms of profile fields, beyond the cases of PC06."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.rules.profile_coverage.countries import ALPHA_2, ALPHA_3, NAMES_JA
from graphs.rules.profile_coverage.field_forms import (
    PREFECTURES,
    full_prefecture,
    has_markup,
    is_hometown,
    is_nationality,
    is_reading,
    is_romanised,
)

KANA = st.characters(min_codepoint=0x3041, max_codepoint=0x30FA).filter(lambda c: c not in "\u3097\u3098\u30a0")


def test_there_are_47_prefectures() -> None:
    assert len(set(PREFECTURES)) == 47


@pytest.mark.parametrize("prefecture", PREFECTURES)
def test_every_prefecture_is_known_in_full_and_in_short(prefecture: str) -> None:
    assert is_hometown(prefecture)
    assert is_hometown(f"{prefecture}例市")
    assert full_prefecture(f"　{prefecture[:-1]}") == prefecture


def test_short_prefectures_are_no_hometowns() -> None:
    # Hokkaido has no short form that is in use.
    assert [p for p in PREFECTURES if is_hometown(p[:-1])] == []


@pytest.mark.parametrize(("codes", "length"), [(ALPHA_2, 2), (ALPHA_3, 3)])
def test_codes_have_one_length(codes: frozenset[str], length: int) -> None:
    assert all(code.isascii() and code.isupper() and len(code) == length for code in codes)


@pytest.mark.parametrize("nationality", ["JPN", "KEN", "ETH", "GER", "DEU", "JP", "日本", "ケニア"])
def test_nationalities_in_use(nationality: str) -> None:
    assert is_nationality(nationality)


@pytest.mark.parametrize("nationality", ["", "jpn", "ＪＰＮ", "JPN ", "{{JPN}}", "日本人", "Kenya", "不明"])
def test_other_forms_are_no_nationality(nationality: str) -> None:
    assert not is_nationality(nationality)


def test_no_country_hides_a_prefecture() -> None:
    assert not any(prefecture.startswith(tuple(NAMES_JA)) for prefecture in PREFECTURES)


@pytest.mark.parametrize("text", ["{{JPN}}", "[[ケニア]]", "長野県<br>", "例&nbsp;見", "''例見''"])
def test_markup(text: str) -> None:
    assert has_markup(text)


@pytest.mark.parametrize("text", ["Jun'ichi", "例見 太郎(3)", "O’Mihon", "A < B", "R&B", "例[旧例]"])
def test_no_markup(text: str) -> None:
    assert not has_markup(text)


@given(st.text(alphabet=KANA, min_size=1))
def test_kana_is_a_reading_and_not_romanised(text: str) -> None:
    assert is_reading(text)
    assert not is_romanised(text)


@given(st.text(alphabet="abcxyzŌōūéＡｚ '-.", min_size=1))
def test_latin_is_romanised(text: str) -> None:
    assert is_romanised(text)


@given(st.text())
def test_no_text_makes_a_form_raise(text: str) -> None:
    for form in (has_markup, is_reading, is_romanised, is_nationality, is_hometown, full_prefecture):
        form(text)
