"""The databases of a sweep that are away when its run begins, on a server of their own: the run waits for them."""

import threading
from collections.abc import Iterator
from typing import Any

import dagster as dg
import psycopg
import pytest
from sqlalchemy import Engine

from keifu_quality.db import migrate
from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer
from keifu_quality.db.roster_state import RosterState, roster_state
from keifu_quality.definitions import build_definitions
from keifu_quality.defs import outages, sweep
from keifu_quality.defs.checks import ASSET
from keifu_quality.sample.load import load_roster
from tests.conftest import settings_for
from tests.dagster.faults import until
from tests.dagster.instance import Deployment, deployment
from tests.own_server import own_server
from tests.sample_fixtures import SampleRoster

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with own_server("keifu-test-outage-") as (made, _):
        yield made


@pytest.fixture(scope="module")
def deployed(
    server: EmbeddedServer, new_databases: Any, sample: SampleRoster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """The archive and the agent database on the server, Dagster's storage elsewhere."""
    home = tmp_path_factory.mktemp("outage")
    own = server.urls()
    migrate.upgrade(settings_for(own, home))
    load_roster(sample.roster, own.business_owner)
    storage = new_databases(dagster=True).dagster
    with deployment(DatabaseUrls(own.business_owner, own.business, own.agent, storage), home) as made:
        yield made


def test_a_sweep_waits_for_databases_that_are_away(
    server: EmbeddedServer, deployed: Deployment, sample: SampleRoster
) -> None:
    definitions = build_definitions()
    results: list[dg.ExecuteInProcessResult] = []

    def run() -> None:
        results.append(deployed.run_job(definitions, dg.RunRequest(job_name="sweep_roster")))

    def waits() -> bool:
        runs = deployed.instance.get_runs()
        entries = [entry for run in runs for entry in deployed.instance.all_logs(run.run_id)]
        return not job.is_alive() or any("a database is away" in entry.user_message for entry in entries)

    server.stop()
    job = threading.Thread(target=run)
    job.start()
    try:
        until(waits, "the run did not wait")
    finally:
        server.start()
        job.join()
    (result,) = results
    assert result.success
    size = len(sample.roster.labels)
    assert len(deployed.instance.get_materialized_partitions(ASSET)) == size
    assert deployed.agent("SELECT count(*), count(DISTINCT person_id) FROM agent_runs") == [(size, size)]


def test_a_fault_at_the_end_repeats_no_athlete(
    deployed: Deployment, sample: SampleRoster, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Engine] = []

    def away_once(engine: Engine) -> RosterState:
        asked.append(engine)
        if len(asked) == 1:
            raise psycopg.errors.AdminShutdown("invented")
        return roster_state(engine)

    monkeypatch.setattr(sweep, "roster_state", away_once)
    monkeypatch.setattr(outages, "PAUSE_SECONDS", 0)
    config = {"ops": {"sweep_roster_op": {"config": {"full": True}}}}
    request = dg.RunRequest(job_name="sweep_roster", run_config=config)
    result = deployed.run_job(build_definitions(), request)
    assert result.success
    assert len(asked) == 2
    marked = deployed.instance.all_logs(result.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)
    stored = deployed.agent("SELECT count(*) FROM agent_runs WHERE dagster_run_id = :run", run=result.run_id)
    assert stored == [(len(sample.roster.labels),)]
    partitions = [entry.dagster_event.partition for entry in marked if entry.dagster_event is not None]
    assert len(partitions) == len(set(partitions)) == len(sample.roster.labels)
