"""The graph's own logic on deterministic fakes: routes, clarification, failures, retries, and the real registry."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graphs.contracts import Category, DiagnosisInput, Runtime
from graphs.facts import Unavailable
from graphs.person_diagnosis.graph import DiagnosisGraph, build_graph
from graphs.person_diagnosis.nodes import PIPELINE, ToolFailedError
from graphs.person_diagnosis.state import initial_state
from graphs.rules import registry
from tests.graphs.person_diagnosis.fakes import NOW, MemoryJournal, MemoryReader, context_of
from tests.graphs.rules.facts_builder import build_snapshot

NODES = ("resolve_person", *(node.__name__ for node in PIPELINE))

ONE = build_snapshot({"person": {"id": "p1", "slug": "reimi-taro", "name_ja": "例見 太郎"}})
ANOTHER = build_snapshot({"person": {"id": "p2", "slug": "reimi-taro-2", "name_ja": "例見 太郎"}})


class LostConnectionError(Exception):
    """Looks like a driver's error on a broken connection."""

    sqlstate = "08006"


class DeniedError(Exception):
    """Looks like a driver's error on a missing privilege."""

    sqlstate = "42501"


def start(graph: DiagnosisGraph, reader: MemoryReader, journal: MemoryJournal | None = None, **request: str) -> Any:
    runtime = Runtime(run_id="run-1", status="running", started_at=NOW)
    state = initial_state(DiagnosisInput.model_validate(request), runtime)
    return graph.invoke(state, thread("run-1"), context=context_of(reader, journal))


def thread(run_id: str) -> Any:
    return {"configurable": {"thread_id": run_id}}


def test_a_known_athlete_goes_through_every_node_in_order() -> None:
    journal = MemoryJournal()
    values = start(build_graph(), MemoryReader([ONE]), journal, personSlug="reimi-taro")
    assert tuple(journal.entered) == NODES
    assert values["runtime"]["status"] == "completed"
    assert values["target"] == {"personId": "p1", "personSlug": "reimi-taro", "resolved": True}
    assert [family["category"] for family in values["families"]] == [c.value for c in Category]
    assert all(family["status"] == "evaluated" for family in values["families"])


def test_an_unknown_athlete_ends_the_run_without_reading_facts() -> None:
    reader = MemoryReader([ONE])
    values = start(build_graph(), reader, personSlug="nobody")
    assert values["runtime"]["status"] == "completed"
    assert values["target"] == {"resolved": False}
    assert reader.reads == 0


def test_a_name_of_two_people_waits_and_goes_on_with_the_answer() -> None:
    graph = build_graph(InMemorySaver())
    reader = MemoryReader([ONE, ANOTHER])
    waiting = start(graph, reader, personName="例見 太郎")
    assert [c["personSlug"] for c in waiting["__interrupt__"][0].value["candidates"]] == ["reimi-taro", "reimi-taro-2"]
    assert waiting["runtime"]["status"] == "need_clarification"

    journal = MemoryJournal()
    answer: Any = Command(resume={"personSlug": "reimi-taro-2"})
    values = graph.invoke(answer, thread("run-1"), context=context_of(reader, journal))
    assert values["target"]["personId"] == "p2"
    assert values["runtime"]["status"] == "completed"
    assert journal.entered.count("load_person_snapshot") == 1


def test_an_answer_that_still_means_several_people_asks_again() -> None:
    graph = build_graph(InMemorySaver())
    reader = MemoryReader([ONE, ANOTHER])
    start(graph, reader, personName="例見 太郎")
    answer: Any = Command(resume={"personName": "例見 太郎"})
    values = graph.invoke(answer, thread("run-1"), context=context_of(reader))
    assert values["__interrupt__"]


def test_an_answer_with_an_unknown_field_is_refused_at_the_edge() -> None:
    graph = build_graph(InMemorySaver())
    reader = MemoryReader([ONE, ANOTHER])
    start(graph, reader, personName="例見 太郎")
    answer: Any = Command(resume={"slug": "reimi-taro"})
    with pytest.raises(ValueError, match="slug"):
        graph.invoke(answer, thread("run-1"), context=context_of(reader))


def test_a_request_that_names_nobody_fails_with_what_to_do() -> None:
    with pytest.raises(ToolFailedError, match="give a slug, an id or a name"):
        start(build_graph(), MemoryReader([ONE]))


def test_a_lost_connection_is_tried_again() -> None:
    reader = MemoryReader([ONE], faults=[LostConnectionError("gone"), LostConnectionError("gone")])
    values = start(build_graph(), reader, personSlug="reimi-taro")
    assert values["runtime"]["status"] == "completed"


def test_a_connection_that_stays_lost_ends_the_run_after_three_attempts() -> None:
    reader = MemoryReader([ONE], faults=[LostConnectionError("gone") for _ in range(5)])
    with pytest.raises(LostConnectionError):
        start(build_graph(), reader, personSlug="reimi-taro")
    assert len(reader.faults) == 2


def test_a_missing_privilege_is_not_tried_again() -> None:
    reader = MemoryReader([ONE], faults=[DeniedError("permission denied for table Person")] * 2)
    with pytest.raises(ToolFailedError, match="permission denied"):
        start(build_graph(), reader, personSlug="reimi-taro")
    assert len(reader.faults) == 1


def test_an_athlete_that_went_away_after_resolution_is_an_error_not_a_clean_record() -> None:
    class Vanishing(MemoryReader):
        def load_snapshots(self, person_ids: Any) -> Any:
            del person_ids
            return {}

    with pytest.raises(ToolFailedError, match="no longer in the database"):
        start(build_graph(), Vanishing([ONE]), personSlug="reimi-taro")


def test_rows_that_cannot_be_read_leave_their_family_not_evaluated() -> None:
    unreadable: Any = Unavailable(table="PersonalBest", code="42501", message="no SELECT on PersonalBest")
    snapshot = build_snapshot({"memberships": [{"organization": "university:例示大学", "start_date": None}]})
    values = start(
        build_graph(), MemoryReader([replace(snapshot, personal_bests=unreadable)]), personSlug=snapshot.person.slug
    )
    by_category = {family["category"]: family for family in values["families"]}
    family = by_category["personal_best_consistency"]
    assert family["status"] == "not_evaluated"
    assert family["notEvaluated"][0]["message"] == "no SELECT on PersonalBest"
    assert by_category["membership_timeline"]["status"] == "evaluated"
    assert values["summary"]["headline"].startswith("not evaluated: personal_best_consistency")
    assert values["summary"]["lines"][0].startswith("personal_best_consistency was not evaluated")
    assert "personalBests" not in values["summary"]["record"]


def test_a_rule_that_raises_is_named_and_silences_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = registry.rule_by_code("PC01")

    def broken(*_: object) -> Any:
        raise RuntimeError("boom")

    monkeypatch.setattr(type(rule), "check", broken)
    values = start(build_graph(), MemoryReader([ONE]), personSlug="reimi-taro")
    by_category = {family["category"]: family for family in values["families"]}
    assert by_category["profile_coverage"]["status"] == "not_evaluated"
    assert by_category["profile_coverage"]["notEvaluated"] == [
        {
            "rule": "PC01",
            "code": "rule_raised",
            "message": "PC01 profile_coverage_missing_fields raised RuntimeError: boom",
        }
    ]
    assert by_category["personal_best_consistency"]["status"] == "evaluated"
    assert values["runtime"]["status"] == "completed"


def replace(snapshot: Any, **changes: Any) -> Any:
    """A snapshot with some sections changed."""
    import dataclasses

    return dataclasses.replace(snapshot, **changes)
