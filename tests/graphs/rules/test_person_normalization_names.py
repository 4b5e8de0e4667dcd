"""What is wrong with the text of a name, and whether a reading fits its romanised form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.rules.person_normalization.kana_romanization import contradicts, romanised
from graphs.rules.person_normalization.name_faults import name_faults, suggested_name
from graphs.text.names import strict_key

KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"
VOICED = "ガギグゴザジズダデバビブボ"
NAMES = ("例見 太郎", "サミュエル・ミホンゲイ")
ADDITIONS = ("(17)", "（M2）", " (例示大)", "\u200b", "\ufe00")

kana = st.text(KANA + VOICED, min_size=2, max_size=6)


@given(st.text(max_size=12))
def test_a_suggestion_differs_and_has_no_fault(name: str) -> None:
    suggestion = suggested_name(name)

    assert suggestion is None or (suggestion != name and not list(name_faults(suggestion)))


@given(st.sampled_from(NAMES), st.sampled_from(ADDITIONS))
def test_a_suggestion_keeps_the_written_name(name: str, addition: str) -> None:
    assert suggested_name(name + addition) == name
    assert strict_key(name) == strict_key(name + addition)


@given(kana, kana)
def test_a_reading_fits_its_own_romanisation_in_either_order(family: str, given_name: str) -> None:
    roman = (romanised(family), romanised(given_name))

    assert not contradicts(f"{family} {given_name}", " ".join(roman))
    assert not contradicts(f"{family} {given_name}", " ".join(reversed(roman)).title())


@pytest.mark.parametrize(
    ("katakana", "expected"),
    [
        ("シュン", "shun"),
        ("リョウタ", "ryouta"),
        ("ホッタ", "hotta"),
        ("ジュンイチ", "junichi"),
        ("チャッキー", "chakki"),
        ("ティム", "timu"),
    ],
)
def test_romanisation(katakana: str, expected: str) -> None:
    assert romanised(katakana) == expected


@pytest.mark.parametrize(
    ("reading", "roman"),
    [
        ("オオノ ユウタ", "Yuta Ohno"),
        ("オオノユウタ", "Ōno Yūta"),
        ("シンドウ ケンイチ", "SHINDO Ken'ichi"),
        ("ホンマ ジュンイチ", "Homma Junichi"),
        ("コウノ ショウヘイ", "Kono Syohei"),
        ("アズマ", "A. Higashi"),
        ("東 例", "Rei Higashi"),
        ("", "Rei Higashi"),
    ],
)
def test_spellings_that_do_not_contradict(reading: str, roman: str) -> None:
    assert not contradicts(reading, roman)


@pytest.mark.parametrize(("reading", "roman"), [("アズマ レイ", "Rei Higashi"), ("サトミアサヒ", "Yuta Ono")])
def test_readings_that_contradict(reading: str, roman: str) -> None:
    assert contradicts(reading, roman)
