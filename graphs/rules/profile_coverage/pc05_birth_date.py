"""PC05: a birth date that cannot be true, or that looks like a filler."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Snapshot
from graphs.rules.athlete import Athlete
from graphs.rules.profile_coverage.scope import is_athlete
from graphs.rules.profile_coverage.thresholds import ProfileCoverageThresholds
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.school_year import RaceDate

DAYS_OF_A_YEAR = 365
CHANCE_FACTOR = 3
"""Times the number that chance gives, from which on a shared 1 January is more than chance."""


@dataclass(frozen=True, slots=True)
class BirthDateEvidence(Evidence):
    """The birth date, what speaks against it, and the ages in full years at the first and the last race.

    Where a race is known by its year only, the age is the one that fits the bounds better, and the date is null.
    """

    birth_date: date
    problems: tuple[str, ...]
    first_result_date: date | None
    last_result_date: date | None
    age_at_first_result: int | None
    age_at_last_result: int | None
    sharers: int | None


class ImplausibleBirthDate(Rule):
    """The birth date is implausible.

    Detects: a birth date in the future, before 1930, or one that makes the athlete younger than 11 or older than 60
    at a dated race; and, as a warning, a date that stands in for an unknown one: 1 January of 1900, 1970 or 2000, a
    1 January that several athletes share, or a day of the year on which far more athletes of one origin are born
    than chance allows.

    Why it matters: birth dates tell namesakes apart and give the school years that other checks rest on.

    Example: born on 15 June 2021 with a race in 2024, a slip for 2001; or forty of a hundred births on 1 July.

    Traps: 1 January is a real birthday, so a shared one only warns, and in a large roster some share it by chance.
    Masters run: both ends of the career are looked at. An athlete of the 1930s was born before 1930; the early date
    is believed when the races fit it. A race known by its year only counts when the age is impossible all year.
    Coaches and staff are skipped.

    What to do: look the date up in the source; never guess another.
    """

    code = "PC05"
    name = "birth_date_implausible"
    category = Category.PROFILE_COVERAGE
    severities = (Severity.ERROR, Severity.WARNING)
    evidence_type = BirthDateEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="verify_birth_date",
        reason="The birth date is implausible or a filler; look it up in the source.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with all that speaks against the date."""
        birth = athlete.person.birth_date
        if birth is None or not is_athlete(athlete.person):
            return
        thresholds = context.configuration.profile_coverage
        days = [athlete.race_dates[result.id] for result in athlete.results]
        ages = [_age(birth, day, thresholds) for day in days]
        problems: list[str] = []
        if birth > context.today:
            problems.append("in_the_future")
        too_young = [age for age in ages if age < thresholds.youngest_age]
        too_old = [age for age in ages if age > thresholds.oldest_age]
        if too_young:
            problems.append("too_young_at_a_race")
        if too_old:
            problems.append("too_old_at_a_race")
        if birth.year < thresholds.earliest_birth_year and (not ages or too_young or too_old):
            problems.append("before_the_earliest_year")
        placeholder = _placeholder(athlete.snapshot, birth, thresholds)
        if not problems and placeholder is None:
            return
        filler = birth in thresholds.filler_birth_dates
        yield Finding(
            key=(),
            severity=Severity.ERROR if problems and not filler else Severity.WARNING,
            detail=_sentence(birth, problems, placeholder, ages),
            evidence=BirthDateEvidence(
                birth_date=birth,
                problems=(*problems, *([placeholder] if placeholder else [])),
                first_result_date=_day(days[0]) if days else None,
                last_result_date=_day(days[-1]) if days else None,
                age_at_first_result=ages[0] if ages else None,
                age_at_last_result=ages[-1] if ages else None,
                sharers=athlete.snapshot.birth_date_sharers,
            ),
        )


def _age(birth: date, day: RaceDate, thresholds: ProfileCoverageThresholds) -> int:
    """Full years at the race; with the year alone, the age of that year that fits the bounds better."""
    if day.precision == "day":
        return day.value.year - birth.year - ((day.value.month, day.value.day) < (birth.month, birth.day))
    oldest = day.value.year - birth.year
    return oldest - 1 if oldest > thresholds.oldest_age else oldest


def _placeholder(snapshot: Snapshot, birth: date, thresholds: ProfileCoverageThresholds) -> str | None:
    """Why the date looks like a stand-in, None where it does not."""
    if birth in thresholds.filler_birth_dates:
        return "filler_date"
    peers, sharers = snapshot.birth_day_peers, snapshot.birth_date_sharers
    if (birth.month, birth.day) == (1, 1) and sharers is not None:
        by_chance = peers.known / (DAYS_OF_A_YEAR * thresholds.birth_year_spread) if peers else 0.0
        if sharers >= max(thresholds.new_year_sharers, CHANCE_FACTOR * by_chance):
            return "shared_new_year"
    if peers is not None:
        evenly_spread = peers.known / DAYS_OF_A_YEAR
        if peers.same_day >= max(thresholds.crowded_day_athletes, thresholds.crowding_factor * evenly_spread):
            return "crowded_day"
    return None


def _day(day: RaceDate) -> date | None:
    return day.value if day.precision == "day" else None


def _sentence(birth: date, problems: list[str], placeholder: str | None, ages: list[int]) -> str:
    parts = [problem.replace("_", " ") for problem in (*problems, *([placeholder] if placeholder else []))]
    span = f"; aged {ages[0]} at the first and {ages[-1]} at the last race" if ages else ""
    return f"Born {birth.isoformat()}: {', '.join(parts)}{span}."
