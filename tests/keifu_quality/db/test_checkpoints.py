"""Checkpoints: LangGraph's own conformance suite, the JSON serializer, and the view that SQL reads them through."""

import asyncio
import math
import operator
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Annotated, Any, TypedDict

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Interrupt, interrupt
from psycopg.rows import DictRow

from keifu_quality.db.checkpoints import JsonSerializer, open_saver
from keifu_quality.db.engine import connect_agent_psycopg
from keifu_quality.errors import NotJson
from keifu_quality.settings import Settings


class Sketch(TypedDict, total=False):
    slug: str
    tries: int
    findings: Annotated[list[dict[str, Any]], operator.add]
    target: dict[str, Any] | None


def resolve(state: Sketch) -> Sketch:
    slug = state.get("slug")
    return {"tries": state.get("tries", 0) + 1, "target": {"slug": slug, "名": "走"} if slug else None}


def clarify(state: Sketch) -> Sketch:
    return {"slug": interrupt({"candidates": ["a-1", "a-2"]})}


def check(state: Sketch) -> Sketch:
    return {"findings": [{"code": "PC01", "after": state.get("tries")}]}


def fail(state: Sketch) -> Sketch:
    raise ValueError("the node broke")


def sketch(saver: PostgresSaver, last: Any = check) -> Any:
    graph = StateGraph(Sketch)
    graph.add_node("resolve_person", resolve)
    graph.add_node("clarification", clarify)
    graph.add_node("check_profile_coverage", check)
    graph.add_node("summarize_findings", last)
    graph.add_edge(START, "resolve_person")
    graph.add_conditional_edges(
        "resolve_person",
        lambda state: "check_profile_coverage" if state["target"] else "clarification",
        ["check_profile_coverage", "clarification"],
    )
    graph.add_edge("clarification", "resolve_person")
    graph.add_edge("check_profile_coverage", "summarize_findings")
    graph.add_edge("summarize_findings", END)
    return graph.compile(checkpointer=saver)


def config(run_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": run_id}}


@pytest.fixture
def saver(settings: Settings) -> Iterator[PostgresSaver]:
    with open_saver(settings) as opened:
        yield opened


@pytest.fixture
def agent(settings: Settings) -> Iterator[psycopg.Connection[DictRow]]:
    with closing(connect_agent_psycopg(settings)) as connection:
        yield connection


@pytest.mark.postgres
class TestView:
    def read(self, agent: psycopg.Connection[DictRow], run_id: str) -> list[tuple[str | None, Any]]:
        rows = agent.execute(
            "SELECT node_name, state_json FROM agent_checkpoints WHERE run_id = %s ORDER BY id", (run_id,)
        ).fetchall()
        return [(row["node_name"], row["state_json"]) for row in rows]

    def test_every_step_of_an_interrupted_run_is_readable(
        self, saver: PostgresSaver, agent: psycopg.Connection[DictRow]
    ) -> None:
        graph = sketch(saver)
        paused = graph.invoke({"tries": 0}, config("r1"), durability="sync")
        assert "__interrupt__" in paused
        assert self.read(agent, "r1")[-1] == ("resolve_person", {"tries": 1, "target": None})
        final = graph.invoke(Command(resume="a-1"), config("r1"), durability="sync")
        steps = self.read(agent, "r1")
        assert [node for node, _ in steps] == [
            None,
            None,
            "resolve_person",
            "clarification",
            "resolve_person",
            "check_profile_coverage",
            "summarize_findings",
        ]
        assert steps[-1][1] == final
        assert steps[4][1] == {"slug": "a-1", "tries": 2, "target": {"slug": "a-1", "名": "走"}}

    def test_columns_and_their_types(self, saver: PostgresSaver, agent: psycopg.Connection[DictRow]) -> None:
        sketch(saver).invoke({"slug": "a-1"}, config("r2"), durability="sync")
        cursor = agent.execute("SELECT *, now() - created_at AS age FROM agent_checkpoints LIMIT 1")
        assert cursor.description is not None
        assert [(c.name, c.type_display) for c in cursor.description][:5] == [
            ("id", "text"),
            ("run_id", "text"),
            ("node_name", "text"),
            ("state_json", "jsonb"),
            ("created_at", "timestamptz"),
        ]
        row = cursor.fetchone()
        assert row is not None
        assert 0 <= row["age"].total_seconds() < 600

    def test_state_is_json_in_the_database(self, saver: PostgresSaver, agent: psycopg.Connection[DictRow]) -> None:
        sketch(saver).invoke({"slug": "a-1"}, config("r3"), durability="sync")
        kinds = agent.execute("SELECT DISTINCT type FROM langgraph.checkpoint_blobs").fetchall()
        assert kinds == [{"type": "json"}]


@pytest.mark.postgres
class TestResume:
    def test_another_saver_goes_on_where_the_first_stopped(self, settings: Settings) -> None:
        with open_saver(settings) as first:
            sketch(first).invoke({"tries": 0}, config("r1"), durability="sync")
        with open_saver(settings) as second:
            final = sketch(second).invoke(Command(resume="a-2"), config("r1"), durability="sync")
        assert final["target"]["slug"] == "a-2"
        assert final["tries"] == 2

    def test_a_node_that_broke_is_the_only_one_run_again(self, saver: PostgresSaver) -> None:
        with pytest.raises(ValueError, match="the node broke"):
            sketch(saver, fail).invoke({"slug": "a-1"}, config("r1"), durability="sync")
        final = sketch(saver).invoke(None, config("r1"), durability="sync")
        assert len(final["findings"]) == 2
        assert final["tries"] == 1

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            (date(2024, 4, 1), "datetime.date"),
            (("a",), "builtins.tuple"),
            ("a\x00b", "NUL"),
            (math.nan, "nan"),
            ({1: "a"}, "keys must be strings"),
        ],
    )
    def test_a_value_that_is_no_json_stops_the_run_with_its_place(
        self, saver: PostgresSaver, value: Any, message: str
    ) -> None:
        graph = sketch(saver, lambda _state: {"target": {"deep": [value]}})
        with pytest.raises(NotJson, match=message) as caught:
            graph.invoke({"slug": "a-1"}, config("r1"), durability="sync")
        assert "$.deep[0]" in str(caught.value)
        final = sketch(saver).invoke(None, config("r1"), durability="sync")
        assert len(final["findings"]) == 2


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cc", "Cs"])), inner),
    max_leaves=20,
)


class TestSerializer:
    @given(PLAIN)
    def test_plain_values_come_back_equal_and_of_the_same_type(self, value: Any) -> None:
        serializer = JsonSerializer()
        tag, content = serializer.dumps_typed(value)
        assert tag == "json"
        again = serializer.loads_typed((tag, content))
        assert again == value
        assert repr(again) == repr(value)

    @pytest.mark.parametrize(
        "value", ["a\x00b", {"a\x00": 1}, "\ud800", [{"k": "\x00"}], math.inf, {1}, b"x", object()]
    )
    def test_anything_else_is_refused(self, value: Any) -> None:
        with pytest.raises(NotJson):
            JsonSerializer().dumps_typed(value)

    def test_interrupts_come_back(self) -> None:
        serializer = JsonSerializer()
        value = (Interrupt(value={"candidates": ["a"]}, id="i"),)
        again = serializer.loads_typed(serializer.dumps_typed(value))
        assert [(item.value, item.id) for item in again] == [({"candidates": ["a"]}, "i")]

    def test_a_question_that_is_no_json_is_refused(self) -> None:
        with pytest.raises(NotJson, match="interrupt"):
            JsonSerializer().dumps_typed((Interrupt(value=date(2024, 4, 1), id="i"),))

    def test_nothing_is_pickled(self) -> None:
        with pytest.raises(NotJson):
            JsonSerializer().dumps_typed(subprocess.Popen)


class AsyncFacade(PostgresSaver):
    """The synchronous saver behind the asynchronous methods that the conformance suite calls."""

    async def aput(self, *args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(self.put, *args, **kwargs)

    async def aput_writes(self, *args: Any, **kwargs: Any) -> None:
        await asyncio.to_thread(self.put_writes, *args, **kwargs)

    async def aget_tuple(self, *args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(self.get_tuple, *args, **kwargs)

    async def alist(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        for item in await asyncio.to_thread(lambda: list(self.list(*args, **kwargs))):
            yield item

    async def adelete_thread(self, *args: Any, **kwargs: Any) -> None:
        await asyncio.to_thread(self.delete_thread, *args, **kwargs)

    async def aprune(self, *args: Any, **kwargs: Any) -> None:
        await asyncio.to_thread(self.prune, *args, **kwargs)


@pytest.mark.postgres
def test_the_saver_conforms(settings: Settings) -> None:
    @checkpointer_test(name="JSON in PostgreSQL")
    async def made() -> AsyncIterator[BaseCheckpointSaver[Any]]:
        with open_saver(settings) as saver:
            yield AsyncFacade(saver.conn, serde=saver.serde)

    report = asyncio.run(validate(made))
    failures = {name: result.failures for name, result in report.results.items() if result.passed is False}
    assert failures == {}
    passed = {name for name, result in report.results.items() if result.passed}
    assert {"put", "put_writes", "get_tuple", "list", "delete_thread", "prune"} <= passed


@pytest.mark.postgres
def test_a_killed_process_is_resumed_by_another(settings: Settings) -> None:
    script = (
        "import os\n"
        "from tests.keifu_quality.db.test_checkpoints import config, open_saver, sketch\n"
        "from keifu_quality.settings import load_settings\n"
        "with open_saver(load_settings()) as saver:\n"
        "    sketch(saver, lambda _state: os._exit(9)).invoke({'slug': 'a-1'}, config('r9'), durability='sync')\n"
    )
    assert settings.agent_database_url is not None
    environment = {
        "TASUKI_KEIFU_AGENT_DATABASE_URL": settings.agent_database_url.get_secret_value(),
        "KEIFU_HOME": str(settings.home),
    }
    killed = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[3],
        env=environment,
        check=False,
        capture_output=True,
    )
    assert killed.returncode == 9, killed.stderr.decode()
    with open_saver(settings) as saver:
        final = sketch(saver).invoke(None, config("r9"), durability="sync")
    assert final["tries"] == 1
    assert len(final["findings"]) == 2
