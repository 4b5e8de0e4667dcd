"""The one statement on what surrounds the athletes of a batch: their races, their peers, their teams.

Belongs here: which of its parts are asked, with which parameters, and the reading of the answer. Stays out: facts made
of a single row (`keifu_quality.db.business.rows`).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from graphs.facts import BirthDayPeers, Membership, Person, TeamMove
from graphs.rules.periods import end_of, start_of
from keifu_quality.db.business import statements
from keifu_quality.db.business.access import Faults, Rows, Run, first_fault, text_array

SOURCE_SEPARATOR = "\x1f"
NO_SOURCES: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """An athlete may have moved from one corporate team to another when it left the first on `day`."""

    person_id: str
    from_organization_id: str
    to_organization_id: str
    day: date


@dataclass(slots=True)
class Questions:
    """What to ask, gathered over the batch.

    `races` are those whose opponents matter, `imported_races` those whose last import matters, `cached` the athletes
    with a cached payload, `related` the people that the payloads name. `source_sets` holds the source ids of each
    athlete with a birth date; an empty set means the whole archive.
    """

    races: set[str] = field(default_factory=set)
    imported_races: set[str] = field(default_factory=set)
    cached: set[str] = field(default_factory=set)
    related: set[str] = field(default_factory=set)
    birth_dates: set[date] = field(default_factory=set)
    source_sets: set[frozenset[str]] = field(default_factory=set)
    moves: list[MoveQuestion] = field(default_factory=list)

    def parts(self, faults: Faults) -> Iterator[str]:
        """The parts of the statement that have something to ask and can be answered."""
        asked: Sequence[tuple[str, Collection[Any] | bool, Sequence[str]]] = (
            (statements.PEOPLE_OF_RACES, self.races, ("RaceResult",)),
            (statements.CHANGES_OF_OTHERS, self.cached, ("RaceResult",)),
            (statements.RELATED_PEOPLE, self.related, ("Membership",)),
            (statements.LAST_IMPORTS, self.imported_races, ("RaceResult", *statements.LEFTOVER_TABLES)),
            (statements.BIRTH_DATES, self.birth_dates, ()),
            (statements.BIRTH_DAYS_OF_ARCHIVE, NO_SOURCES in self.source_sets, ()),
            (statements.BIRTH_DAYS_BY_SOURCES, self.source_sets - {NO_SOURCES}, ("SourceReference",)),
            (statements.TEAM_MOVES, self.moves, ("Membership",)),
        )
        return (part for part, wanted, tables in asked if wanted and first_fault(faults, tables) is None)

    def parameters(self) -> dict[str, Any]:
        """The parameters of all parts."""
        pairs = [(_set_key(sources), source) for sources in self.source_sets for source in sources]
        return {
            "races": text_array(self.races),
            "cached": text_array(self.cached),
            "related": text_array(self.related),
            "imported_races": text_array(self.imported_races),
            "birth_dates": list(self.birth_dates),
            "source_sets": text_array(key for key, _ in pairs),
            "source_ids": text_array(source for _, source in pairs),
            "move_numbers": list(range(len(self.moves))),
            "move_people": text_array(move.person_id for move in self.moves),
            "move_from": text_array(move.from_organization_id for move in self.moves),
            "move_to": text_array(move.to_organization_id for move in self.moves),
            "move_ends": [move.day for move in self.moves],
        }


class Surroundings:
    """The answer. Times are naive in UTC."""

    def __init__(self, questions: Questions, rows: Rows) -> None:
        parts: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in rows:
            parts[row[0]].append(row[1:])
        self.people_of_races: Mapping[str, Mapping[str, int]] = {
            race: Counter(people) for race, _, _, _, people in parts["race"]
        }
        self.changes_of_others: Mapping[str, datetime] = {person: at for person, _, at, _, _ in parts["others"]}
        self.related: Mapping[str, datetime | None] = {person: at for person, _, at, _, _ in parts["related"]}
        self.last_imports: Mapping[tuple[str, str | None], datetime] = {
            (race, source): at for race, source, at, _, _ in parts["import"]
        }
        self._born = {at.date(): count for _, _, at, count, _ in parts["birth_date"]}
        self._days: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for sources, day, _, count, _ in parts["birth_day"]:
            self._days[sources][day] = count
        self._moves: defaultdict[str, list[TeamMove]] = defaultdict(list)
        for number, _, _, count, _ in parts["move"]:
            move = questions.moves[int(number)]
            self._moves[move.person_id].append(TeamMove(move.from_organization_id, move.to_organization_id, count))

    def birth_date_sharers(self, person: Person) -> int | None:
        """How many athletes have this athlete's birth date, itself included."""
        return None if person.birth_date is None else self._born.get(person.birth_date, 1)

    def birth_day_peers(self, person: Person, sources: frozenset[str]) -> BirthDayPeers | None:
        """How crowded the day of birth is among those who share a source."""
        days = self._days.get(_set_key(sources))
        if person.birth_date is None or days is None:
            return None
        return BirthDayPeers(known=days.total(), same_day=days[person.birth_date.strftime("%m-%d")])

    def team_moves(self, person_id: str) -> tuple[TeamMove, ...]:
        """Moves of others that fit this athlete's, by teams."""
        moves = self._moves.get(person_id, ())
        return tuple(sorted(moves, key=lambda m: (m.from_organization_id, m.to_organization_id)))


def read_surroundings(run: Run, questions: Questions, faults: Faults) -> Surroundings:
    """Ask everything that there is to ask in one statement; nothing to ask costs none."""
    parts = list(questions.parts(faults))
    rows = run(" UNION ALL ".join(parts), questions.parameters()) if parts else ()
    return Surroundings(questions, rows)


def move_questions(person_id: str, memberships: Sequence[Membership]) -> Iterable[MoveQuestion]:
    """The moves between corporate teams that an athlete's memberships allow for."""
    stays = [m for m in memberships if m.role == "athlete" and m.organization.type == "corporate_team"]
    pairs = {
        (left.organization.id, joined.organization.id, day)
        for left in stays
        for joined in stays
        if left.organization.id != joined.organization.id
        and (day := end_of(left)) is not None
        and start_of(joined) is not None
    }
    return [MoveQuestion(person_id, *pair) for pair in sorted(pairs)]


def _set_key(sources: Iterable[str]) -> str:
    return SOURCE_SEPARATOR.join(sorted(sources))
