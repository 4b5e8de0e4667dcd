"""One side of a comparison of two people.

Belongs here: what a record says about where and when somebody ran, read off its rows once and only when asked for.
Stays out: the comparison itself (`weighing`), and when a person was born (`cohorts`).
"""

from collections.abc import Mapping, Sequence, Set
from datetime import date

from graphs.facts import Candidate, Membership, Organization, Person, RaceResult, Snapshot, SourceReference
from graphs.lazy import lazy_property
from graphs.rules.affiliation import is_temporary
from graphs.rules.athlete import Athlete
from graphs.rules.periods import SCHOOL_STAGES, end_of, start_of
from graphs.rules.racing import EKIDEN_TYPES, date_of
from graphs.text.names import NameKeys, name_keys
from graphs.text.school_year import RaceDate

AFFILIATIONS = frozenset({"junior_high_school", "high_school", "university", "corporate_team", "company", "club"})
"""Organization types that tell one runner from another; selection teams and organizers do not."""


class Record:
    """The rows of the diagnosed athlete or of a candidate. Unreadable rows raise when they are first needed."""

    def __init__(self, facts: Snapshot | Candidate) -> None:
        self.facts = facts
        self.person: Person = facts.person

    @lazy_property
    def keys(self) -> NameKeys:
        """The written-name keys of the display name."""
        return name_keys(self.person.name_ja)

    @lazy_property
    def memberships(self) -> Sequence[Membership]:
        """Stays as an athlete at teams that are not put together for a day, by team and time."""
        rows = [m for m in self.facts.memberships if m.role == "athlete" and not is_temporary(m.organization)]
        return sorted(rows, key=lambda m: (m.organization.slug, start_of(m) or date.min, end_of(m) or date.max, m.id))

    @lazy_property
    def results(self) -> Sequence[RaceResult]:
        """All results in a stable order."""
        return sorted(self.facts.results, key=lambda r: (r.race.slug, r.id))

    @lazy_property
    def race_dates(self) -> Mapping[str, RaceDate]:
        """Day of every result, by result id."""
        return {r.id: date_of(r) for r in self.results}

    @lazy_property
    def academic_years(self) -> Mapping[str, tuple[int, ...]]:
        """Academic years in which every result may have been run, by result id."""
        return {r.id: date_of(r).academic_years for r in self.results}

    @lazy_property
    def references(self) -> Sequence[SourceReference]:
        """What sources printed."""
        return sorted(self.facts.source_references, key=lambda s: (s.source.id, s.entity_key, s.id))

    @lazy_property
    def organizations(self) -> Sequence[Organization]:
        """The teams of stays and results, temporary ones left out, each once, by slug."""
        found = {m.organization.id: m.organization for m in self.memberships}
        for result in self.results:
            organization = result.organization
            if organization is not None and organization.id not in found and not is_temporary(organization):
                found[organization.id] = organization
        return sorted((o for o in found.values() if o.type in AFFILIATIONS), key=lambda o: (o.slug, o.id))

    @lazy_property
    def team_results(self) -> Sequence[tuple[RaceResult, Organization, tuple[int, ...]]]:
        """Results for a team that is not put together for a day, with that team and the academic years."""
        return [
            (result, result.organization, self.academic_years[result.id])
            for result in self.results
            if result.organization is not None and not is_temporary(result.organization)
        ]

    @lazy_property
    def school_seasons(self) -> Set[tuple[str, int]]:
        """Stages and academic years of the results for schools whose day is known."""
        return {(o.type, years[0]) for _, o, years in self.team_results if len(years) == 1 and o.type in SCHOOL_STAGES}

    @lazy_property
    def results_by_race(self) -> Mapping[str, Sequence[RaceResult]]:
        """Results by race id."""
        groups: dict[str, list[RaceResult]] = {}
        for result in self.results:
            groups.setdefault(result.race.id, []).append(result)
        return groups

    @lazy_property
    def results_by_ekiden(self) -> Mapping[str, Sequence[RaceResult]]:
        """Results of ekiden legs, by edition id."""
        groups: dict[str, list[RaceResult]] = {}
        for result in self.results:
            race = result.race
            if race.leg is not None and race.competition_type in EKIDEN_TYPES:
                groups.setdefault(race.edition_id, []).append(result)
        return groups


class AthleteRecord(Record):
    """The diagnosed athlete, whose dates are known already."""

    def __init__(self, athlete: Athlete) -> None:
        super().__init__(athlete.snapshot)
        self._athlete = athlete

    @lazy_property
    def keys(self) -> NameKeys:
        """The written-name keys of the display name."""
        return self._athlete.keys

    @lazy_property
    def results(self) -> Sequence[RaceResult]:
        """All results, by day, race and id."""
        return self._athlete.results

    @lazy_property
    def race_dates(self) -> Mapping[str, RaceDate]:
        """Day of every result, by result id."""
        return self._athlete.race_dates
