"""Stays in an impossible order, or at two places at once.

Belongs here: MT02, MT03, MT04, MT05 on memberships that have ended. Stays out: current ones (`membership_current`).
"""

from datetime import date
from functools import partial

from keifu_quality.sample.faults.bases import pick, place, pupil
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.workshop import Workshop


@form("MT02")
def high_school_after_university(w: Workshop) -> None:
    entry = w.academic_year - 12
    athlete = w.athlete()
    w.school(athlete, pick(w, "university"), entry)
    w.school(athlete, pick(w, "high_school"), entry + 4)
    athlete.expect("MT02", "error")
    athlete.expect("MT03", "error")


@form("MT02")
def high_school_starts_during_university(w: Workshop) -> None:
    entry = w.academic_year - 11
    athlete = w.athlete()
    w.school(athlete, pick(w, "university"), entry)
    w.school(athlete, pick(w, "high_school"), entry + 2)
    athlete.expect("MT02", "error")
    athlete.expect("MT03", "error")


@form("MT02")
def only_years_known(w: Workshop) -> None:
    entry = w.academic_year - 12
    athlete = w.athlete()
    for kind, start, years in (("university", entry, 4), ("high_school", entry + 4, 3)):
        w.membership(athlete, pick(w, kind), None, None, start_year=start, end_year=start + years)
    athlete.expect("MT02", "error")
    athlete.expect("MT03", "error")


@form("MT03")
def high_school_overlaps_university(w: Workshop) -> None:
    entry = w.academic_year - 9
    athlete, _school = pupil(w, entry - 2)
    w.school(athlete, pick(w, "university"), entry)
    athlete.expect("MT03", "error")


@form("MT03")
def high_school_ends_after_university(w: Workshop) -> None:
    entry = w.academic_year - 9
    athlete, _school = pupil(w, entry - 1)
    w.membership(athlete, pick(w, "university"), date(entry, 4, 1), date(entry + 1, 9, 30))
    athlete.expect("MT03", "error")
    athlete.tolerated.add("MT09")


@form("MT03")
def junior_high_overlaps_high_school(w: Workshop) -> None:
    entry = w.academic_year - 8
    athlete, _school = pupil(w, entry)
    w.school(athlete, pick(w, "junior_high_school"), entry - 2)
    athlete.expect("MT03", "error")


def _shifted_schools(w: Workshop, kind: str) -> None:
    entry = w.academic_year - 10
    athlete, first = w.athlete(), pick(w, kind)
    w.school(athlete, first, entry)
    w.school(athlete, pick(w, kind, first), entry + 1)
    athlete.expect("MT04", "warning")


SHIFTED_SCHOOLS = tuple(
    Form("MT04", f"two_{kind}_rows_overlap", 1, partial(_shifted_schools, kind=kind))
    for kind in ("high_school", "university", "junior_high_school")
)


@form("MT04")
def corporate_overlap_with_later_rows(w: Workshop) -> None:
    athlete, base = w.athlete(), w.academic_year - 12
    first = pick(w, "corporate_team")
    second = pick(w, "corporate_team", first)
    third = pick(w, "corporate_team", first, second)
    w.membership(athlete, first, date(base, 4, 1), date(base + 5, 3, 31))
    w.membership(athlete, second, date(base + 1, 4, 1), date(base + 2, 3, 31))
    w.membership(athlete, third, date(base + 3, 4, 1), date(base + 4, 3, 31))
    athlete.expect("MT04", "info")


@form("MT04")
def same_school_name_in_other_prefecture(w: Workshop) -> None:
    entry, name = w.academic_year - 9, place(w)
    athlete = w.athlete()
    w.school(athlete, w.organization(f"{name}西京高校", "high_school", "京都府"), entry)
    w.school(athlete, w.organization(f"{name}西京高校", "high_school", "山口県"), entry + 1)
    athlete.expect("MT04", "warning")


def _alias(w: Workshop, kind: str, spellings: tuple[str, str]) -> None:
    entry, name = w.academic_year - 9, place(w)
    athlete = w.athlete()
    for spelling in spellings:
        w.school(athlete, w.organization(spelling.format(name), kind, "愛知県"), entry)
    athlete.expect("MT05", "warning")


ALIASES = tuple(
    Form("MT05", name, 1, partial(_alias, kind=kind, spellings=spellings))
    for name, kind, spellings in (
        ("high_school_suffix", "high_school", ("{}東高校", "{}東高等学校")),
        ("attached_school_glyph", "high_school", ("{}大附属高校", "{}大付属高校")),
        ("small_ke", "high_school", ("{}ヶ丘高校", "{}ケ丘高校")),
        ("high_school_division", "high_school", ("{}学園高校", "{}学園高等部")),
        ("old_university_glyph", "university", ("{}文化大学", "{}文化大學")),
    )
)


@form("MT05")
def linked_by_name_variant(w: Workshop) -> None:
    entry, name = w.academic_year - 9, place(w)
    athlete = w.athlete()
    full = w.organization(f"{name}農業大学第二高校", "high_school", "群馬県")
    short = w.organization(f"{name}農大二高", "high_school", "群馬県")
    w.variant(short.name_ja, "short", organization=full)
    w.school(athlete, full, entry)
    w.school(athlete, short, entry)
    athlete.expect("MT05", "warning")
