"""Whether the process of a started run lives, as the run launcher tells run monitoring."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import dagster as dg
import pytest
from dagster._core.events import DagsterEvent, DagsterEventType, EngineEventData
from dagster._core.launcher import WorkerStatus
from dagster._core.storage.tags import GRPC_INFO_TAG

from keifu_quality.definitions import build_definitions
from tests.dagster.instance import Deployment, deployment

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

SOCKET = {"host": "localhost", "socket": "/run/invented.sock"}


@pytest.fixture(scope="module")
def deployed(new_databases: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with deployment(new_databases(dagster=True), tmp_path_factory.mktemp("launcher")) as made:
        yield made


@pytest.fixture
def worker() -> Iterator[subprocess.Popen[bytes]]:
    """A process in the place of a run's."""
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def started(deployed: Deployment, pid: int, code_server: dict[str, str], ago: timedelta = timedelta()) -> dg.DagsterRun:
    """A run that a process with that number reported to have begun, as those of a code server do."""
    job = build_definitions().resolve_job_def("sweep_roster")
    run = deployed.instance.create_run_for_job(job, tags={GRPC_INFO_TAG: json.dumps(code_server)})
    event = DagsterEvent(
        DagsterEventType.ENGINE_EVENT.value, run.job_name, event_specific_data=EngineEventData.in_process(pid)
    )
    deployed.instance.report_dagster_event(event, run.run_id, timestamp=time.time() - ago.total_seconds())
    return run


def status(deployed: Deployment, run: dg.DagsterRun) -> WorkerStatus:
    launcher = deployed.instance.run_launcher
    assert launcher.supports_check_run_worker_health
    return launcher.check_run_worker_health(run).status


def test_a_run_lives_as_long_as_its_process(deployed: Deployment, worker: subprocess.Popen[bytes]) -> None:
    run = started(deployed, worker.pid, SOCKET)
    assert status(deployed, run) is WorkerStatus.RUNNING
    worker.kill()
    # Dead whether or not its parent has taken note of it.
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)
    assert status(deployed, run) is WorkerStatus.FAILED
    worker.wait()
    told = deployed.instance.run_launcher.check_run_worker_health(run)
    assert told.status is WorkerStatus.FAILED
    assert str(worker.pid) in (told.msg or "")
    assert "run_retries" in (told.msg or "")


def test_a_process_that_got_the_number_later_is_not_the_run(
    deployed: Deployment, worker: subprocess.Popen[bytes]
) -> None:
    run = started(deployed, worker.pid, SOCKET, ago=timedelta(hours=1))
    assert status(deployed, run) is WorkerStatus.FAILED


@pytest.mark.parametrize("code_server", [{"host": "code.internal", "port": "4000"}, {}], ids=["another", "none"])
def test_nothing_is_said_of_processes_elsewhere(deployed: Deployment, code_server: dict[str, str]) -> None:
    nobody = 2**22 + 1
    assert status(deployed, started(deployed, nobody, code_server)) is WorkerStatus.RUNNING
