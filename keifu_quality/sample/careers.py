"""Ordinary clean athletes.

Belongs here: careers from junior high school to a corporate team with results that fit them. Stays out: faults, clean
special cases, and profiles and bests, which follow from the career (`keifu_quality.sample.profiles`).
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date

from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.calendar import PLANS, Event
from keifu_quality.sample.rows import Organization
from keifu_quality.sample.workshop import Workshop

ELITE_HIGH_SCHOOLS = 60
ELITE_UNIVERSITIES = 21
ELITE_CORPORATE_TEAMS = 40
NO_SUCH_TEAM_EDITION = "hakone-ekiden-100"
"""No student union selection ran in that edition."""

_STATUS_TEXTS = ("DNS", "DNF", "途中棄権", "欠場")


@dataclass(frozen=True, slots=True)
class Stay:
    """A stay by academic years, both inclusive; `last` of an open stay is the running year."""

    organization: Organization
    first: int
    last: int


class CareerMaker:
    """Makes ordinary athletes; keeps account of the ekiden legs that are taken."""

    def __init__(self, workshop: Workshop, size: int) -> None:
        self._workshop = workshop
        self._rng = workshop.rng
        # The supply of invented foreign names is small beside that of kanji names.
        self._foreign_share = min(0.02, 2000 / size)
        self._span = max(5, min(22, size // 30))
        self._legs_run: Counter[tuple[str, int, str]] = Counter()
        groups = workshop.organizations
        self._elite_ids = {
            team.id
            for team in (
                *groups.high_schools[:ELITE_HIGH_SCHOOLS],
                *groups.universities[:ELITE_UNIVERSITIES],
                *groups.corporate_teams[:ELITE_CORPORATE_TEAMS],
            )
        }

    def ordinary(self) -> Athlete:
        """A new athlete with memberships and results."""
        w, rng = self._workshop, self._rng
        this_year = w.academic_year
        cohort = this_year - 16 - rng.randrange(self._span + 1)
        foreign = rng.random() < self._foreign_share
        schools = self._schools(cohort, this_year)
        work = [] if rng.random() < 0.5 else self._work(schools[-1].last + 1, this_year)
        stays = schools + work
        name = w.names.foreign() if foreign else w.names.japanese()
        athlete = w.athlete(name, organization_slug=stays[-1].organization.slug)
        if foreign:
            athlete.five_thousand = rng.uniform(782_000, 812_000)
        for stay in schools:
            w.school(athlete, stay.organization, stay.first, stay.last - stay.first + 1)
        for number, stay in enumerate(work):
            open_end = number == len(work) - 1 and stay.last == this_year
            w.membership(
                athlete,
                stay.organization,
                date(stay.first, 4, 1),
                None if open_end else date(stay.last + 1, 3, 31),
            )
        home = schools[0].organization.prefecture
        for stay in stays:
            for year in range(stay.first, min(stay.last, this_year) + 1):
                self._season(athlete, stay, year, home)
        return athlete

    def _schools(self, cohort: int, this_year: int) -> list[Stay]:
        w, rng = self._workshop, self._rng
        stays: list[Stay] = []
        to_university = cohort + 19 <= this_year and rng.random() < 0.68
        if not to_university or rng.random() < 0.8:
            if rng.random() < 0.18:
                stays.append(Stay(rng.choice(w.organizations.junior_high_schools), cohort + 13, cohort + 15))
            stays.append(Stay(rng.choice(w.organizations.high_schools), cohort + 16, cohort + 18))
        if to_university:
            entry = cohort + 19 + (cohort + 20 <= this_year and rng.random() < 0.04)
            stays.append(Stay(rng.choice(w.organizations.universities), entry, entry + 3))
        return stays

    def _work(self, first: int, this_year: int) -> list[Stay]:
        teams = self._workshop.organizations.corporate_teams
        if first > this_year:
            return []
        team = self._rng.choice(teams)
        chance = self._rng.random()
        if this_year - first >= 3 and chance < 0.35:
            return [Stay(team, first, self._rng.randrange(first + 1, this_year))]
        if this_year - first >= 4 and chance < 0.42:
            moved = self._rng.randrange(first + 2, this_year)
            other = self._rng.choice([candidate for candidate in teams if candidate is not team])
            return [Stay(team, first, moved - 1), Stay(other, moved, this_year)]
        return [Stay(team, first, this_year)]

    def _season(self, athlete: Athlete, stay: Stay, year: int, home_prefecture: str | None) -> None:
        team, rng = stay.organization, self._rng
        grade = year - stay.first + 1
        kind = team.type
        if kind == "junior_high_school":
            if rng.random() < 0.5:
                self._track(athlete, stay, "junior-track-meet", year, "m3000", grade, 1.12)
        elif kind == "high_school":
            form = 1.06 - 0.01 * grade
            if rng.random() < 0.35 and team.id in self._elite_ids:
                self._ekiden(athlete, team, "high-school-ekiden-men", year, grade, form)
            if rng.random() < 0.45:
                self._track(athlete, stay, "autumn-track-meet", year, "m5000", grade, form)
            if rng.random() < 0.05:
                self._track(athlete, stay, "summer-track-meet", year, "m3000sc", grade, form)
        elif kind == "university":
            self._university_season(athlete, stay, year, grade)
        else:
            if rng.random() < 0.4 and team.id in self._elite_ids:
                self._ekiden(athlete, team, "new-year-ekiden", year, None, 1.0)
            for slug, discipline, chance in (
                ("spring-track-meet", "m5000", 0.25),
                ("winter-track-meet", "m10000", 0.25),
                ("sample-marathon", "marathon", 0.12),
            ):
                if rng.random() < chance:
                    self._track(athlete, stay, slug, year, discipline, None, 1.0)
        if rng.random() < 0.04 and home_prefecture and kind != "junior_high_school":
            selection = self._workshop.organizations.prefectures[home_prefecture]
            self._ekiden(athlete, selection, "prefecture-ekiden-men", year, None, 1.02)

    def _university_season(self, athlete: Athlete, stay: Stay, year: int, grade: int) -> None:
        rng, team = self._rng, stay.organization
        form = 1.02 - 0.005 * grade
        if team.id in self._elite_ids:
            for slug in ("izumo-ekiden", "all-japan-university-ekiden", "hakone-ekiden"):
                if rng.random() < 0.22:
                    self._ekiden(athlete, team, slug, year, None if slug.startswith("all-japan") else grade, form)
        elif rng.random() < 0.06:
            union = self._workshop.organizations.unions["kanto-student-union"]
            self._ekiden(athlete, union, "hakone-ekiden", year, grade, form)
        for slug, discipline, chance in (
            ("spring-track-meet", "m5000", 0.4),
            ("summer-track-meet", "m1500", 0.04),
            ("winter-track-meet", "m10000", 0.35),
            ("student-half-marathon", "half_marathon", 0.2),
        ):
            if rng.random() < chance:
                self._track(athlete, stay, slug, year, discipline, grade, form)

    def _ekiden(
        self, athlete: Athlete, team: Organization, slug: str, year: int, grade: int | None, form: float
    ) -> None:
        calendar = self._workshop.calendar
        taken = self._legs_run[slug, year, team.id]
        if taken >= len(PLANS[slug].legs) or not calendar.is_held(slug, year):
            return
        event = calendar.leg(slug, year, taken + 1)
        if team.type == "student_union_select" and event.edition.slug == NO_SUCH_TEAM_EDITION:
            return
        self._legs_run[slug, year, team.id] += 1
        self._finish(athlete, event, team, grade, form)

    def _track(
        self,
        athlete: Athlete,
        stay: Stay,
        slug: str,
        year: int,
        discipline: str,
        grade: int | None,
        form: float,
    ) -> None:
        if self._workshop.calendar.is_held(slug, year):
            event = self._workshop.calendar.heat(slug, year, discipline)
            self._finish(athlete, event, stay.organization, grade, form)

    def _finish(self, athlete: Athlete, event: Event, team: Organization, grade: int | None, form: float) -> None:
        w = self._workshop
        printed_grade = grade if self._rng.random() < 0.9 else None
        if self._rng.random() < 0.03:
            w.result(athlete, event, team, mark=self._rng.choice(_STATUS_TEXTS), grade=printed_grade)
        else:
            w.result(athlete, event, team, w.run(athlete, event, form), grade=printed_grade)
