"""Dagster's default run launcher, with an answer to whether the process of a run still lives.

Belongs here: the class that dagster.yaml names, for runs that are processes of a code server. Stays out: containers and
pods, whose launchers answer themselves, and what follows from the answer (`run_monitoring` and `run_retries` in
dagster.yaml). With the stock class, a run whose worker died together with its code server stays STARTED until the
maximum runtime of runs ends it, since only the code server watches its processes.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dagster import DagsterEventType, DagsterRun
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.launcher import CheckRunHealthResult, DefaultRunLauncher, WorkerStatus
from dagster._core.storage.tags import GRPC_INFO_TAG
from dagster._grpc.client import DagsterGrpcClient
from dagster._serdes import ConfigurableClassData

LOOPBACK = ("localhost", "127.0.0.1", "::1")
CLOCK_SLACK_SECONDS = 60
"""How much later a process may seem to begin than it says: its time is counted from the start of the machine, which
moves when the clock is set."""
ANSWERS_FOR_SECONDS = 20
"""How long a code server that was away has to answer before its dead runs count as failed: until then Dagster may still
call its location broken, and a retry that cannot be launched at once is given up for good."""
AWAY_AT_MOST_SECONDS = 300
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


class WatchedRunLauncher(DefaultRunLauncher):
    """Dagster's DefaultRunLauncher for `run_monitoring`: it finds runs whose process is gone, whatever else died."""

    def __init__(self, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(inst_data)
        self._absences: dict[str, _Absence] = {}

    @property
    def supports_check_run_worker_health(self) -> bool:
        """True, unlike that of the stock class."""
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Whether the process of a started run lives.

        Of a process on another machine nothing is known: it counts as running, and the maximum runtime bounds it. So
        does one that died together with its code server, until the server is back and the run can be started again.
        """
        code_server = _code_server(run)
        worker = self._worker(run) if _is_of_this_machine(code_server) else None
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
        if _answers(code_server):
            return absence is None or now - absence.last >= ANSWERS_FOR_SECONDS
        absence = self._absences.setdefault(run.run_id, _Absence(now, now))
        absence.last = now
        return now - absence.first >= AWAY_AT_MOST_SECONDS


def _code_server(run: DagsterRun) -> Mapping[str, Any]:
    """Where the code server listens that started the run."""
    return json.loads(run.tags.get(GRPC_INFO_TAG, "{}"))


def _is_of_this_machine(code_server: Mapping[str, Any]) -> bool:
    """Whether only this machine can reach the code server."""
    return bool(code_server.get("socket")) or code_server.get("host") in LOOPBACK


def _answers(code_server: Mapping[str, Any]) -> bool:
    client = DagsterGrpcClient(
        host=code_server.get("host", "localhost"), port=code_server.get("port"), socket=code_server.get("socket")
    )
    try:
        client.ping("")
    except DagsterUserCodeUnreachableError:
        return False
    return True


def _is_younger_than(began: float) -> bool:
    """Whether this process began after a run did: then the run's code server ended with the daemon of its time, and
    nobody is left who would start it again."""
    from psutil import Process  # noqa: PLC0415 keeps the launcher light

    return Process().create_time() > began


def _lives(pid: int, began: float) -> bool:
    from psutil import STATUS_ZOMBIE, NoSuchProcess, Process  # noqa: PLC0415

    try:
        process = Process(pid)
        # The number may be another process's by now, one that began after the run's.
        return process.create_time() <= began + CLOCK_SLACK_SECONDS and process.status() != STATUS_ZOMBIE
    except NoSuchProcess:
        return False
