"""`kill -9` of run workers, alone and with their code server: each athlete is diagnosed once. In the order written."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from keifu_quality.defs.checks import ASSET
from keifu_quality.sample.load import load_roster
from tests.dagster.faults import Ui, faulty_ui, held, kill, runs_by_status, status_of, until, why_failed, worker_of
from tests.dagster.instance import Deployment, deployment
from tests.sample_fixtures import SampleRoster

pytestmark = [pytest.mark.dagster, pytest.mark.postgres, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("worker")


@pytest.fixture(scope="module")
def deployed(new_databases: Any, sample: SampleRoster, home: Path) -> Iterator[Deployment]:
    databases = new_databases(dagster=True)
    load_roster(sample.roster, databases.business_owner)
    with deployment(databases, home, KEIFU_LOCK_TIMEOUT_MS="600000") as made:
        yield made


@pytest.fixture(scope="module")
def ui(deployed: Deployment, home: Path) -> Iterator[Ui]:
    with faulty_ui(deployed, home) as start:
        ui = start()
        ui.wait_until_ready()
        yield ui


def assert_everybody_once(deployed: Deployment, size: int) -> None:
    counted = "SELECT status, outcome, count(*), count(DISTINCT person_id) FROM agent_runs GROUP BY 1, 2"
    assert deployed.agent(counted) == [("completed", "completed", size, size)]
    assert deployed.agent("SELECT count(*), count(DISTINCT person_id) FROM diagnosis_results") == [(size, size)]
    assert deployed.agent("SELECT count(*) FROM sweeps WHERE ended_at IS NULL") == [(0,)]


def test_a_sweep_whose_worker_is_killed_is_run_again(ui: Ui, deployed: Deployment, sample: SampleRoster) -> None:
    with held(deployed) as is_waited_for:
        run_id = ui.launch("sweep_roster")
        until(is_waited_for, "the sweep did not come to its results", ui.log)
        kill(worker_of(deployed, run_id))
    until(lambda: status_of(deployed, run_id) is dg.DagsterRunStatus.FAILURE, "the run did not fail", ui.log)
    # The code server tells of the signal, unless run monitoring comes first.
    assert re.search("signal 9|is gone", why_failed(deployed, run_id))
    until(lambda: dg.DagsterRunStatus.SUCCESS in runs_by_status(deployed, "sweep_roster"), "no second run", ui.log)
    size = len(sample.roster.labels)
    assert_everybody_once(deployed, size)
    assert len(deployed.instance.get_materialized_partitions(ASSET)) == size


def test_a_sweep_that_died_with_its_code_server_is_run_again(
    ui: Ui, deployed: Deployment, sample: SampleRoster
) -> None:
    before = {run.run_id for run in deployed.instance.get_runs()}
    deployed.agent("DELETE FROM agent_runs")
    deployed.agent("DELETE FROM diagnosis_results")
    with held(deployed) as is_waited_for:
        run_id = ui.launch("sweep_roster", {"ops": {"sweep_roster_op": {"config": {"full": True}}}})
        until(is_waited_for, "the sweep did not come to its results", ui.log)
        servers = [process.pid for process in ui.processes("api", "grpc")]
        kill(*servers, worker_of(deployed, run_id))
    until(lambda: status_of(deployed, run_id) is dg.DagsterRunStatus.FAILURE, "the run did not fail", ui.log)
    assert "is gone" in why_failed(deployed, run_id)

    def went_on() -> bool:
        done = runs_by_status(deployed, "sweep_roster").get(dg.DagsterRunStatus.SUCCESS, [])
        return bool(set(done) - before)

    until(went_on, "no second run", ui.log)
    assert_everybody_once(deployed, len(sample.roster.labels))
