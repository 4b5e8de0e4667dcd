"""The diagnosis of a chunk of athletes: the same nodes, one graph run for all of them.

Belongs here: the lift of the nodes of `nodes` over a chunk, and what keeps one athlete's trouble from the others.
Stays out: what a node does, where athletes come from and where results go. No checkpoints: a chunk that was cut off is
diagnosed again.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.graph.state import CompiledStateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.runtime import Runtime

from graphs.contracts import (
    DiagnosisInput,
    DiagnosisSummary,
    PersonRef,
    RunStatus,
    SuggestedAction,
    Target,
    ToolError,
)
from graphs.facts import Snapshot
from graphs.person_diagnosis import nodes
from graphs.person_diagnosis.context import DiagnosisContext
from graphs.person_diagnosis.graph import GRAPH_NAME
from graphs.person_diagnosis.state import Diagnosis, Update
from graphs.ports import BusinessReader
from graphs.retry import is_transient, retry_policy, sqlstate_of
from graphs.rules.rule import RuleContext

STATEMENT_TIMED_OUT = "57014"
"""SQLSTATE of a statement that took too long: fewer athletes at once may pass where many do not."""


@dataclass(slots=True)
class RosterDiagnosis:
    """One athlete of a chunk: how far its diagnosis came, and what it found.

    `status` is running, need_clarification (several people are meant; nobody is asked), completed or failed, then with
    the error and the node that it happened in.
    """

    diagnosis: Diagnosis
    person: PersonRef | None = None
    summary: DiagnosisSummary | None = None
    actions: Sequence[SuggestedAction] = ()
    status: RunStatus = "running"
    error: ToolError | None = None
    error_node: str | None = None
    last_node: str | None = None

    def absorb(self, update: Update) -> None:
        """Takes over what a node changed."""
        self.diagnosis.absorb(update)
        if "person" in update:
            self.person = update["person"]
        if "summary" in update:
            self.summary = update["summary"]
        if "actions" in update:
            self.actions = update["actions"]
        if "status" in update:
            self.status = update["status"]

    def fail(self, node: str, error: Exception) -> None:
        """Ends this athlete's diagnosis; the rest of the chunk goes on."""
        self.status = "failed"
        self.error = nodes.tool_error_of(error)
        self.error_node = node


class RosterState(TypedDict):
    """The state of a chunk: objects in memory, which nodes change in place."""

    athletes: list[RosterDiagnosis]


class PreloadingReader:
    """Answers for single athletes out of what was read for all of them at once.

    Snapshots that were never asked for are read when somebody wants them. Requests by id alone are answered from the
    snapshots too; all others are looked up one by one.
    """

    def __init__(self, reader: BusinessReader) -> None:
        self._reader = reader
        self._snapshots: dict[str, Snapshot | None] = {}
        self._faults: dict[str, Exception] = {}

    def preload(self, person_ids: Sequence[str]) -> None:
        """Reads the facts of these athletes with one statement per table.

        Raises what the database raises when the fault may pass by itself. Athletes whose facts cannot be read for good
        are told from the others by halves, and keep their fault for whoever asks.
        """
        snapshots, faults = self._snapshots, self._faults
        missing = [i for i in dict.fromkeys(person_ids) if i not in snapshots and i not in faults]
        if not missing:
            return
        try:
            found = self._reader.load_snapshots(missing)
        except Exception as error:
            if is_transient(error) and sqlstate_of(error) != STATEMENT_TIMED_OUT:
                raise
            if len(missing) == 1:
                self._faults[missing[0]] = error
                return
            middle = len(missing) // 2
            self.preload(missing[:middle])
            self.preload(missing[middle:])
            return
        self._snapshots.update({person_id: found.get(person_id) for person_id in missing})

    def find_people(self, request: DiagnosisInput, *, limit: int) -> tuple[Sequence[PersonRef], int]:
        """Whom a request means, as `graphs.ports.BusinessReader` has it.

        A person who was found by id alone has no more than id, slug and name, since nobody has to choose.
        """
        person_id = request.person_id
        if person_id not in self._snapshots or request.person_slug or request.person_name:
            return self._reader.find_people(request, limit=limit)
        snapshot = self._snapshots[person_id]
        if snapshot is None:
            return (), 0
        person = snapshot.person
        found = PersonRef(person_id=person.id, person_slug=person.slug, display_name_ja=person.name_ja, matched_by="id")
        return (found,), 1

    def load_snapshots(self, person_ids: Sequence[str]) -> Mapping[str, Snapshot]:
        """The facts of these athletes; raises the fault of the first of them that has one."""
        self.preload(person_ids)
        for person_id in person_ids:
            if person_id in self._faults:
                raise self._faults[person_id]
        found = {person_id: self._snapshots.get(person_id) for person_id in person_ids}
        return {person_id: snapshot for person_id, snapshot in found.items() if snapshot is not None}


@dataclass(frozen=True, slots=True)
class ChunkContext(DiagnosisContext):
    """The context of one chunk, in which it is the same moment for all rules and athletes.

    `chunk_id` names the chunk in the journal.
    """

    chunk_id: str = ""
    rules: RuleContext = field(init=False)
    preloading: PreloadingReader = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", DiagnosisContext.rule_context(self))
        object.__setattr__(self, "preloading", PreloadingReader(self.reader))
        object.__setattr__(self, "reader", self.preloading)

    def rule_context(self) -> RuleContext:
        """The rules' view of the moment at which the chunk began."""
        return self.rules


RosterGraph = CompiledStateGraph[RosterState, ChunkContext, RosterState, RosterState]


def build_roster_graph() -> RosterGraph:
    """The compiled graph of a chunk; compile once per process."""
    # LangGraph ships without complete annotations; what goes in and comes out is typed by the functions of this module.
    graph: Any = StateGraph(RosterState, context_schema=ChunkContext)
    steps = (nodes.resolve_person, *nodes.PIPELINE)
    for step in steps:
        graph.add_node(step.__name__, _lift(step), retry_policy=retry_policy())
    for before, after in zip((START, *(s.__name__ for s in steps)), (*(s.__name__ for s in steps), END), strict=True):
        graph.add_edge(before, after)
    return cast("RosterGraph", graph.compile(name=f"{GRAPH_NAME}_roster"))


def diagnose_chunk(
    graph: RosterGraph, requests: Sequence[DiagnosisInput], context: ChunkContext, config: Any = None
) -> Sequence[RosterDiagnosis]:
    """Diagnoses the athletes that these requests mean, in their order; none of them ends the others' diagnosis.

    Raises what the database raises when a fault that may pass by itself did not pass.
    """
    athletes = [RosterDiagnosis(Diagnosis(input=request, target=Target())) for request in requests]
    cast("Any", graph).invoke({"athletes": athletes}, config, context=context)
    return athletes


def _lift(node: nodes.Node) -> Callable[[RosterState, Runtime[ChunkContext]], RosterState]:
    """The node over a chunk. A repeated attempt leaves out the athletes that it has been through."""
    name = node.__name__

    def run(state: RosterState, runtime: Runtime[ChunkContext]) -> RosterState:
        context = runtime.context
        started = time.perf_counter()
        under_way = [a for a in state["athletes"] if a.status == "running" and a.last_node != name]
        _preload(name, under_way, context)
        for athlete in under_way:
            try:
                athlete.absorb(node(athlete.diagnosis, context))
            except Exception as error:
                if is_transient(error) and sqlstate_of(error) != STATEMENT_TIMED_OUT:
                    raise
                athlete.fail(name, error)
            athlete.last_node = name
        milliseconds = round((time.perf_counter() - started) * 1000, 1)
        context.journal.record(
            context.chunk_id, name, "node_finished", {"milliseconds": milliseconds, "athletes": len(under_way)}
        )
        return state

    run.__name__ = name
    return run


def _preload(node: str, athletes: Sequence[RosterDiagnosis], context: ChunkContext) -> None:
    if node == nodes.resolve_person.__name__:
        asked = [a.diagnosis.input for a in athletes]
        context.preloading.preload([r.person_id for r in asked if r.person_id and not (r.person_slug or r.person_name)])
    elif node == nodes.load_person_snapshot.__name__:
        context.preloading.preload([a.diagnosis.require_person_id() for a in athletes])
