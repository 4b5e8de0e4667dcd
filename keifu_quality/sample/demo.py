"""The athletes of the demonstration, present in every roster of 50 or more.

Belongs here: one clean athlete, one with faults in every family, and two of one name. Stays out: everybody else.
"""

from datetime import date, datetime
from typing import Any

from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.faults.bases import own_race, pick, profiled
from keifu_quality.sample.names import Name
from keifu_quality.sample.workshop import Workshop

DEMO_CLEAN_SLUG = "tsukasa-hinakuni"
DEMO_FAULTY_SLUG = "isamu-karikuni"
DEMO_AMBIGUOUS_NAME = "例国稔"
DEMO_AMBIGUOUS_SLUG = "minoru-reikuni"

# The second character is one that the supply of names does not have.
_CLEAN = Name("雛国", "司", "ヒナクニ", "ツカサ", "hinakuni", "tsukasa")
_FAULTY = Name("仮国", "勇", "カリクニ", "イサム", "karikuni", "isamu")
_MATE = Name("架国", "誠", "カクニ", "マコト", "kakuni", "makoto")
_AMBIGUOUS = Name("例国", "稔", "レイクニ", "ミノル", "reikuni", "minoru")


def plant(workshop: Workshop) -> None:
    """Makes the athletes of the demonstration."""
    w, entry = workshop, workshop.academic_year - 7
    university = pick(w, "university")
    clean = w.athlete(_CLEAN, slug=DEMO_CLEAN_SLUG)
    faulty = w.athlete(_FAULTY, slug=DEMO_FAULTY_SLUG, written=f"{_FAULTY.written}(4)")
    mate = w.athlete(_MATE, slug="makoto-kakuni")
    for athlete in (clean, faulty, mate):
        w.school(athlete, pick(w, "high_school"), entry - 3)
        w.school(athlete, university, entry)
    for year in range(4):
        event = own_race(w, "m10000", entry + year, month=5, day=9 + year)
        for athlete in (clean, faulty, mate):
            w.result(athlete, event, university, grade=year + 1)
    _clean(w, clean, entry)
    _faulty(w, faulty, entry)
    mate.form = "clean/training_mate"
    _namesakes(w, entry)


def _clean(w: Workshop, athlete: Athlete, entry: int) -> None:
    athlete.form = "clean/demonstration"
    profiled(w, athlete, entry - 19)
    athlete.person.status = "verified"
    w.membership(athlete, pick(w, "corporate_team"), date(entry + 4, 4, 1), None)
    fastest, event = min(
        ((row.mark_millis or 0, event) for row, event in zip(athlete.results, athlete.events, strict=True)),
        key=lambda pair: pair[0],
    )
    w.best(
        athlete,
        "m10000",
        fastest,
        achieved_on=datetime(event.sort_day.year, event.sort_day.month, event.sort_day.day),  # noqa: DTZ001 naive UTC
        competition_name=event.edition.official_name,
    )
    w.reference(athlete)
    athlete.wants_cache = True


def _faulty(w: Workshop, athlete: Athlete, entry: int) -> None:
    athlete.form = "demonstration/faulty"
    athlete.person.nationality = "{{JPN}}"
    first = pick(w, "corporate_team")
    w.membership(athlete, first, date(entry + 4, 4, 1), None)
    w.membership(athlete, pick(w, "corporate_team", first), date(entry + 6, 4, 1), None)
    fastest = min(row.mark_millis or 0 for row in athlete.results)
    w.best(athlete, "m10000", fastest)
    w.best(athlete, "m10000", fastest, source="fan")
    w.best(athlete, "m5000", 835_670, mark="13:45.67")
    athlete.wants_cache = True

    def spoil(caches: dict[str, Any]) -> None:
        caches[athlete.person.id].payload["topRelations"][0]["matchupSignals"]["matchupCount"] += 3

    w.after_caches.append(spoil)
    for code, severity in (
        ("PC06", "warning"),
        ("MT01", "warning"),
        ("MT04", "info"),
        ("PN13", "warning"),
        ("PB01", "warning"),
        ("PB06", "error"),
        ("RC03", "warning"),
    ):
        athlete.expect(code, severity)
    athlete.undecided |= {"RC02", "RC04", "RC05"}


def _namesakes(w: Workshop, entry: int) -> None:
    for slug, start, day in (
        (DEMO_AMBIGUOUS_SLUG, entry, 12),
        ("minoru-reikuni-2", entry - 5, 27),
    ):
        athlete = w.athlete(_AMBIGUOUS, slug=slug, birth_date=datetime(start - 19, 6, day))  # noqa: DTZ001 naive UTC
        athlete.form = "demonstration/namesakes"
        w.school(athlete, pick(w, "university"), start)
        athlete.expect("PN03", "info")
