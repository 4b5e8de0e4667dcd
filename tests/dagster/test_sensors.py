"""Changes without an import, an archive set back, runs that failed, runs that were lost. In the order written."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import dagster as dg
import pytest

from keifu_quality.db.engine import agent_engine, connect_agent_psycopg
from keifu_quality.db.full_comparison import note_full_comparison
from keifu_quality.db.run_lock import run_lock
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase
from keifu_quality.diagnosis import SystemClock
from keifu_quality.lost_runs import settle_lost_runs
from tests.dagster.instance import Deployment, deployment

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


@pytest.fixture(scope="module")
def deployed(new_databases: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    databases = new_databases(dagster=True)
    with deployment(databases, tmp_path_factory.mktemp("sensors"), KEIFU_SWEEP_SHARDS="3") as made:
        yield made


def tick(definitions: dg.Definitions, deployed: Deployment, cursor: str | None) -> tuple[list[dg.RunRequest], str]:
    sensor = definitions.resolve_sensor_def("silent_changes")
    resources = {"business": BusinessDatabase(), "agent": AgentDatabase()}
    with dg.build_sensor_context(
        instance=deployed.instance, definitions=definitions, resources=resources, cursor=cursor
    ) as context:
        data = sensor.evaluate_tick(context)
    return list(data.run_requests or ()), data.cursor or ""


def audit_by_hand(deployed: Deployment, identifier: str) -> None:
    deployed.archive(
        'INSERT INTO "AuditLog" (id, "entityType", "entityId", action, "reasonType", "actorType", "createdAt")'
        " VALUES (:id, 'Person', 'p1', 'update', 'manual_error', 'admin', now() AT TIME ZONE 'UTC' + interval '1 min')",
        id=identifier,
    )


def test_a_change_without_an_import_asks_for_one_sweep(definitions: dg.Definitions, deployed: Deployment) -> None:
    deployed.archive(
        'INSERT INTO "Person" (id, slug, "displayNameJa", "updatedAt")'
        " VALUES ('p1', 'asa', '例', now() AT TIME ZONE 'UTC')"
    )
    requests, cursor = tick(definitions, deployed, None)
    assert requests == []
    audit_by_hand(deployed, "a1")
    requests, cursor = tick(definitions, deployed, cursor)
    assert [request.run_config["ops"]["sweep_roster_op"]["config"]["shard"] for request in requests] == [0, 1, 2]
    assert len({request.run_key for request in requests}) == 3
    assert tick(definitions, deployed, cursor)[0] == []


def test_an_archive_that_was_set_back_asks_for_a_sweep_until_one_was_done(
    definitions: dg.Definitions, deployed: Deployment
) -> None:
    cursor = json.dumps({"since": "2100-01-01T00:00:00+00:00", "asked": None})
    deployed.agent(
        "INSERT INTO import_watch (watching_since, polled_at, finished_digest, reset_at, full_sweep_due)"
        " VALUES (now(), now(), '', now() - interval '1 hour', true)"
    )
    requests, _ = tick(definitions, deployed, cursor)
    assert len(requests) == 3
    engine = agent_engine(deployed.settings)
    assert not note_full_comparison(engine, shards=3)
    for request in requests:
        assert deployed.run_job(definitions, request).success
    engine.dispose()
    assert deployed.agent("SELECT full_sweep_due FROM import_watch") == [(False,)]
    assert tick(definitions, deployed, cursor)[0] == []


def test_a_sweep_under_way_is_not_doubled(definitions: dg.Definitions, deployed: Deployment) -> None:
    run = deployed.instance.create_run_for_job(definitions.resolve_job_def("sweep_roster"))
    cursor = json.dumps({"since": "2000-01-01T00:00:00+00:00", "asked": None})
    assert tick(definitions, deployed, cursor) == ([], cursor)
    deployed.instance.report_run_failed(run)
    assert len(tick(definitions, deployed, cursor)[0]) == 3


@contextmanager
def slack() -> Iterator[tuple[str, list[Any]]]:
    """A server in Slack's place: its address, and what it was told."""
    told: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 the base class names it so
            del format, args

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hook", told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def report_failure(definitions: dg.Definitions, deployed: Deployment) -> dg.DagsterRun:
    run = deployed.instance.create_run_for_job(definitions.resolve_job_def("sweep_roster"))
    event = deployed.instance.report_run_failed(run)
    context = dg.build_run_status_sensor_context(
        sensor_name="sweep_failed", dagster_event=event, dagster_instance=deployed.instance, dagster_run=run
    ).for_run_failure()
    definitions.resolve_sensor_def("sweep_failed")(context)
    return run


def test_a_failed_run_is_told_where_people_look(
    definitions: dg.Definitions, deployed: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    with slack() as (address, told):
        monkeypatch.setenv("KEIFU_SLACK_WEBHOOK_URL", address)
        run = report_failure(definitions, deployed)
    assert told == [{"text": f"sweep_roster failed: Dagster run {run.run_id}"}]
    monkeypatch.setenv("KEIFU_SLACK_WEBHOOK_URL", address)
    report_failure(definitions, deployed)


def test_lost_runs_fail_and_those_at_work_do_not(deployed: Deployment) -> None:
    for run_id, minutes in (("lost", 61), ("at-work", 61), ("young", 1)):
        deployed.agent(
            "INSERT INTO agent_runs (run_id, graph_name, graph_version, rule_set_version, status, triggered_by,"
            " input_json, current_node, started_at) VALUES (:id, 'g', '1', '1', 'running', 'cli', '{}',"
            " 'resolve_person', now() - make_interval(mins => :minutes))",
            id=run_id,
            minutes=minutes,
        )
    engine = agent_engine(deployed.settings)
    with closing(connect_agent_psycopg(deployed.settings)) as session, run_lock(session, "at-work"):
        assert settle_lost_runs(deployed.settings, engine, clock=SystemClock()) == ["lost"]
        assert settle_lost_runs(deployed.settings, engine, clock=SystemClock()) == []
    engine.dispose()
    rows = deployed.agent("SELECT run_id, status, error_code FROM agent_runs WHERE graph_name = 'g' ORDER BY run_id")
    assert rows == [("at-work", "running", None), ("lost", "failed", "run_lost"), ("young", "running", None)]
