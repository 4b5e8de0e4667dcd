"""Names that other records of the archive contradict.

Belongs here: PN11, PN12, PN14. Stays out: names that are malformed by themselves (`names_malformed`).
"""

from datetime import timedelta
from functools import partial

from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.faults.bases import graduate, pick
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.rows import AuditLog
from keifu_quality.sample.slugs import encoded
from keifu_quality.sample.workshop import Workshop


@form("PN11")
def reference_with_another_name(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    other = w.names.japanese()
    w.reference(athlete, name=f"{other.family} {other.given}")
    athlete.expect("PN11", "error")


@form("PN11")
def references_with_two_names(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    w.reference(athlete)
    w.reference(athlete, source="pdf", name=w.names.japanese().written)
    athlete.expect("PN11", "error")


@form("PN11")
def slug_that_tells_another_name(w: Workshop) -> None:
    told = w.names.japanese(single=True)
    athlete = w.athlete(slug=encoded(told))
    w.school(athlete, pick(w, "university"), w.academic_year - 7)
    athlete.expect("PN11", "error")


@form("PN11")
def reference_in_another_glyph(w: Workshop) -> None:
    given = w.names.reserved_given()
    athlete = w.athlete(w.names.named(("高倣", "タカナラ"), given))
    w.school(athlete, pick(w, "university"), w.academic_year - 7)
    w.reference(athlete, name=f"髙倣 {given[0]}")
    athlete.expect("PN11", "info")


@form("PN12")
def search_key_empty(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    athlete.person.display_name_ja_search = ""
    athlete.expect("PN12", "error")


@form("PN12")
def search_key_of_an_old_name(w: Workshop) -> None:
    athlete, _entry = graduate(w)
    athlete.person.display_name_ja_search = w.names.japanese().written
    athlete.expect("PN12", "error")


@form("PN12")
def kanji_name_with_a_space(w: Workshop) -> None:
    name = w.names.japanese()
    athlete = w.athlete(name, written=f"{name.family} {name.given}")
    w.school(athlete, pick(w, "university"), w.academic_year - 7)
    athlete.expect("PN12", "warning")


@form("PN12")
def search_key_with_a_space(w: Workshop) -> None:
    name = w.names.foreign()
    written = f"{name.given} {name.family}"
    athlete = w.athlete(name, written=written, display_name_ja_search=written)
    w.school(athlete, pick(w, "university"), w.academic_year - 7)
    athlete.expect("PN12", "error")


@form("PN12")
def search_key_folded_to_lower_case(w: Workshop) -> None:
    name = w.names.foreign()
    athlete = w.athlete(name, written=f"Ｔ.{name.family}", display_name_ja_search=f"t.{name.family}")
    w.school(athlete, pick(w, "university"), w.academic_year - 7)
    athlete.expect("PN12", "error")


def _merge_record(w: Workshop, merged: Athlete, canonical_id: str, field: str) -> None:
    w.audit_records.append(
        AuditLog(
            w.new_id("audit"),
            "Person",
            canonical_id,
            "merge",
            "entity_merge",
            None,
            "admin",
            "merge-person-duplicates",
            w.created + timedelta(hours=3),
            old_value={field: merged.person.slug},
            new_value={"canonicalPersonId": canonical_id},
        )
    )


@form("PN14", people=2)
def merged_double_is_back(w: Workshop) -> None:
    name = w.names.japanese()
    merged, canonical = w.athlete(name), w.athlete(name)
    w.school(merged, pick(w, "high_school"), w.academic_year - 12)
    w.school(canonical, pick(w, "university"), w.academic_year - 9)
    _merge_record(w, merged, canonical.person.id, "mergedPersonSlug")
    merged.expect("PN14", "critical")
    for athlete in (merged, canonical):
        athlete.expect("PN01", "error")


def _dropped(w: Workshop, field: str) -> None:
    merged, _entry = graduate(w)
    _merge_record(w, merged, w.new_id("person"), field)
    merged.expect("PN14", "critical")


DROPPED = tuple(
    Form("PN14", f"live_slug_in_{field}", 1, partial(_dropped, field=field))
    for field in ("dropSlug", "mergedPersonSlug")
)
