"""A chunk of athletes on deterministic fakes: what one diagnosis gives, and that nobody's trouble is another's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from graphs.contracts import DiagnosisInput, Runtime
from graphs.facts import Snapshot, Unavailable
from graphs.person_diagnosis.graph import build_graph
from graphs.person_diagnosis.nodes import PIPELINE
from graphs.person_diagnosis.roster import ChunkContext, RosterDiagnosis, build_roster_graph, diagnose_chunk
from graphs.person_diagnosis.state import initial_state
from tests.graphs.person_diagnosis.fakes import NOW, FixedClock, MemoryJournal, MemoryReader, context_of
from tests.graphs.rules.facts_builder import build_snapshot

MIXED = [
    build_snapshot({"person": {"id": "p1", "slug": "reimi-taro", "name_ja": "例見 太郎"}}),
    build_snapshot({"person": {"id": "p2", "slug": "reimi-taro-2", "name_ja": "例見 太郎"}}),
    build_snapshot(
        {
            "person": {"id": "p3", "slug": "satomi-jiro", "name_ja": "里見 次郎"},
            "memberships": [{"organization": "university:例示大学", "start_date": None}],
        }
    ),
    replace(
        build_snapshot({"person": {"id": "p4", "slug": "satomi-saburo", "name_ja": "里見 三郎"}}),
        personal_bests=Unavailable(table="PersonalBest", code="42501", message="no SELECT on PersonalBest"),
    ),
]


class LostConnectionError(Exception):
    """Looks like a driver's error on a broken connection."""

    sqlstate = "08006"


class TimedOutError(Exception):
    """Looks like a driver's error on a statement that took too long."""

    sqlstate = "57014"


@dataclass
class PoisonedReader(MemoryReader):
    """Cannot read anything together with the poisoned athlete."""

    poison: str = ""
    error: Exception = field(default_factory=Exception)

    def load_snapshots(self, person_ids: Sequence[str]) -> Mapping[str, Snapshot]:
        if self.poison in person_ids:
            raise self.error
        return super().load_snapshots(person_ids)


def by_id(*person_ids: str) -> list[DiagnosisInput]:
    return [DiagnosisInput(person_id=person_id, triggered_by="schedule") for person_id in person_ids]


def chunk(
    reader: MemoryReader, requests: Sequence[DiagnosisInput], journal: MemoryJournal | None = None
) -> Sequence[RosterDiagnosis]:
    context = ChunkContext(reader=reader, journal=journal or MemoryJournal(), clock=FixedClock(), chunk_id="chunk-1")
    return diagnose_chunk(build_roster_graph(), requests, context)


def interactive(reader: MemoryReader, request: DiagnosisInput) -> Any:
    runtime = Runtime(run_id="run-1", status="running", started_at=NOW)
    config: Any = {"configurable": {"thread_id": "run-1"}}
    return build_graph().invoke(initial_state(request, runtime), config, context=context_of(reader))


@pytest.mark.parametrize("person_id", ["p1", "p3", "p4", "nobody"])
def test_an_athlete_of_a_chunk_is_diagnosed_as_if_alone(person_id: str) -> None:
    found = chunk(MemoryReader(MIXED), by_id("p1", "p2", "p3", "p4", "nobody"))
    athlete = next(a for a in found if a.diagnosis.input.person_id == person_id)
    alone = interactive(MemoryReader(MIXED), athlete.diagnosis.input)
    assert [f.to_json() for f in athlete.diagnosis.findings] == alone["findings"]
    assert [f.to_json() for f in athlete.diagnosis.families] == alone["families"]
    assert (athlete.summary.to_json() if athlete.summary else None) == alone["summary"]
    assert [a.to_json() for a in athlete.actions] == alone["actions"]
    assert athlete.diagnosis.target.to_json() == alone["target"]
    assert athlete.status == alone["runtime"]["status"]


def test_one_read_serves_the_whole_chunk() -> None:
    reader = MemoryReader(MIXED)
    journal = MemoryJournal()
    chunk(reader, by_id("p1", "p2", "p3"), journal)
    assert reader.reads == 1
    assert [node for node, *_ in journal.events] == ["resolve_person", *(node.__name__ for node in PIPELINE)]


def test_a_name_of_several_people_asks_nobody_and_stops_nobody() -> None:
    named = [DiagnosisInput(person_name="例見 太郎"), DiagnosisInput(person_slug="satomi-jiro")]
    ambiguous, unique = chunk(MemoryReader(MIXED), named)
    assert (ambiguous.status, ambiguous.diagnosis.candidate_count) == ("need_clarification", 2)
    assert ambiguous.summary is None
    assert (unique.status, unique.diagnosis.target.person_id) == ("completed", "p3")


@pytest.mark.parametrize("error", [ValueError("year 0 is out of range"), TimedOutError("too slow")])
def test_an_athlete_that_cannot_be_read_fails_alone(error: Exception) -> None:
    found = chunk(PoisonedReader(MIXED, poison="p2", error=error), by_id("p1", "p2", "p3", "p4"))
    assert [a.status for a in found] == ["completed", "failed", "completed", "completed"]
    failed = found[1]
    assert failed.error is not None
    assert failed.error.message == str(error)
    assert failed.error_node == "load_person_snapshot"


def test_a_request_that_names_nobody_fails_alone() -> None:
    empty, fine = chunk(MemoryReader(MIXED), [DiagnosisInput(), *by_id("p1")])
    assert (empty.status, empty.error_node) == ("failed", "resolve_person")
    assert fine.status == "completed"


def test_a_lost_connection_is_tried_again_and_doubles_nothing() -> None:
    reader = MemoryReader(MIXED, faults=[LostConnectionError("gone"), LostConnectionError("gone")])
    (athlete,) = chunk(reader, by_id("p1"))
    (undisturbed,) = chunk(MemoryReader(MIXED), by_id("p1"))
    assert athlete.status == "completed"
    assert athlete.diagnosis.findings == undisturbed.diagnosis.findings


def test_a_connection_that_stays_lost_ends_the_chunk() -> None:
    reader = MemoryReader(MIXED, faults=[LostConnectionError("gone") for _ in range(5)])
    with pytest.raises(LostConnectionError):
        chunk(reader, by_id("p1", "p2"))
