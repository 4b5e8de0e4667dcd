"""Competitions, their editions and their races.

Belongs here: which competitions the sample knows, when they are held, and races made at first use. Stays out: who
runs. Days are calendar days in Japan; the names of competitions are the kind of the archive's, their dates typical.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time

from keifu_quality.sample.rows import Competition, CompetitionEdition, Race, RaceResult, Source

HEAT_SIZE = 20
DISTANCES = {
    "m800": 800, "m1500": 1500, "m2000sc": 2000, "m3000": 3000, "m3000sc": 3000, "m5000": 5000, "m10000": 10000,
    "ten_mile": 16093, "half_marathon": 21097, "marathon": 42195,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CompetitionPlan:
    """How a competition is held: month and day, legs in metres, the year before the first edition."""

    slug: str
    name: str
    type: str
    source: str
    month: int
    day: int
    year_before_first: int
    legs: tuple[int, ...] = ()


PLANS = {
    plan.slug: plan
    for plan in (
        CompetitionPlan(
            "hakone-ekiden", "箱根駅伝", "university_ekiden", "official", 1, 2, 1924,
            (21300, 23100, 21400, 20900, 20800, 20800, 21300, 21400, 23100, 23000),
        ),
        CompetitionPlan(
            "all-japan-university-ekiden", "全日本大学駅伝", "university_ekiden", "archive", 11, 3, 1968,
            (9500, 11100, 11900, 11800, 12400, 12800, 17600, 19700),
        ),
        CompetitionPlan(
            "izumo-ekiden", "出雲駅伝", "university_ekiden", "archive", 10, 13, 1988,
            (8000, 5800, 8500, 6200, 6400, 10200),
        ),
        CompetitionPlan(
            "high-school-ekiden-men", "全国高校駅伝", "high_school_ekiden", "archive", 12, 22, 1949,
            (10000, 3000, 8107, 8087, 3000, 5000, 5000),
        ),
        CompetitionPlan(
            "new-year-ekiden", "ニューイヤー駅伝", "corporate_ekiden", "broadcast", 1, 1, 1956,
            (12300, 21900, 15300, 7600, 15900, 11200, 15600),
        ),
        CompetitionPlan(
            "prefecture-ekiden-men", "都道府県対抗駅伝", "mixed_ekiden", "archive", 1, 21, 1995,
            (7000, 3000, 8500, 5000, 8500, 3000, 13000),
        ),
        CompetitionPlan("spring-track-meet", "春季長距離競技会", "track_meet", "pdf", 5, 11, 1990),
        CompetitionPlan("summer-track-meet", "夏季長距離競技会", "track_meet", "pdf", 7, 6, 1990),
        CompetitionPlan("autumn-track-meet", "秋季長距離競技会", "track_meet", "pdf", 9, 28, 1990),
        CompetitionPlan("winter-track-meet", "冬季長距離競技会", "track_meet", "pdf", 12, 7, 1990),
        CompetitionPlan("junior-track-meet", "中学長距離競技会", "track_meet", "pdf", 8, 20, 1990),
        CompetitionPlan("student-half-marathon", "学生ハーフマラソン", "road_race", "archive", 3, 10, 1990),
        CompetitionPlan("sample-marathon", "見本湾マラソン", "marathon", "archive", 2, 25, 1980),
        CompetitionPlan("time-trial", "記録挑戦会", "track_meet", "pdf", 6, 1, 1980),
    )
}  # fmt: skip


@dataclass(slots=True)
class Event:
    """A race with its edition, competition and results; `day` is null where only the year is known."""

    race: Race
    edition: CompetitionEdition
    competition: Competition
    day: date | None
    sort_day: date
    results: list[RaceResult] = field(default_factory=list[RaceResult])


class Calendar:
    """Makes competitions, editions and races when they are first asked for."""

    def __init__(
        self, new_id: Callable[[str], str], sources: dict[str, Source], created: datetime, as_of: date
    ) -> None:
        self._new_id = new_id
        self._sources = sources
        self._created = created
        self._as_of = as_of
        self._competitions: dict[str, Competition] = {}
        self._editions: dict[str, tuple[CompetitionEdition, date]] = {}
        self._events: dict[str, Event] = {}
        self._open_heat: dict[tuple[str, str], int] = {}

    @property
    def events(self) -> list[Event]:
        return list(self._events.values())

    @property
    def competitions(self) -> list[Competition]:
        return list(self._competitions.values())

    @property
    def editions(self) -> list[CompetitionEdition]:
        return [edition for edition, _day in self._editions.values()]

    def day_in(self, slug: str, academic_year: int) -> date:
        """The day on which a competition is held in an academic year (April to March)."""
        plan = PLANS[slug]
        return date(academic_year + (plan.month < 4), plan.month, plan.day)

    def is_held(self, slug: str, academic_year: int) -> bool:
        """Whether the edition of that academic year is over, with some days for its results to be imported."""
        return (self._as_of - self.day_in(slug, academic_year)).days >= 5

    def leg(self, slug: str, academic_year: int, leg: int) -> Event:
        """The race of one ekiden leg, numbered from 1."""
        edition, day = self._edition(slug, self.day_in(slug, academic_year))
        return self._event(
            f"{edition.slug}-leg-{leg}",
            f"{leg}区",
            edition,
            day,
            "ekiden_leg",
            leg=leg,
            distance=PLANS[slug].legs[leg - 1],
        )

    def heat(self, slug: str, academic_year: int, discipline: str) -> Event:
        """The heat of a meet that still has room; heats hold 20 athletes."""
        edition, day = self._edition(slug, self.day_in(slug, academic_year))
        number = self._open_heat.get((edition.slug, discipline), 1)
        event = self._heat(edition, day, discipline, number)
        if len(event.results) >= HEAT_SIZE:
            self._open_heat[edition.slug, discipline] = number + 1
            event = self._heat(edition, day, discipline, number + 1)
        return event

    def time_trial(self, discipline: str, day: date, heat: int = 1, starts_at: datetime | None = None) -> Event:
        """A race apart from the public meets, on any day; each discipline, day and heat number is one race."""
        edition, day = self._edition("time-trial", day, dated_slug=True)
        return self._heat(edition, day, discipline, heat, starts_at)

    def _heat(
        self,
        edition: CompetitionEdition,
        day: date,
        discipline: str,
        number: int,
        starts_at: datetime | None = None,
    ) -> Event:
        return self._event(
            f"{edition.slug}-{discipline.replace('_', '-')}-heat-{number}",
            f"{discipline} {number}組",
            edition,
            day,
            discipline,
            heat=str(number),
            distance=DISTANCES[discipline],
            starts_at=starts_at or datetime.combine(day, time(3, 10)),
        )

    def _edition(self, slug: str, day: date, *, dated_slug: bool = False) -> tuple[CompetitionEdition, date]:
        plan = PLANS[slug]
        competition = self._competitions.get(slug)
        if competition is None:
            competition = Competition(
                self._new_id("competition"), slug, plan.name, plan.type, self._created, self._created
            )
            self._competitions[slug] = competition
        number = day.year - plan.year_before_first
        edition_slug = f"{slug}-{day:%Y-%m-%d}" if dated_slug else f"{slug}-{number}"
        known = self._editions.get(edition_slug)
        if known is None:
            # Some old lists give no day: for those editions only the year is known.
            undated = slug == "all-japan-university-ekiden" and day.year % 6 == 1
            edition = CompetitionEdition(
                self._new_id("edition"),
                competition.id,
                edition_slug,
                None if dated_slug else number,
                day.year,
                f"{day:%Y-%m-%d} {plan.name}" if dated_slug else f"第{number}回{plan.name}",
                None if undated else datetime.combine(day, time()),
                self._sources[plan.source].id,
                self._created,
                self._created,
            )
            known = self._editions[edition_slug] = (edition, day)
        return known

    def _event(
        self,
        slug: str,
        name: str,
        edition: CompetitionEdition,
        day: date,
        discipline: str,
        *,
        leg: int | None = None,
        heat: str | None = None,
        distance: int | None = None,
        starts_at: datetime | None = None,
    ) -> Event:
        event = self._events.get(slug)
        if event is None:
            competition = next(c for c in self._competitions.values() if c.id == edition.competition_id)
            race = Race(
                self._new_id("race"),
                edition.id,
                slug,
                name,
                discipline,
                leg,
                heat,
                distance,
                starts_at,
                edition.source_id,
                self._created,
                self._created,
            )
            known_day = day if starts_at or edition.starts_on else None
            event = self._events[slug] = Event(race, edition, competition, known_day, day)
        return event
