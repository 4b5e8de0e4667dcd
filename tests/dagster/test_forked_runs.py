"""Runs that are forks of a process with everything imported: real code servers with a small job of their own.

The launcher is that of this process, in the place of the daemon's.
"""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import dagster as dg
import psutil
import pytest
from dagster._core.code_pointer import FileCodePointer
from dagster._core.definitions.reconstruct import ReconstructableRepository
from dagster._core.origin import RepositoryPythonOrigin
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import PythonFileTarget

from keifu_quality import dagster_fork_server, dagster_launcher
from keifu_quality.dagster_code_server import code_server_of
from keifu_quality.dagster_fork_server import ForkServer
from keifu_quality.dagster_launcher import FORKED
from tests.dagster.faults import DEADLINE_SECONDS, kill, status_of, until, why_failed, worker_of
from tests.dagster.instance import Deployment, deployment

pytestmark = [
    pytest.mark.dagster,
    pytest.mark.postgres,
    pytest.mark.skipif(sys.platform != "linux", reason="runs are forks on Linux only"),
]

CODE = """
import time
from pathlib import Path

import dagster as dg

WORD = "old"

@dg.op
def wait(context):
    context.log.info(f"{{WORD}} code")
    while Path({held!r}).exists():
        time.sleep(0.05)

@dg.job(executor_def=dg.in_process_executor)
def waiting():
    wait()

defs = dg.Definitions(jobs=[waiting])
"""
CANCELED, FAILURE, SUCCESS = (
    dg.DagsterRunStatus.CANCELED,
    dg.DagsterRunStatus.FAILURE,
    dg.DagsterRunStatus.SUCCESS,
)
FINISHED = (CANCELED, FAILURE, SUCCESS)


class Location:
    """A code location with one job, whose runs go on for as long as `held` exists."""

    def __init__(self, deployed: Deployment, directory: Path) -> None:
        self.deployed = deployed
        self.held = directory / "held"
        self.file = directory / "waiting.py"
        self.file.write_text(CODE.format(held=str(self.held)))
        target = PythonFileTarget(str(self.file), None, str(directory), "waiting")
        self.process = WorkspaceProcessContext(deployed.instance, target)

    def launch(self, instance: dg.DagsterInstance | None = None) -> str:
        """Starts a run as the daemon does; its id."""
        instance = instance or self.deployed.instance
        workspace = self.process.create_request_context()
        job = workspace.get_code_location("waiting").get_repository("__repository__").get_full_job("waiting")
        origin = job.get_remote_origin()
        code = ReconstructableRepository.for_file(str(self.file), "defs", str(self.file.parent))
        recon = code.get_reconstructable_job("waiting")
        run = instance.create_run_for_job(
            recon.get_definition(), remote_job_origin=origin, job_code_origin=job.get_python_origin()
        )
        instance.launch_run(run.run_id, workspace)
        return run.run_id

    def is_forked(self, run_id: str) -> bool:
        """Whether the run was started as a fork."""
        run = self.deployed.instance.get_run_by_id(run_id)
        assert run is not None
        return bool(code_server_of(run).get(FORKED))

    def word(self, run_id: str) -> str:
        """What the code of a run says of itself."""
        (said,) = (
            entry.user_message
            for entry in self.deployed.instance.all_logs(run_id)
            if entry.user_message.endswith(" code")
        )
        return said

    def await_status(self, run_id: str, status: dg.DagsterRunStatus) -> None:
        def is_come() -> bool:
            found = status_of(self.deployed, run_id)
            assert found is status or found not in FINISHED, why_failed(self.deployed, run_id)
            return found is status

        until(is_come, f"run {run_id} did not come to {status}")

    def fork(self) -> str:
        """A run that is a fork and under way."""
        run_id = self.launch()
        assert self.is_forked(run_id)
        self.await_status(run_id, dg.DagsterRunStatus.STARTED)
        return run_id

    def release(self) -> None:
        """Lets all runs go on to their end."""
        self.held.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forks")


@pytest.fixture(scope="module")
def deployed(new_databases: Any, home: Path) -> Iterator[Deployment]:
    with deployment(new_databases(dagster=True), home) as made:
        yield made


@pytest.fixture(scope="module")
def served(deployed: Deployment, home: Path) -> Iterator[Location]:
    location = Location(deployed, home)
    with location.process, pytest.MonkeyPatch.context() as patch:
        # However slow the machine, no run is to start in the stock way.
        patch.setattr(dagster_launcher, "READY_WITHIN_SECONDS", DEADLINE_SECONDS)
        yield location


@pytest.fixture
def location(served: Location) -> Iterator[Location]:
    """The location of the module, whose runs are held until they are released or the test is over."""
    served.held.touch()
    yield served
    served.release()


def fork_servers(parent: int | None = None) -> list[int]:
    """The living processes whose forks are runs."""
    found: list[int] = []
    for child in psutil.Process(parent).children():
        with suppress(psutil.NoSuchProcess):
            if dagster_fork_server.PROGRAM in child.cmdline() and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child.pid)
    return found


def test_runs_are_forks_at_the_same_time(deployed: Deployment, location: Location) -> None:
    first, second = location.fork(), location.fork()
    parents = {psutil.Process(worker_of(deployed, run_id)).ppid() for run_id in (first, second)}
    assert parents == set(fork_servers())
    assert worker_of(deployed, first) != worker_of(deployed, second)
    location.release()
    location.await_status(first, SUCCESS)
    location.await_status(second, SUCCESS)


def test_a_fork_is_interrupted_from_another_process(deployed: Deployment, location: Location, home: Path) -> None:
    run_id = location.fork()
    with dg.DagsterInstance.from_config(str(home / "dagster")) as webserver:
        assert webserver.run_launcher.terminate(run_id)
        location.await_status(run_id, CANCELED)
        assert not webserver.run_launcher.terminate(run_id)


def test_a_run_that_its_code_server_started_is_interrupted_as_ever(
    deployed: Deployment, location: Location, stock: dg.DagsterInstance
) -> None:
    run_id = location.launch(stock)
    assert not location.is_forked(run_id)
    location.await_status(run_id, dg.DagsterRunStatus.STARTED)
    assert deployed.instance.run_launcher.terminate(run_id)
    location.await_status(run_id, CANCELED)


def test_a_fork_that_died_fails_with_the_reason(deployed: Deployment, location: Location) -> None:
    run_id = location.fork()
    kill(worker_of(deployed, run_id))
    location.await_status(run_id, FAILURE)
    assert "signal 9" in why_failed(deployed, run_id)


def test_runs_go_on_without_the_process_that_forks(deployed: Deployment, location: Location) -> None:
    under_way = location.fork()
    (old,) = fork_servers()
    kill(old)
    later = location.fork()
    assert old not in fork_servers()
    assert psutil.Process(worker_of(deployed, later)).ppid() in fork_servers()
    location.release()
    location.await_status(under_way, SUCCESS)
    location.await_status(later, SUCCESS)


def test_code_that_is_loaded_anew_is_not_that_of_older_forks(deployed: Deployment, location: Location) -> None:
    under_way = location.fork()
    (old,) = fork_servers()
    location.file.write_text(location.file.read_text().replace('"old"', '"new"'))
    location.process.reload_code_location("waiting")
    later = location.fork()
    assert psutil.Process(worker_of(deployed, under_way)).status() != psutil.STATUS_ZOMBIE
    location.release()
    location.await_status(under_way, SUCCESS)
    until(lambda: old not in fork_servers(), "the old process did not end with its last run")
    location.await_status(later, SUCCESS)
    assert [location.word(run_id) for run_id in (under_way, later)] == ["old code", "new code"]


def test_a_run_starts_in_the_stock_way_when_the_process_is_not_ready_in_time(
    deployed: Deployment, location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    location.release()
    monkeypatch.setattr(dagster_launcher, "READY_WITHIN_SECONDS", 0)
    for server in fork_servers():
        kill(server)
    run_id = location.launch()
    assert not location.is_forked(run_id)
    location.await_status(run_id, SUCCESS)


@pytest.fixture
def stock(deployed: Deployment, home: Path) -> Iterator[dg.DagsterInstance]:
    """The same instance with runs that are no forks."""
    written = (home / "dagster" / "dagster.yaml").read_text()
    assert "fork_runs: true" in written
    other = home / "stock"
    other.mkdir(exist_ok=True)
    (other / "dagster.yaml").write_text(written.replace("fork_runs: true", "fork_runs: false"))
    with dg.DagsterInstance.from_config(str(other)) as instance:
        yield instance


def test_forks_can_be_switched_off(deployed: Deployment, location: Location, stock: dg.DagsterInstance) -> None:
    before = fork_servers()
    location.release()
    for _ in range(2):
        run_id = location.launch(stock)
        location.await_status(run_id, SUCCESS)
        assert not location.is_forked(run_id)
    assert fork_servers() == before


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[str], RepositoryPythonOrigin]:
    """A function that gives a repository, with its code and what stands above it."""

    def make(above: str) -> RepositoryPythonOrigin:
        file = tmp_path / "repository.py"
        file.write_text(f"{above}\n{CODE.format(held='')}")
        return RepositoryPythonOrigin(sys.executable, FileCodePointer(str(file), "defs"), None, None, None)

    return make


@pytest.mark.parametrize(
    "above",
    [
        "import nothing_of_this_name",
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
    ],
    ids=["error", "thread"],
)
def test_code_that_cannot_be_forked_is_not_tried_again(
    above: str, repository: Callable[[str], RepositoryPythonOrigin]
) -> None:
    forks = ForkServer("invented", repository(above))
    until(forks.is_dead, "the process did not end")
    assert forks.is_hopeless()
    assert forks.fork("{}") is None
    forks.close()


def test_a_process_that_was_killed_when_it_was_ready_is_worth_another(
    repository: Callable[[str], RepositoryPythonOrigin],
) -> None:
    forks = ForkServer("invented", repository(""))
    (pid,) = (pid for pid in fork_servers() if pid == forks.pid)
    until(forks.is_ready, "the process did not become ready")
    kill(pid)
    until(forks.is_dead, "the process did not end")
    assert not forks.is_hopeless()
    forks.close()


def test_a_process_that_does_not_answer_starts_no_run_later(
    repository: Callable[[str], RepositoryPythonOrigin], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dagster_fork_server, "ANSWER_SECONDS", 0.1)
    forks = ForkServer("invented", repository(""))
    until(forks.is_ready, "the process did not become ready")
    os.kill(forks.pid, signal.SIGSTOP)
    assert forks.fork("{}") is None
    until(forks.is_dead, "the process was left stopped")
    forks.close()


def test_the_process_ends_when_the_daemon_was_killed(repository: Callable[[str], RepositoryPythonOrigin]) -> None:
    origin = repository("")
    program = f"""
        import time
        from dagster._core.code_pointer import FileCodePointer
        from dagster._core.origin import RepositoryPythonOrigin
        from keifu_quality.dagster_fork_server import ForkServer
        repository = RepositoryPythonOrigin({sys.executable!r}, {origin.code_pointer!r}, None, None, None)
        forks = ForkServer("invented", repository)
        while not forks.is_ready():
            time.sleep(0.1)
        print(forks.pid, flush=True)
        time.sleep(600)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        pid = int(daemon.stdout.readline())
        daemon.kill()
    until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE, "it goes on")
