"""Fakes of what the graph needs from outside: built with data, no expectations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from graphs.contracts import DiagnosisInput, PersonRef
from graphs.facts import Snapshot
from graphs.person_diagnosis.context import DiagnosisContext

NOW = datetime(2026, 11, 1, 3, 0, tzinfo=UTC)


class FixedClock:
    """Always the same instant."""

    def now(self) -> datetime:
        return NOW


@dataclass
class MemoryJournal:
    """Keeps what it is told in lists."""

    entered: list[str] = field(default_factory=list)
    events: list[tuple[str, str, Mapping[str, Any], str]] = field(default_factory=list)

    def enter_node(self, run_id: str, node: str) -> None:
        del run_id
        self.entered.append(node)

    def record(self, run_id: str, node: str, kind: str, payload: Mapping[str, Any], *, level: str = "info") -> None:
        del run_id
        self.events.append((node, kind, payload, level))


@dataclass
class MemoryReader:
    """A roster in memory; `faults` are raised one after the other before anything is answered."""

    snapshots: Sequence[Snapshot]
    faults: list[Exception] = field(default_factory=list)
    reads: int = 0

    def find_people(self, request: DiagnosisInput, *, limit: int) -> tuple[Sequence[PersonRef], int]:
        self._fail()
        found = [
            PersonRef(person_id=s.person.id, person_slug=s.person.slug, display_name_ja=s.person.name_ja)
            for s in self.snapshots
            if (request.person_slug in (None, s.person.slug))
            and (request.person_id in (None, s.person.id))
            and (request.person_name in (None, s.person.name_ja))
        ]
        return found[:limit], len(found)

    def load_snapshots(self, person_ids: Sequence[str]) -> Mapping[str, Snapshot]:
        self._fail()
        self.reads += 1
        return {s.person.id: s for s in self.snapshots if s.person.id in person_ids}

    def _fail(self) -> None:
        if self.faults:
            raise self.faults.pop(0)


def context_of(reader: MemoryReader, journal: MemoryJournal | None = None) -> DiagnosisContext:
    """The context of a run on fakes."""
    return DiagnosisContext(reader=reader, journal=journal or MemoryJournal(), clock=FixedClock())
