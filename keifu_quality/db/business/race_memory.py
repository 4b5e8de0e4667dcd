"""What was read of races, remembered from one read to the next.

Belongs here: who is in a race and when it was last imported, which are the same for everybody in it, and the bounds on
how much is kept and for how long. Stays out: asking for it (`surroundings`), and which reads may share a memory: those
that take what a race was at any moment since the first of them began.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

MOST_ROWS = 200_000
"""Rows of people in races that a memory keeps, some 30 MB; it forgets everything when it has more."""
LONGEST_SECONDS = 15.0
"""How long it remembers: a change that is undone while it does is in no digest, and would stay in findings."""


class RaceMemory:
    """Remembers races by id. A race that is read anew is new to everybody who looks at its people later."""

    def __init__(self, *, most_rows: int = MOST_ROWS, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._most_rows = most_rows
        self._clock = clock
        self._forget()

    def _forget(self) -> None:
        self._since = self._clock()
        self._rows = 0
        self.people: dict[str, Mapping[str, int]] = {}
        """By race, whose rows it has and how many."""
        self.last_imports: dict[tuple[str, str | None], datetime] = {}
        """By race and source, when the last import of the race began; naive in UTC."""
        self._imports_known: set[str] = set()

    def make_room(self) -> None:
        """Forgets everything when there is too much of it or it is old; call before a read, not within one."""
        if self._rows > self._most_rows or self._clock() - self._since > LONGEST_SECONDS:
            self._forget()

    def without_people(self, races: Iterable[str]) -> set[str]:
        """The races of these whose people are not known."""
        return {race for race in races if race not in self.people}

    def without_imports(self, races: Iterable[str]) -> set[str]:
        """The races of these whose imports are not known."""
        return set(races) - self._imports_known

    def add_people(self, people: Mapping[str, Mapping[str, int]]) -> None:
        """Takes over the people of races, in place of those that it knew."""
        self._rows += sum(len(found) - len(self.people.get(race, ())) for race, found in people.items())
        self.people.update(people)

    def add_imports(self, races: Iterable[str], last_imports: Mapping[tuple[str, str | None], datetime]) -> None:
        """Takes over the imports of these races; one that is not among them was never imported."""
        self._imports_known.update(races)
        self.last_imports.update(last_imports)
