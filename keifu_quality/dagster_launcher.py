"""Dagster's default run launcher, with an answer to whether the process of a run still lives.

Belongs here: the class that dagster.yaml names, for runs that are processes of a code server. Stays out: containers and
pods, whose launchers answer themselves, and what follows from the answer (`run_monitoring` and `run_retries` in
dagster.yaml). With the stock class, a run whose worker died together with its code server stays STARTED until the
maximum runtime of runs ends it, since only the code server watches its processes.
"""

import json

from dagster import DagsterEventType, DagsterRun
from dagster._core.launcher import CheckRunHealthResult, DefaultRunLauncher, WorkerStatus
from dagster._core.storage.tags import GRPC_INFO_TAG

LOOPBACK = ("localhost", "127.0.0.1", "::1")
CLOCK_SLACK_SECONDS = 60
"""How much later a process may seem to begin than it says: its time is counted from the start of the machine, which
moves when the clock is set."""
GONE = (
    "the process {pid} of the run is gone: it was killed, ran out of memory, or its machine was restarted. What it had "
    "stored stays. Dagster starts the run again as often as run_retries in dagster.yaml allows, and the new run leaves "
    "out what is done"
)


class WatchedRunLauncher(DefaultRunLauncher):
    """Dagster's DefaultRunLauncher for `run_monitoring`: it finds runs whose process is gone, whatever else died."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        """True, unlike that of the stock class."""
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Whether the process of a started run lives. Of a process on another machine nothing is known: it counts as
        running, and the maximum runtime bounds it."""
        worker = self._worker(run) if _is_of_this_machine(run) else None
        if worker is None:
            return CheckRunHealthResult(WorkerStatus.RUNNING, "its process cannot be seen from here")
        pid, started_before = worker
        if _lives(pid, started_before):
            return CheckRunHealthResult(WorkerStatus.RUNNING, run_worker_id=str(pid))
        return CheckRunHealthResult(WorkerStatus.FAILED, GONE.format(pid=pid), run_worker_id=str(pid))

    def _worker(self, run: DagsterRun) -> tuple[int, float] | None:
        """The process id that the run's process gave when it began, and when that was, in seconds since 1970."""
        for entry in self._instance.all_logs(run.run_id, of_type=DagsterEventType.ENGINE_EVENT):
            pid = entry.dagster_event.engine_event_data.metadata.get("pid") if entry.dagster_event else None
            if pid is not None:
                return int(str(pid.value)), entry.timestamp
        return None


def _is_of_this_machine(run: DagsterRun) -> bool:
    """Whether a code server of this machine started the run: a code server that listens on a socket does not listen to
    others."""
    info = json.loads(run.tags.get(GRPC_INFO_TAG, "{}"))
    return bool(info.get("socket")) or info.get("host") in LOOPBACK


def _lives(pid: int, started_before: float) -> bool:
    from psutil import STATUS_ZOMBIE, NoSuchProcess, Process  # noqa: PLC0415 keeps the launcher light

    try:
        process = Process(pid)
        # The number may be another process's by now, one that began after the run's.
        return process.create_time() <= started_before + CLOCK_SLACK_SECONDS and process.status() != STATUS_ZOMBIE
    except NoSuchProcess:
        return False
