"""What the diagnosis graph needs from outside, as protocols.

Belongs here: the seams that `keifu_quality` fills with databases and clocks, and tests fill with fakes.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from graphs.contracts import DiagnosisInput, PersonRef
from graphs.facts import Snapshot


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""
        ...


class BusinessReader(Protocol):
    """Reads the business database; nothing else does.

    Every method raises an exception of the driver when the database cannot answer; `graphs.retry` knows which
    of those are worth another try.
    """

    def find_people(self, request: DiagnosisInput, *, limit: int) -> tuple[Sequence[PersonRef], int]:
        """The people that a request may mean, best match first, only those of the best matching kind.

        Returns at most `limit` of them and how many there are in all. An id or a slug means at most one.
        """
        ...

    def load_snapshots(self, person_ids: Sequence[str]) -> Mapping[str, Snapshot]:
        """The facts of each of these athletes, one statement per table; ids without a person are left out.

        Rows that could not be read for a permanent reason (no privilege, missing column) are `Unavailable`.
        """
        ...


class RunJournal(Protocol):
    """Keeps what happens in a run. What it raises fails the node, so that no step is finished without its entry."""

    def enter_node(self, run_id: str, node: str) -> None:
        """A node starts; the run ledger shows it as the current one."""
        ...

    def record(self, run_id: str, node: str, kind: str, payload: Mapping[str, Any], *, level: str = "info") -> None:
        """Something worth keeping happened in a node; `payload` is JSON."""
        ...
