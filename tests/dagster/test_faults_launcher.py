"""Whether the process of a started run lives, as the run launcher tells run monitoring."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.events import DagsterEvent, DagsterEventType, EngineEventData
from dagster._core.launcher import WorkerStatus
from dagster._core.storage.tags import GRPC_INFO_TAG
from dagster._grpc.client import DagsterGrpcClient

from keifu_quality import dagster_launcher
from keifu_quality.definitions import build_definitions
from tests.dagster.faults import until
from tests.dagster.instance import Deployment, deployment

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

AWAY = {"host": "localhost", "socket": "/run/invented.sock"}


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


def die(worker: subprocess.Popen[bytes]) -> None:
    """Kills the process; its parent does not take note of it yet."""
    worker.kill()
    os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT)


@pytest.fixture
def code_server(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A code server without the product's code."""
    (tmp_path / "nothing.py").write_text("import dagster as dg\ndefs = dg.Definitions()\n")
    command = ["-m", "dagster", "api", "grpc", "--socket", socket_of(tmp_path), "-f", str(tmp_path / "nothing.py")]
    with subprocess.Popen([sys.executable, *command]) as process:
        yield process
        process.kill()


def socket_of(directory: Path) -> str:
    return str(directory / "s")


def answers(socket: str) -> bool:
    try:
        DagsterGrpcClient(socket=socket).ping("")
    except DagsterUserCodeUnreachableError:
        return False
    return True


def test_a_run_fails_when_its_process_is_gone(
    deployed: Deployment, worker: subprocess.Popen[bytes], code_server: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    del code_server
    server = {"host": "localhost", "socket": socket_of(tmp_path)}
    until(lambda: answers(server["socket"]), "the code server did not start")
    run = started(deployed, worker.pid, server)
    assert status(deployed, run) is WorkerStatus.RUNNING
    die(worker)
    told = deployed.instance.run_launcher.check_run_worker_health(run)
    assert told.status is WorkerStatus.FAILED
    assert str(worker.pid) in (told.msg or "")
    assert "run_retries" in (told.msg or "")


def test_a_dead_run_waits_for_its_code_server(
    deployed: Deployment, worker: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = started(deployed, worker.pid, AWAY)
    die(worker)
    assert status(deployed, run) is WorkerStatus.RUNNING
    monkeypatch.setattr(dagster_launcher, "AWAY_AT_MOST_SECONDS", 0)
    assert status(deployed, run) is WorkerStatus.FAILED


def test_a_process_that_got_the_number_later_is_not_the_run(
    deployed: Deployment, worker: subprocess.Popen[bytes]
) -> None:
    """Nor does a run of an earlier day wait: its code server ended with the daemon that watched it."""
    run = started(deployed, worker.pid, AWAY, ago=timedelta(days=1))
    assert status(deployed, run) is WorkerStatus.FAILED


@pytest.mark.parametrize("code_server", [{"host": "code.internal", "port": "4000"}, {}], ids=["another", "none"])
def test_nothing_is_said_of_processes_elsewhere(deployed: Deployment, code_server: dict[str, str]) -> None:
    nobody = 2**22 + 1
    assert status(deployed, started(deployed, nobody, code_server)) is WorkerStatus.RUNNING


def test_a_run_is_one_process() -> None:
    """A step in a process of its own would outlive the run's when that is killed."""
    jobs = build_definitions().resolve_all_job_defs()
    assert {job.executor_def.name for job in jobs} == {"in_process"}
