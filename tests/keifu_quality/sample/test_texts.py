from random import Random

import pytest

from keifu_quality.sample.mark_text import canonical, timed
from keifu_quality.sample.names import NameSupply
from keifu_quality.sample.romaji import romanised


@pytest.mark.parametrize(
    ("discipline", "millis", "text"),
    [
        ("m5000", 825_670, "13:45.67"),
        ("m800", 105_070, "1:45.07"),
        ("half_marathon", 3_723_000, "1:02:03"),
        ("ekiden_leg", 1_702_000, "28:22"),
        ("marathon", 7_550_000, "2:05:50"),
    ],
)
def test_marks_are_printed_as_result_lists_do(discipline: str, millis: int, text: str) -> None:
    assert canonical(discipline, millis) == text


def test_times_are_rounded_up_to_what_the_discipline_shows() -> None:
    assert timed("m5000", 825_661.2) == 825_670
    assert timed("m5000", 825_670) == 825_670
    assert timed("marathon", 7_550_001) == 7_551_000


@pytest.mark.parametrize(
    ("kana", "roman"),
    [
        ("ショウヘイ", "shohei"),
        ("ジュン", "jun"),
        ("ユウタ", "yuta"),
        ("チュウ", "chu"),
        ("キョウ", "kyo"),
        ("フミ", "fumi"),
    ],
)
def test_readings_are_romanised_in_hepburn_with_short_vowels(kana: str, roman: str) -> None:
    assert romanised(kana) == roman


def test_the_supply_gives_no_name_and_no_free_roman_form_twice() -> None:
    supply = NameSupply(Random("names"))
    names = [supply.japanese() for _number in range(4000)]
    romans = [tuple(sorted((name.family_roman, name.given_roman))) for name in names if name.roman_is_unique]

    assert len({name.written for name in names}) == len(names)
    assert len(set(romans)) == len(romans)


def test_the_supply_of_foreign_names_says_when_it_is_exhausted() -> None:
    supply = NameSupply(Random("foreign"))

    def take_all() -> None:
        while True:
            supply.foreign()

    with pytest.raises(ValueError, match="exhausted"):
        take_all()


def test_reserved_given_names_do_not_run_out() -> None:
    supply = NameSupply(Random("given"))

    assert len({supply.reserved_given()[0] for _number in range(6000)}) == 6000
