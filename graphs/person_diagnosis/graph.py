"""Wiring of the diagnosis graph for one athlete. Nothing but nodes, edges and their translation to JSON.

START → resolve_person → load_person_snapshot → five checks → summarize_findings → build_action_plan → END;
resolve_person may instead end (nobody found) or ask for clarification, which interrupts, takes a more precise
target and goes back to resolve_person.
"""

import time
from collections.abc import Callable
from typing import Any, Literal, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.graph.state import CompiledStateGraph  # pyright: ignore[reportMissingTypeStubs]
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from graphs.contracts import DiagnosisInput
from graphs.person_diagnosis import nodes
from graphs.person_diagnosis.context import DiagnosisContext
from graphs.person_diagnosis.state import PersonDiagnosisState, read_state, write_update
from graphs.retry import retry_policy

GRAPH_NAME = "person_diagnosis"
GRAPH_VERSION = "1"
"""Raised when nodes are renamed or the state changes shape: a run of another version is not resumed."""

DiagnosisGraph = CompiledStateGraph[PersonDiagnosisState, DiagnosisContext, PersonDiagnosisState, PersonDiagnosisState]


def clarification(state: PersonDiagnosisState, runtime: Runtime[DiagnosisContext]) -> PersonDiagnosisState:
    """Waits for a more precise target. The answer is an object with personSlug, personId or personName."""
    del runtime
    answer = interrupt({"candidates": state.get("candidates", []), "candidateCount": state.get("candidateCount", 0)})
    previous = DiagnosisInput.model_validate(state.get("input", {}))
    narrowed = DiagnosisInput.model_validate(
        {**cast("dict[str, Any]", answer), "triggeredBy": previous.triggered_by, "families": previous.families}
    )
    return write_update(
        {"input": narrowed, "status": "running"}, node="clarification", runtime=state.get("runtime", {})
    )


def route_after_resolution(
    state: PersonDiagnosisState,
) -> Literal["load_person_snapshot", "clarification", "__end__"]:
    """One athlete goes on, several need clarification, none ends the run."""
    if state.get("target", {}).get("resolved"):
        return "load_person_snapshot"
    return "clarification" if state.get("candidates") else "__end__"


def build_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> DiagnosisGraph:
    """The compiled graph; compile once per process. Without a checkpointer a run cannot be resumed."""
    # LangGraph ships without complete annotations; what goes in and comes out is typed by the functions of this module.
    graph: Any = StateGraph(PersonDiagnosisState, context_schema=DiagnosisContext)
    graph.add_node("resolve_person", _lift(nodes.resolve_person), retry_policy=retry_policy())
    graph.add_node("clarification", clarification)
    graph.add_edge(START, "resolve_person")
    graph.add_conditional_edges("resolve_person", route_after_resolution)
    graph.add_edge("clarification", "resolve_person")
    previous: str | None = None
    for node in nodes.PIPELINE:
        graph.add_node(node.__name__, _lift(node), retry_policy=retry_policy())
        if previous is not None:
            graph.add_edge(previous, node.__name__)
        previous = node.__name__
    graph.add_edge(nodes.PIPELINE[-1].__name__, END)
    return cast("DiagnosisGraph", graph.compile(checkpointer=checkpointer, name=GRAPH_NAME))


def _lift(
    node: nodes.Node,
) -> Callable[[PersonDiagnosisState, Runtime[DiagnosisContext]], PersonDiagnosisState]:
    """The node as LangGraph calls it: JSON in, JSON out, start and end told to the journal."""
    name = node.__name__

    def run(state: PersonDiagnosisState, runtime: Runtime[DiagnosisContext]) -> PersonDiagnosisState:
        context = runtime.context
        run_state = state.get("runtime", {})
        run_id = str(run_state.get("runId"))
        context.journal.enter_node(run_id, name)
        started = time.perf_counter()
        update = node(read_state(state), context)
        written = write_update(update, node=name, runtime=run_state)
        context.journal.record(
            run_id,
            name,
            "node_finished",
            {
                "milliseconds": round((time.perf_counter() - started) * 1000, 1),
                "findings": len(update.get("findings", ())),
                "families": written.get("families", []),
            },
        )
        return written

    run.__name__ = name
    return run
