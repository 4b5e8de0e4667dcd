"""Clean athletes to plant on, and small helpers that several forms share.

Belongs here: what has no fault of its own. Stays out: any particular form. Academic years are named by the year in
which they begin.
"""

from datetime import date

from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.calendar import Event
from keifu_quality.sample.names import Name
from keifu_quality.sample.profiles import born_in_cohort
from keifu_quality.sample.rows import Organization
from keifu_quality.sample.workshop import Workshop

_PLACE_PARTS = "霞雲虹星月泉雪峠湊杜麓畔岬霜苔楓梓椿萩柊"


def pick(workshop: Workshop, kind: str, *others: Organization) -> Organization:
    """Any organization of the kind (`high_school`, `university` ...) that is none of `others`."""
    groups = workshop.organizations
    candidates = {
        "junior_high_school": groups.junior_high_schools,
        "high_school": groups.high_schools,
        "university": groups.universities,
        "corporate_team": groups.corporate_teams,
        "company": groups.companies,
        "club": groups.clubs,
    }[kind]
    taken = {other.id for other in others}
    return workshop.rng.choice([candidate for candidate in candidates if candidate.id not in taken])


def place(workshop: Workshop) -> str:
    """The name of an invented place that no other organization bears."""
    number, name = workshop.serial(), ""
    while number:
        number, digit = divmod(number, len(_PLACE_PARTS))
        name += _PLACE_PARTS[digit]
    return name.ljust(2, "里")


def readable_name(workshop: Workshop) -> Name:
    """A kanji name whose romanised form nobody else has."""
    while True:
        name = workshop.names.japanese()
        if name.roman_is_unique:
            return name


def graduate(workshop: Workshop, *, years_since: int = 4, name: Name | None = None) -> tuple[Athlete, int]:
    """Somebody who left university some years ago, without results; returned with the year of university entry."""
    entry = workshop.academic_year - 4 - years_since
    athlete = workshop.athlete(name)
    workshop.school(athlete, pick(workshop, "high_school"), entry - 3)
    workshop.school(athlete, pick(workshop, "university"), entry)
    return athlete, entry


def pupil(workshop: Workshop, entry: int, *, name: Name | None = None) -> tuple[Athlete, Organization]:
    """Somebody with a high school from the year of entry on and nothing else, with the school."""
    athlete, school = workshop.athlete(name), pick(workshop, "high_school")
    workshop.school(athlete, school, entry)
    return athlete, school


def student(workshop: Workshop, entry: int, *, name: Name | None = None) -> tuple[Athlete, Organization]:
    """Somebody with a university from the year of entry on and nothing else, with the university."""
    athlete, university = workshop.athlete(name), pick(workshop, "university")
    workshop.school(athlete, university, entry)
    return athlete, university


def worker(workshop: Workshop, *, years: int = 5, name: Name | None = None) -> tuple[Athlete, Organization]:
    """Somebody with an open corporate membership and nothing else, with the team."""
    athlete, team = workshop.athlete(name), pick(workshop, "corporate_team")
    workshop.membership(athlete, team, date(workshop.academic_year - years, 4, 1), None)
    return athlete, team


def profiled(workshop: Workshop, athlete: Athlete, cohort: int) -> None:
    """Fills the profile of an athlete of a school class; its name must be a `readable_name`."""
    person, name = athlete.person, athlete.name
    person.display_name_kana, person.display_name_roman = name.kana, name.roman
    person.birth_date = born_in_cohort(workshop, cohort)
    person.hometown, person.nationality = "大分県", "JPN"


def own_race(workshop: Workshop, discipline: str, year: int, month: int = 6, day: int = 8) -> Event:
    """A race on a day of an academic year in which nobody else runs yet."""
    when = date(year + (month < 4), month, day)
    return workshop.calendar.time_trial(discipline, when, workshop.serial())
