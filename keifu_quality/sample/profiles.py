"""Profiles, bests and source references that follow from a career.

Belongs here: what an archive row tells of an ordinary athlete besides the career. Stays out: anything wrong.
"""

from datetime import date, datetime, time, timedelta

from keifu_quality.sample import mark_text
from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.calendar import Event
from keifu_quality.sample.organizations import PREFECTURES
from keifu_quality.sample.rows import RaceResult
from keifu_quality.sample.workshop import Workshop

_ENTRY_AGES = {"junior_high_school": 13, "high_school": 16, "university": 19}


def born_in_cohort(workshop: Workshop, cohort: int) -> datetime:
    """A birthday of a school class: from 2 April of the year to 1 April of the next, never on the 1st or the 15th."""
    while True:
        day = date(cohort, 4, 2) + timedelta(days=workshop.rng.randrange(365))
        if day.day not in (1, 15):
            return datetime.combine(day, time())


def cohort_of(workshop: Workshop, athlete: Athlete) -> int | None:
    """The school class that the athlete's first school implies, named by its first birth year."""
    for row in athlete.memberships:
        age = _ENTRY_AGES.get(workshop.organization_types[row.organization_id])
        if age and row.start_date:
            return row.start_date.year - age
    return None


def fill_in(workshop: Workshop, athlete: Athlete, cohort: int | None, *, complete: bool = False) -> None:
    """Gives an ordinary athlete what is known of it; `complete` fills everything and marks it verified."""
    rng, person, name = workshop.rng, athlete.person, athlete.name
    if complete or rng.random() < 0.45:
        person.display_name_kana = name.kana
    if name.roman_is_unique and (complete or rng.random() < 0.35):
        person.display_name_roman = name.roman
    if complete or rng.random() < 0.35:
        person.nationality = "KEN" if name.is_foreign else "JPN"
    if not name.is_foreign:
        if cohort is not None and (complete or rng.random() < 0.4):
            person.birth_date = born_in_cohort(workshop, cohort)
        if complete or rng.random() < 0.3:
            person.hometown = rng.choice(PREFECTURES)
    if rng.random() < 0.2:
        person.height_cm = rng.randrange(162, 183)
        person.weight_kg = round(person.height_cm**2 / 10_000 * rng.uniform(18.3, 20.8))
    if complete:
        person.status = "verified"
    _add_bests(workshop, athlete, complete=complete)
    if complete or rng.random() < 0.7:
        metadata = {"displayNameKana": name.kana} if name.kana and rng.random() < 0.4 else {}
        spaced = person.display_name_ja if name.is_foreign else f"{name.family} {name.given}"
        workshop.reference(athlete, name=spaced, **metadata)


def _add_bests(workshop: Workshop, athlete: Athlete, *, complete: bool) -> None:
    rng = workshop.rng
    finishes: dict[str, list[tuple[int, Event, RaceResult]]] = {}
    for row, event in zip(athlete.results, athlete.events, strict=True):
        if row.mark_millis is not None:
            finishes.setdefault(event.race.discipline, []).append((row.mark_millis, event, row))
    leg_times = {millis for millis, _event, _row in finishes.pop("ekiden_leg", [])}
    if "m3000sc" in finishes:
        # A flat race of junior-high days may well be the slower one.
        finishes.pop("m3000", None)
    for discipline, runs in finishes.items():
        if not complete and rng.random() < 0.25:
            continue
        if discipline == "m5000" and rng.random() < 0.15 and _stage_bests(workshop, athlete, runs):
            continue
        fastest, event, _row = min(runs, key=lambda run: run[0])
        known = rng.random() < 0.3
        if not known and rng.random() < 0.3:
            # Run at a meet whose results are not in the archive.
            fastest = mark_text.timed(discipline, fastest * rng.uniform(0.992, 0.999))
        while fastest in leg_times:
            fastest -= 10 if discipline in mark_text.TRACK else 1000
            known = False
        best = workshop.best(athlete, discipline, fastest, source=rng.choice(("broadcast", "archive")))
        if known:
            best.competition_name = event.edition.official_name
            if event.day:
                best.achieved_on = datetime.combine(event.day, time())


def _stage_bests(workshop: Workshop, athlete: Athlete, runs: list[tuple[int, Event, RaceResult]]) -> bool:
    """Adds a high-school and a college best, each flagged, where the results hold both and the later is the faster."""
    fastest: dict[str, tuple[int, Event]] = {}
    for millis, event, row in sorted(runs, key=lambda run: run[0]):
        fastest.setdefault(workshop.organization_types[row.organization_id or ""], (millis, event))
    if set(fastest) != {"high_school", "university"}:
        return False
    (school_millis, school_event), (college_millis, college_event) = (
        fastest["high_school"],
        fastest["university"],
    )
    if school_millis <= college_millis or not (school_event.day and college_event.day):
        return False
    for millis, event in ((school_millis, school_event), (college_millis, college_event)):
        best = workshop.best(athlete, "m5000", millis, source="archive")
        best.achieved_on = datetime.combine(event.day or event.sort_day, time())
        best.competition_name = event.edition.official_name
        best.is_high_school_pb = event is school_event
        best.is_college_pb = event is college_event
    return True
