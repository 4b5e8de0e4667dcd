"""The one statement on what surrounds the athletes of a batch: their races, their peers, their teams.

Belongs here: which of its parts are asked, with which parameters, and the reading of the answer. Stays out: facts made
of a single row (`keifu_quality.db.business.rows`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from graphs.facts import BirthDayPeers, Membership, Person, TeamMove
from graphs.rules.periods import end_of, start_of
from keifu_quality.db.business import statements
from keifu_quality.db.business.access import Faults, Rows, Run, first_fault
from keifu_quality.db.business.relations import RaceRows

SOURCE_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """An athlete may have moved from one corporate team to another when it left the first on `day`."""

    person_id: str
    from_organization_id: str
    to_organization_id: str
    day: date


@dataclass(slots=True)
class Questions:
    """What to ask: races whose rows and whose last imports matter, people that cached payloads name, births, moves.

    `source_sets` holds the source ids of each athlete with a birth date; an empty set means the whole archive.
    """

    races: set[str] = field(default_factory=set)
    imported_races: set[str] = field(default_factory=set)
    related: set[str] = field(default_factory=set)
    birth_dates: set[date] = field(default_factory=set)
    source_sets: set[frozenset[str]] = field(default_factory=set)
    moves: list[MoveQuestion] = field(default_factory=list)


class Surroundings:
    """The answer. Times are naive in UTC."""

    def __init__(self, questions: Questions, rows: Rows) -> None:
        parts: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in rows:
            parts[row[0]].append(row[1:])
        self.race_rows = RaceRows((race, person, at) for race, person, at, _ in parts["race"])
        self.related: Mapping[str, datetime | None] = {person: at for person, _, at, _ in parts["related"]}
        self.last_imports: Mapping[tuple[str, str | None], datetime] = {
            (race, source): at for race, source, at, _ in parts["import"]
        }
        self._born = {at.date(): count for _, _, at, count in parts["birth_date"]}
        self._days: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for sources, day, _, count in parts["birth_day"]:
            self._days[sources][day] = count
        self._moves: defaultdict[str, list[TeamMove]] = defaultdict(list)
        for number, _, _, count in parts["move"]:
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
        return tuple(sorted(self._moves[person_id], key=lambda m: (m.from_organization_id, m.to_organization_id)))


def read_surroundings(run: Run, questions: Questions, faults: Faults) -> Surroundings:
    """Ask everything that there is to ask in one statement; nothing to ask costs none."""
    source_sets = [(_set_key(sources), source) for sources in questions.source_sets for source in sources]
    archive = frozenset() in questions.source_sets
    parts = [
        (statements.RACE_ROWS, questions.races, ("RaceResult",)),
        (statements.RELATED_PEOPLE, questions.related, ("Membership",)),
        (statements.LAST_IMPORTS, questions.imported_races, ("RaceResult", *statements.LEFTOVER_TABLES)),
        (statements.BIRTH_DATES, questions.birth_dates, ()),
        (statements.BIRTH_DAYS_OF_ARCHIVE, archive, ()),
        (statements.BIRTH_DAYS_BY_SOURCES, source_sets, ("SourceReference",)),
        (statements.TEAM_MOVES, questions.moves, ("Membership",)),
    ]
    asked = [text for text, wanted, tables in parts if wanted and first_fault(faults, tables) is None]
    if not asked:
        return Surroundings(questions, ())
    parameters = {
        "races": list(questions.races),
        "related": list(questions.related),
        "imported_races": list(questions.imported_races),
        "birth_dates": list(questions.birth_dates),
        "source_sets": [key for key, _ in source_sets],
        "source_ids": [source for _, source in source_sets],
        "move_numbers": list(range(len(questions.moves))),
        "move_people": [move.person_id for move in questions.moves],
        "move_from": [move.from_organization_id for move in questions.moves],
        "move_to": [move.to_organization_id for move in questions.moves],
        "move_ends": [move.day for move in questions.moves],
    }
    return Surroundings(questions, run(" UNION ALL ".join(asked), parameters))


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
