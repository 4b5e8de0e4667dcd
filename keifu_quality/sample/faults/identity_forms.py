"""One name in two forms: glyphs, foreign names, romanisation.

Belongs here: PN04, PN05, PN06. Stays out: people of one written name (`identity_same`).

The family names hold 倣, which no supplied name holds, and given names that nobody else with 倣 bears.
"""

from datetime import date
from functools import partial

from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.faults.bases import pick, readable_name
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.workshop import Workshop


def _spellings_at_one_university(w: Workshop, families: tuple[str, ...], severities: tuple[str, ...]) -> None:
    given, university = w.names.reserved_given(), pick(w, "university")
    for family in families:
        athlete = w.athlete(w.names.named((family, "ナラシ"), given))
        w.school(athlete, university, w.academic_year - 8)
        athlete.expect("PN04", *severities)


SPELLINGS = tuple(
    Form(
        "PN04",
        "_".join(("glyphs", *(f"{ord(family.strip('倣')):x}" for family in families))),
        len(families),
        partial(_spellings_at_one_university, families=families, severities=severities),
    )
    for families, severities in (
        (("髙倣", "高倣"), ("warning",)),
        (("倣﨑", "倣崎"), ("warning",)),
        (("倣邉", "倣邊", "倣辺"), ("warning",)),
        (("𠮷倣", "吉倣"), ("warning",)),
        (("倣澤", "倣沢"), ("warning",)),
        (("倣濵", "倣濱", "倣浜"), ("warning",)),
        (("齋倣", "斎倣"), ("warning",)),
        (("倣峯", "倣峰"), ("warning", "info")),
    )
)


@form("PN04", people=2)
def glyphs_without_anything_in_common(w: Workshop) -> None:
    given = w.names.reserved_given()
    first = w.athlete(w.names.named(("髙倣", "タカナラ"), given))
    second = w.athlete(w.names.named(("高倣", "タカナラ"), given))
    w.school(first, pick(w, "high_school"), w.academic_year - 14)
    w.membership(second, pick(w, "corporate_team"), date(w.academic_year - 5, 4, 1), None)
    for athlete in (first, second):
        athlete.expect("PN04", "info")


def _foreign_pair(w: Workshop, *, together: bool) -> tuple[Athlete, Athlete, str]:
    name = w.names.foreign()
    university = pick(w, "university")
    first = w.athlete(name)
    second = w.athlete(name, slug=w.slugs.opaque())
    w.school(first, university, w.academic_year - 9)
    if together:
        w.school(second, university, w.academic_year - 9)
    else:
        w.membership(second, pick(w, "corporate_team"), date(w.academic_year - 4, 4, 1), None)
    return first, second, name.family


def _rename(athlete: Athlete, written: str) -> None:
    athlete.person.display_name_ja = written
    athlete.person.display_name_ja_search = "".join(written.split())


@form("PN05", people=2)
def parts_in_the_other_order(w: Workshop) -> None:
    first, second, family = _foreign_pair(w, together=True)
    _rename(second, f"{family}・{second.name.given}")
    for athlete in (first, second):
        athlete.expect("PN05", "warning")


@form("PN05", people=2)
def given_name_as_initial(w: Workshop) -> None:
    first, second, family = _foreign_pair(w, together=True)
    initial = chr(ord(second.name.given_roman[0].upper()) - ord("A") + ord("Ａ"))
    _rename(second, f"{initial}.{family}")
    for athlete in (first, second):
        athlete.expect("PN05", "warning")


@form("PN05", people=2)
def other_order_without_anything_in_common(w: Workshop) -> None:
    first, second, family = _foreign_pair(w, together=False)
    _rename(second, f"{family} {second.name.given}")
    for athlete in (first, second):
        athlete.expect("PN05", "info")


@form("PN06", people=2)
def kanji_and_katakana_record(w: Workshop) -> None:
    name, university = readable_name(w), pick(w, "university")
    first = w.athlete(name, display_name_roman=name.roman)
    second = w.athlete(
        name,
        written=name.kana,
        slug=w.slugs.opaque(),
        display_name_roman=f"{name.family_roman.capitalize()} {name.given_roman.upper()}",
    )
    for athlete in (first, second):
        w.school(athlete, university, w.academic_year - 7)
        athlete.expect("PN06", "warning")


@form("PN06", people=2)
def roman_orders_of_one_written_name(w: Workshop) -> None:
    name = readable_name(w)
    first = w.athlete(name, display_name_roman=name.roman)
    second = w.athlete(
        name,
        slug=w.slugs.opaque(),
        display_name_roman=f"{name.family_roman.upper()} {name.given_roman.capitalize()}",
    )
    w.school(first, pick(w, "high_school"), w.academic_year - 14)
    w.membership(second, pick(w, "corporate_team"), date(w.academic_year - 5, 4, 1), None)
    for athlete in (first, second):
        athlete.expect("PN06", "warning")
        athlete.expect("PN02", "warning")


@form("PN06", people=2)
def roman_only_without_anything_in_common(w: Workshop) -> None:
    name = readable_name(w)
    first = w.athlete(name, display_name_roman=name.roman)
    second = w.athlete(
        name,
        written=name.kana,
        slug=w.slugs.opaque(),
        display_name_roman=f"{name.family_roman.capitalize()} {name.given_roman.capitalize()}",
    )
    w.school(first, pick(w, "high_school"), w.academic_year - 14)
    w.membership(second, pick(w, "corporate_team"), date(w.academic_year - 5, 4, 1), None)
    for athlete in (first, second):
        athlete.expect("PN06", "info")
