"""Records marked verified that are not complete.

Belongs here: PC03. Stays out: missing fields as such (`profiles`).
"""

from datetime import date
from functools import partial

from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.faults.bases import own_race, pick, profiled, readable_name
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.workshop import Workshop


def verified(w: Workshop) -> tuple[Athlete, int]:
    """A complete record marked verified, with the year of university entry."""
    entry = w.academic_year - 7
    athlete = w.athlete(readable_name(w))
    profiled(w, athlete, entry - 19)
    athlete.person.status = "verified"
    university = pick(w, "university")
    w.school(athlete, pick(w, "high_school"), entry - 3)
    w.school(athlete, university, entry)
    w.membership(athlete, pick(w, "corporate_team"), date(entry + 4, 4, 1), None)
    w.result(athlete, own_race(w, "m5000", entry + 1), university, 838_480, grade=2)
    w.result(athlete, w.calendar.leg("hakone-ekiden", entry + 2, 6), university, grade=3)
    w.best(athlete, "m5000", 838_480)
    w.best(athlete, "m10000", 1_741_060)
    return athlete, entry


def _lacking(w: Workshop, fields: tuple[str, ...]) -> None:
    athlete, _entry = verified(w)
    for field in fields:
        setattr(athlete.person, field, None)
    athlete.expect("PC03", "warning")


LACKING = tuple(
    Form("PC03", label, 1, partial(_lacking, fields=fields))
    for label, fields in (
        ("no_birth_date", ("birth_date",)),
        ("no_hometown", ("hometown",)),
        ("neither_reading_nor_roman_name", ("display_name_kana", "display_name_roman")),
    )
)


@form("PC03")
def no_affiliation(w: Workshop) -> None:
    athlete = w.athlete(readable_name(w))
    profiled(w, athlete, w.academic_year - 26)
    athlete.person.status = "verified"
    w.best(athlete, "m5000", 838_480)
    athlete.expect("PC03", "warning")


@form("PC03")
def main_best_without_source(w: Workshop) -> None:
    athlete, _entry = verified(w)
    for best in athlete.bests:
        best.source_id = None
    athlete.expect("PC03", "warning")


@form("PC03")
def best_in_conflict(w: Workshop) -> None:
    athlete, _entry = verified(w)
    athlete.bests[1].status = "conflicting"
    athlete.expect("PC03", "warning")
    athlete.expect("PB03", "warning")


@form("PC03")
def membership_in_conflict(w: Workshop) -> None:
    athlete, _entry = verified(w)
    athlete.memberships[0].status = "conflicting"
    athlete.expect("PC03", "warning")


@form("PC03")
def ekiden_result_without_mark(w: Workshop) -> None:
    athlete, _entry = verified(w)
    athlete.results[1].mark = athlete.results[1].mark_millis = None
    athlete.expect("PC03", "warning")


@form("PC03")
def school_result_unexplained(w: Workshop) -> None:
    athlete, entry = verified(w)
    university = next(row for row in w.organizations.universities if row.id == athlete.results[0].organization_id)
    event = w.calendar.leg("izumo-ekiden", entry + 3, 4)
    w.result(athlete, event, pick(w, "university", university))
    athlete.expect("PC03", "warning")
    athlete.expect("MT10", "error")
