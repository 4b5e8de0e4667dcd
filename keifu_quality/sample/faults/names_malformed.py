"""Names with characters that do not belong into a name, and names that are none.

Belongs here: PN13, PN16. Stays out: names that other records contradict (`identity_records`).
"""

import unicodedata
from collections.abc import Callable
from functools import partial

from keifu_quality.sample.faults.bases import pick, readable_name
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.workshop import Workshop


def _planted(w: Workshop, written: Callable[[str, str], str], severity: str) -> None:
    given = w.names.reserved_given()
    name = w.names.named(("倣里", "ナラサト"), given)
    athlete = w.athlete(name, written=written(name.family, name.given))
    w.school(athlete, pick(w, "university"), w.academic_year - 7)
    athlete.expect("PN13", severity)


SPOILT_NAMES = tuple(
    Form("PN13", label, 1, partial(_planted, written=written, severity=severity))
    for label, written, severity in (
        ("grade_in_brackets", lambda family, given: f"{family}{given}(3)", "warning"),
        ("graduate_grade", lambda family, given: f"{family}{given}(M2)", "warning"),
        ("age_in_brackets", lambda family, given: f"{family}{given}(17)", "warning"),
        ("affiliation_in_brackets", lambda family, given: f"{family}{given}（架空大）", "warning"),
        ("alias_in_brackets", lambda family, given: f"{family}{given}（旧姓架空）", "warning"),
        ("country_code", lambda family, given: f"{family}{given}(KEN)", "warning"),
        ("digits", lambda family, given: f"{family}{given}2", "warning"),
        ("markup", lambda family, given: f"<b>{family}{given}</b>", "warning"),
        ("template", lambda family, given: f"[[{family}{given}]]", "warning"),
        ("variation_selector", lambda family, given: f"{family}\U000e0104{given}", "warning"),
        ("zero_width_space", lambda family, given: f"{family}\u200b{given}", "warning"),
        ("private_use", lambda family, given: f"{family[0]}\ue0a1{given}", "warning"),
        ("katakana_ni_for_two", lambda _family, given: f"ニ倣{given}", "warning"),
        ("long_vowel_mark_for_one", lambda family, given: f"{family}{given}ー", "warning"),
        ("question_mark", lambda family, given: f"{family[0]}?{given}", "error"),
        ("geta_mark", lambda family, given: f"{family[0]}〓{given}", "error"),
        ("white_square", lambda family, given: f"{family[0]}□{given}", "error"),
        ("black_circle", lambda family, given: f"{family[0]}●{given}", "error"),
        ("replacement_character", lambda family, given: f"{family[0]}\ufffd{given}", "error"),
        ("kangxi_radical", lambda _family, given: f"\u2f2d倣{given}", "info"),
        ("compatibility_glyph", lambda _family, given: f"\ufa19倣{given}", "info"),
    )
)  # fmt: skip


@form("PN13")
def byte_order_mark(w: Workshop) -> None:
    _planted(w, lambda family, given: f"{family}\ufeff{given}", "warning")
    # JavaScript counts the mark among the spaces, so that the name holds one.
    w.athletes[-1].undecided.add("PN12")


def _half_width() -> dict[str, str]:
    marks = ("", "\uff9e", "\uff9f")
    table: dict[str, str] = {"・": "\uff65"}
    for code in range(0xFF66, 0xFF9E):
        for mark in marks:
            full = unicodedata.normalize("NFKC", chr(code) + mark)
            if len(full) == 1:
                table[full] = chr(code) + mark
    return table


@form("PN13")
def half_width_katakana(w: Workshop) -> None:
    name = w.names.foreign()
    table = _half_width()
    athlete = w.athlete(name, written="".join(table.get(character, character) for character in name.written))
    w.school(athlete, pick(w, "university"), w.academic_year - 6)
    athlete.expect("PN13", "warning")


@form("PN13", people=2)
def half_width_beside_full_width(w: Workshop) -> None:
    name = w.names.foreign()
    table = _half_width()
    full = w.athlete(name)
    half = w.athlete(name, written="".join(table.get(character, character) for character in name.written))
    w.school(full, pick(w, "high_school"), w.academic_year - 9)
    w.school(half, pick(w, "university"), w.academic_year - 6)
    half.expect("PN13", "warning")
    for athlete in (full, half):
        athlete.expect("PN02", "warning")
        athlete.undecided.add("PN05")


def _kanji_in_katakana(w: Workshop, katakana: str, kanji: str) -> None:
    name = w.names.foreign()
    while katakana not in name.family:
        name = w.names.foreign()
    athlete = w.athlete(name, written=name.written.replace(katakana, kanji))
    w.school(athlete, pick(w, "university"), w.academic_year - 6)
    athlete.expect("PN13", "warning")


KANJI_IN_KATAKANA = tuple(
    Form("PN13", f"{label}_in_katakana", 1, partial(_kanji_in_katakana, katakana=katakana, kanji=kanji))
    for label, katakana, kanji in (("power", "カ", "力"), ("mouth", "ロ", "口"), ("two", "ニ", "二"))
)


@form("PN13", people=2)
def lost_character_beside_the_whole_name(w: Workshop) -> None:
    given, university = w.names.reserved_given(), pick(w, "university")
    whole = w.athlete(w.names.named(("倣瓶", "ナラベ"), given))
    damaged = w.athlete(whole.name, written=f"倣?{given[0]}")
    for athlete in (whole, damaged):
        w.school(athlete, university, w.academic_year - 7)
        # The same person to all appearance, yet the written names differ.
        athlete.undecided |= {"PN02", "PN04"}
    damaged.expect("PN13", "error")


@form("PN13")
def reading_that_is_not_the_roman_name(w: Workshop) -> None:
    name, other = readable_name(w), readable_name(w)
    athlete = w.athlete(name, display_name_kana=name.kana, display_name_roman=other.roman)
    w.school(athlete, pick(w, "university"), w.academic_year - 7)
    athlete.expect("PN13", "warning")


@form("PN13")
def decomposed_kana(w: Workshop) -> None:
    while True:
        name = readable_name(w)
        reading = "".join(
            chr(ord(kana) - 0x60) if "ァ" <= kana <= "ヶ" else kana for kana in (name.kana or "").replace(" ", "")
        )
        decomposed = unicodedata.normalize("NFD", reading)
        if decomposed != reading:
            break
    athlete = w.athlete(name, written=decomposed)
    w.school(athlete, pick(w, "university"), w.academic_year - 7)
    athlete.expect("PN13", "info")


def _placeholder(w: Workshop, written: str) -> None:
    athlete = w.athlete(written=written)
    w.school(athlete, pick(w, "high_school"), w.academic_year - 8)
    athlete.expect("PN16", "error")
    # Brackets and empty search keys of such a name may be told besides; it is no candidate of any other rule.
    athlete.undecided |= {"PN12", "PN13"}


PLACEHOLDERS = tuple(
    Form("PN16", f"placeholder_{number}", 1, partial(_placeholder, written=written))
    for number, written in enumerate(
        ("N/A", "不明", "未定", "（選手データなし）", "TBA", "unknown", "--", "欠番", "・", "　", "N/A", "ｎ／ａ"),
        start=1,
    )
)
