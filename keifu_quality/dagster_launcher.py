"""Dagster's default run launcher, whose runs begin with everything imported, and which knows whether they still live.

Belongs here: the class that dagster.yaml names, for runs that are processes of this machine. Stays out: containers and
pods, whose launchers answer themselves, and what follows from the answer (`run_monitoring` and `run_retries` in
dagster.yaml). With the stock class, each run imports Dagster and the definitions anew, and a run whose worker died
together with its code server stays STARTED until the maximum runtime of runs ends it, since only the code server
watches its processes.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import dagster as dg
from dagster import DagsterEventType, DagsterRun
from dagster._config.config_schema import UserConfigSchema
from dagster._core.launcher import CheckRunHealthResult, DefaultRunLauncher, LaunchRunContext, WorkerStatus
from dagster._core.origin import JobPythonOrigin, RepositoryPythonOrigin
from dagster._core.remote_representation.code_location import GrpcServerCodeLocation
from dagster._core.storage.tags import GRPC_INFO_TAG
from dagster._grpc.client import DagsterGrpcClient
from dagster._grpc.types import ExecuteRunArgs
from dagster._serdes import ConfigurableClassData, serialize_value

from keifu_quality.dagster_code_server import answers, code_server_of, is_of_this_machine
from keifu_quality.dagster_fork_server import ForkServer

CLOCK_SLACK_SECONDS = 60
"""How much later a process may seem to begin than it says: its time is counted from the start of the machine, which
moves when the clock is set."""
ANSWERS_FOR_SECONDS = 20
"""How long a code server that was away has to answer before its dead runs count as failed: until then Dagster may still
call its location broken, and a retry that cannot be launched at once is given up for good."""
AWAY_AT_MOST_SECONDS = 300
BEGINS_WITHIN_SECONDS = 10
"""How long a fork has to say that it began, before an interrupt is given up."""
READY_WITHIN_SECONDS = 20
"""How long a run waits for the process that is to fork it."""
ORDERLY_SECONDS = 20
"""How long the daemon waits for forks at its end; less than `keifu ui` gives it."""
FORKED = "forked"
"""Marks the code server of a run that is no process of that server, in the run's tag."""
GONE = (
    "the process {pid} of the run is gone: it was killed, ran out of memory, or its machine was restarted. What it had "
    "stored stays. Dagster starts the run again as often as run_retries in dagster.yaml allows, and the new run leaves "
    "out what is done"
)


@dataclass(slots=True)
class _Absence:
    """When the code server of a dead run was found away, first and last, by the monotonic clock."""

    first: float
    last: float


@dataclass(frozen=True, slots=True)
class _Code:
    """The job of a run, and the code server that has it; the id of that server changes when it loads its code anew."""

    location: str
    server_id: str
    server: DagsterGrpcClient
    job: JobPythonOrigin

    @property
    def repository(self) -> RepositoryPythonOrigin:
        return self.job.repository_origin


class WatchedRunLauncher(DefaultRunLauncher):
    """Dagster's DefaultRunLauncher, with runs that are forks of a process which has imported all that they need.

    That process (`keifu_quality.dagster_forked_runs`) is started for the first run of a code server, which waits for
    its imports in place of its own, and anew after it died. A run that cannot be a fork starts in the stock way: when
    the process does not become ready, for a code server that did not begin beside this process with the same
    environment, on systems other than Linux. A code server whose code is loaded anew gets another. For
    `run_monitoring`, the class finds runs whose process is gone, whatever else died.
    """

    def __init__(self, inst_data: ConfigurableClassData | None = None, *, fork_runs: bool = True) -> None:
        super().__init__(inst_data)
        self._forks_runs = fork_runs and sys.platform == "linux"
        self._fork_servers: dict[str, ForkServer] = {}
        self._fork_lock = threading.Lock()
        self._absences: dict[str, _Absence] = {}

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """The settings of `run_launcher` in dagster.yaml."""
        about = "Whether a process of some 170 MB is kept ready, so that runs start without imports."
        return {"fork_runs": dg.Field(bool, is_required=False, default_value=True, description=about)}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Mapping[str, Any]) -> Self:
        """The launcher with these settings."""
        return cls(inst_data, **config_value)

    def launch_run(self, context: LaunchRunContext) -> None:
        """Starts the run as a fork if it can be one, and else asks its code server, as the stock class does."""
        code = self._forkable_code(context)
        if code is None or not self._fork(context.dagster_run, code):
            super().launch_run(context)

    def terminate(self, run_id: str) -> bool:
        """Interrupts the run, from whichever process of this machine; False when there is nothing to interrupt."""
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished or not code_server_of(run).get(FORKED):
            return super().terminate(run_id)
        self._instance.report_run_canceling(run)
        _until(lambda: self._worker(run) is not None, BEGINS_WITHIN_SECONDS)
        worker = self._worker(run)
        if worker is None or not _lives(*worker):
            return False
        os.kill(worker[0], signal.SIGINT)
        return True

    def dispose(self) -> None:
        """Waits for runs under way that end soon, as code servers do; others go on."""
        with self._fork_lock:
            servers = [*self._fork_servers.values()]
            self._fork_servers.clear()
        for server in servers:
            server.close()
        deadline = time.monotonic() + ORDERLY_SECONDS
        for server in servers:
            server.wait(max(0.0, deadline - time.monotonic()))
        super().dispose()

    @property
    def supports_check_run_worker_health(self) -> bool:
        """True, unlike that of the stock class."""
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Whether the process of a started run lives.

        Of a process on another machine nothing is known: it counts as running, and the maximum runtime bounds it. So
        does one that died together with its code server, until the server is back and the run can be started again.
        """
        code_server = code_server_of(run)
        worker = self._worker(run) if is_of_this_machine(code_server) else None
        if worker is None:
            return CheckRunHealthResult(WorkerStatus.RUNNING, "its process cannot be seen from here")
        pid, began = worker
        if _lives(pid, began):
            return CheckRunHealthResult(WorkerStatus.RUNNING, run_worker_id=str(pid))
        if not (_is_younger_than(began) or self._is_back(run, code_server)):
            return CheckRunHealthResult(
                WorkerStatus.RUNNING, "its process is gone, and its code server is not back yet"
            )
        self._absences.pop(run.run_id, None)
        return CheckRunHealthResult(WorkerStatus.FAILED, GONE.format(pid=pid), run_worker_id=str(pid))

    def _worker(self, run: DagsterRun) -> tuple[int, float] | None:
        """The process id that the run's process gave when it began, and when that was, in seconds since 1970."""
        for entry in self._instance.all_logs(run.run_id, of_type=DagsterEventType.ENGINE_EVENT):
            pid = entry.dagster_event.engine_event_data.metadata.get("pid") if entry.dagster_event else None
            if pid is not None:
                return int(str(pid.value)), entry.timestamp
        return None

    def _is_back(self, run: DagsterRun, code_server: Mapping[str, Any]) -> bool:
        """Whether the code server was never away, or long enough back, or stays away."""
        now = time.monotonic()
        absence = self._absences.get(run.run_id)
        if answers(code_server):
            return absence is None or now - absence.last >= ANSWERS_FOR_SECONDS
        absence = self._absences.setdefault(run.run_id, _Absence(now, now))
        absence.last = now
        return now - absence.first >= AWAY_AT_MOST_SECONDS

    def _forkable_code(self, context: LaunchRunContext) -> _Code | None:
        """The run's code, if its code server listens where only this machine can reach it."""
        run, workspace = context.dagster_run, context.workspace
        if not (self._forks_runs and workspace and run.remote_job_origin and run.job_code_origin):
            return None
        name = run.remote_job_origin.location_name
        location = workspace.get_code_location(name)
        if not isinstance(location, GrpcServerCodeLocation) or not location.client.socket:
            return None
        return _Code(name, location.client.get_server_id(), location.client, run.job_code_origin)

    def _fork(self, run: DagsterRun, code: _Code) -> bool:
        with self._fork_lock:
            forks = self._fork_server_of(code)
            # A run that imported everything itself meanwhile would come later, and slow both.
            if forks is None or forks.repository != code.repository or not forks.is_ready(READY_WITHIN_SECONDS):
                return False
            noted = {"host": code.server.host, "socket": code.server.socket, FORKED: True}
            self._instance.add_run_tags(run.run_id, {GRPC_INFO_TAG: json.dumps(noted)})
            arguments = ExecuteRunArgs(code.job, run.run_id, self._instance.get_ref())
            if forks.fork(serialize_value(arguments)) is None:
                return False
        self._run_ids.add(run.run_id)
        return True

    def _fork_server_of(self, code: _Code) -> ForkServer | None:
        """The process for the runs of a code server, started unless it is there; None where there cannot be one."""
        forks = self._fork_servers.get(code.location)
        if forks and forks.code_server_id == code.server_id and (forks.is_hopeless() or not forks.is_dead()):
            return forks
        if code.repository.executable_path != sys.executable or not _began_beside(str(code.server.socket)):
            return None
        if forks:
            forks.close()
        started = self._fork_servers[code.location] = ForkServer(code.server_id, code.repository)
        return started


def _began_beside(socket: str) -> bool:
    """Whether the code server on a socket and this process have one parent, or it is a child of this one.

    Then both have the same environment and working directory, and so has a process that this one starts.
    """
    from psutil import Error, Process  # noqa: PLC0415 keeps the launcher light

    try:
        started = [*Process().children(), *Process(os.getppid()).children()]
        return any(socket in process.cmdline() for process in started)
    except Error:
        return False


def _is_younger_than(began: float) -> bool:
    """Whether this process began after a run did: then the run's code server ended with the daemon of its time, and
    nobody is left who would start it again."""
    from psutil import Process  # noqa: PLC0415

    return Process().create_time() > began


def _lives(pid: int, began: float) -> bool:
    from psutil import STATUS_ZOMBIE, NoSuchProcess, Process  # noqa: PLC0415

    try:
        process = Process(pid)
        # The number may be another process's by now, one that began after the run's.
        return process.create_time() <= began + CLOCK_SLACK_SECONDS and process.status() != STATUS_ZOMBIE
    except NoSuchProcess:
        return False


def _until(done: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.1)
