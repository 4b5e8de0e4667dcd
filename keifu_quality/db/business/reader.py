"""The reader of the business database, as the diagnosis graph knows it.

Belongs here: the class behind `graphs.ports.BusinessReader` and what it does when a table turns out to be unreadable.
Stays out: the statements of a snapshot (`snapshots`) and of a search (`people`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from graphs.contracts import DiagnosisInput, PersonRef
from graphs.facts import Judgement, Snapshot
from graphs.retry import sqlstate_of
from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.access import NO_FAULTS, PERMANENT_SQLSTATES, Faults
from keifu_quality.db.business.people import find_people
from keifu_quality.db.business.race_memory import RaceMemory
from keifu_quality.db.business.snapshots import load_snapshots

T = TypeVar("T")

PAYLOAD_LIMIT_BYTES = 32 * 1024 * 1024
"""A relation cache whose JSON text is larger stays on the server. One that related an athlete to every other of a
roster of 60,000 people would be about as large."""


class JudgementSource(Protocol):
    """Keeps what maintainers said of pairs of athletes."""

    def judgements_among(self, groups: Mapping[str, Collection[str]]) -> Mapping[str, Sequence[Judgement]]:
        """For each key, the judgements on two people of its group, read in one statement."""
        ...


class NoJudgements:
    """Stands in where nothing keeps judgements."""

    def judgements_among(self, groups: Mapping[str, Collection[str]]) -> Mapping[str, Sequence[Judgement]]:
        """None for anybody."""
        return dict.fromkeys(groups, ())


class DatabaseReader:
    """Reads athletes from the business database; names and possible doubles come from the index of athletes.

    `faults` are the tables that cannot be read. `inspect` tells them anew when a statement fails for good all the same,
    since privileges and columns may change while a process lives.
    """

    def __init__(
        self,
        engine: Engine,
        index: AthleteIndex,
        *,
        inspect: Callable[[], Faults],
        faults: Faults = NO_FAULTS,
        judgements: JudgementSource | None = None,
        payload_limit: int = PAYLOAD_LIMIT_BYTES,
        races: RaceMemory | None = None,
    ) -> None:
        """With `races`, reads share what they find of races; without, each is of one moment as a whole."""
        self._engine = engine
        self._index = index
        self._inspect = inspect
        self._faults = faults
        self._judgements = judgements or NoJudgements()
        self._payload_limit = payload_limit
        self._races = races

    def find_people(self, request: DiagnosisInput, *, limit: int) -> tuple[Sequence[PersonRef], int]:
        """The people that a request may mean, best match first, only those of the best matching kind.

        Raises RequestRefused when id, slug and name mean different people, or one of them is longer than any can be.
        """
        return self._spared(lambda faults: find_people(self._engine, self._index, request, limit=limit, faults=faults))

    def load_snapshots(self, person_ids: Sequence[str]) -> Mapping[str, Snapshot]:
        """The facts of these athletes as of one moment; ids without a person are left out.

        The number of statements does not depend on the number of athletes: ten, BEGIN and COMMIT included, and fewer
        where there is nothing to ask.
        """
        ids = list(dict.fromkeys(person_ids))
        if not ids:
            return {}
        alike = self._index.candidates_for(ids)
        judgements = self._judgements.judgements_among(
            {person_id: (person_id, *alike[person_id].shared_keys) for person_id in ids if person_id in alike}
        )
        return self._spared(
            lambda faults: load_snapshots(
                self._engine,
                ids,
                alike,
                judgements,
                faults=faults,
                payload_limit=self._payload_limit,
                races=self._races or RaceMemory(),
            )
        )

    def _spared(self, read: Callable[[Faults], T]) -> T:
        known = self._faults
        try:
            return read(known)
        except DBAPIError as error:
            if sqlstate_of(error) not in PERMANENT_SQLSTATES:
                raise
            self._faults = self._inspect()
            if self._faults == known:
                raise
            return read(self._faults)
