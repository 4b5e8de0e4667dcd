"""Runs of `keifu ui` that are forks: stopped from a page, killed with their code server, and the daemon killed.

The tests share a `keifu ui`, and go in the order written.
"""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import psutil
import pytest

from keifu_quality.dagster_code_server import code_server_of
from keifu_quality.dagster_fork_server import PROGRAM
from keifu_quality.dagster_launcher import FORKED
from keifu_quality.defs.partitions import synchronise
from keifu_quality.sample.load import load_roster
from tests.dagster.faults import Ui, faulty_ui, held, kill, status_of, until, why_failed, worker_of
from tests.dagster.instance import Deployment, deployment
from tests.sample_fixtures import SampleRoster

pytestmark = [pytest.mark.dagster, pytest.mark.postgres, pytest.mark.timeout(1800)]

SUCCESS = dg.DagsterRunStatus.SUCCESS


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forks")


@pytest.fixture(scope="module")
def deployed(new_databases: Any, sample: SampleRoster, home: Path) -> Iterator[Deployment]:
    databases = new_databases(dagster=True)
    load_roster(sample.roster, databases.business_owner)
    with deployment(databases, home, KEIFU_LOCK_TIMEOUT_MS="600000") as made:
        synchronise(made.instance, [label.slug for label in sample.roster.labels])
        yield made


@pytest.fixture(scope="module")
def ui(deployed: Deployment, home: Path) -> Iterator[Ui]:
    with faulty_ui(deployed, home) as start:
        ui = start()
        ui.wait_until_ready()
        yield ui


@pytest.fixture
def slug(ui: Ui, deployed: Deployment, sample: SampleRoster) -> str:
    """An athlete whose next run will be a fork."""
    slug = sample.roster.labels[0].slug
    until(lambda: is_forked(deployed, diagnosed(ui, deployed, slug)), "no run became a fork", ui.log)
    return slug


def diagnosed(ui: Ui, deployed: Deployment, slug: str) -> str:
    run_id = ui.diagnose(slug)
    until(lambda: status_of(deployed, run_id) is SUCCESS, "the run did not end well", ui.log)
    return run_id


def is_forked(deployed: Deployment, run_id: str) -> bool:
    run = deployed.instance.get_run_by_id(run_id)
    assert run is not None
    return bool(code_server_of(run).get(FORKED))


def test_a_fork_is_stopped_from_a_page(ui: Ui, deployed: Deployment, slug: str) -> None:
    with held(deployed) as is_waited_for:
        run_id = ui.diagnose(slug)
        until(is_waited_for, "the run did not come to its results", ui.log)
        assert is_forked(deployed, run_id)
        ui.terminate(run_id)
        until(lambda: status_of(deployed, run_id) is dg.DagsterRunStatus.CANCELED, "the run goes on", ui.log)
    until(lambda: not psutil.pid_exists(worker_of(deployed, run_id)), "its process goes on", ui.log)


def test_a_fork_that_died_with_its_code_server_is_run_again(ui: Ui, deployed: Deployment, slug: str) -> None:
    with held(deployed) as is_waited_for:
        run_id = ui.diagnose(slug)
        until(is_waited_for, "the run did not come to its results", ui.log)
        assert is_forked(deployed, run_id)
        kill(*(process.pid for process in ui.processes("api", "grpc")), worker_of(deployed, run_id))
    until(lambda: status_of(deployed, run_id) is dg.DagsterRunStatus.FAILURE, "the run did not fail", ui.log)
    # Had it failed at once, the next run could not have been launched.
    assert "is gone" in why_failed(deployed, run_id)

    def went_on() -> bool:
        again = deployed.instance.get_runs(dg.RunsFilter(tags={"dagster/parent_run_id": run_id}))
        return [run.status for run in again] == [SUCCESS]

    until(went_on, "no second run", ui.log)


def test_nothing_is_kept_ready_once_the_daemon_was_killed(ui: Ui, deployed: Deployment, slug: str) -> None:
    (daemon,) = ui.processes("dagster._daemon")
    (forks,) = (process for process in ui.processes(PROGRAM) if process.ppid() == daemon.pid)
    # Otherwise they would end everything that the daemon left.
    for process in (ui.process.pid, *(child.pid for child in psutil.Process(ui.process.pid).children())):
        os.kill(process, signal.SIGSTOP)
    kill(daemon.pid)
    until(lambda: not psutil.pid_exists(forks.pid), "the process was left", ui.log)
