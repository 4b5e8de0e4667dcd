"""The program whose forks are runs: it imports what a run needs once, and each run begins with everything imported.

Belongs here: `python -m keifu_quality.dagster_forked_runs FD`, what a fork does, and what is told of one that died.
Stays out: when the program is started and which runs are its forks (`keifu_quality.dagster_launcher`).

FD is one end of a pair of sockets. The program reads the repository from it, answers READY, and then reads the
arguments of one run after the other, each answered with the process id of its fork. When the other end is closed or its
process dies, it ends with its last fork.
"""

import gc
import importlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from dagster import DagsterInstance
from dagster._cli.api import execute_run_command
from dagster._core.origin import RepositoryPythonOrigin
from dagster._grpc.types import ExecuteRunArgs
from dagster._serdes import deserialize_value
from dagster._utils import get_run_crash_explanation
from dagster._utils.hosted_user_process import recon_repository_from_origin

from keifu_quality.dagster_code_server import answers, code_server_of

READY = b"ready"
POLL_SECONDS = 0.5
"""Between two looks for forks that ended."""
IMPORTED_LATE = (
    "dagster._core.executor.in_process",
    "dagster._core.instance.factory",
    "dagster._core.storage.local_compute_log_manager",
    "dagster._core.storage.root",
    "dagster_postgres",
    "graphs.person_diagnosis.graph",
    "keifu_quality.dagster_launcher",
    "keifu_quality.dagster_storage",
    "psycopg2",
)
"""What a run imports only while it runs."""


def main() -> None:
    """Serves until the other end is gone; in a fork, does the fork's work and ends."""
    # Ctrl-C in a terminal reaches every process; this one ends after its forks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(int(sys.argv[1]))
    with suppress(EOFError):
        prepare(connection.recv_bytes().decode())
        connection.send_bytes(READY)
        work = next(forks(connection), None)
        if work is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            work()


def prepare(repository: str) -> None:
    """Imports the definitions of a repository, given as a serialized RepositoryPythonOrigin, and what runs import.

    Raises RuntimeError when the imports started a thread, of which a fork would have nothing but its locks.
    """
    recon_repository_from_origin(deserialize_value(repository, RepositoryPythonOrigin)).get_definition()
    for module in IMPORTED_LATE:
        importlib.import_module(module)
    if len(list(Path("/proc/self/task").iterdir())) > 1:
        raise RuntimeError("the imports of the definitions started a thread; no run can be a fork of this process")
    # Keeps the collector from writing to pages that the forks share.
    gc.collect()
    gc.freeze()


def forks(connection: Connection) -> Iterator[Callable[[], None]]:
    """In a fork, gives what it has to do; in the process that forks, ends without a value."""
    living: dict[int, str | None] = {}
    is_asked = True
    while is_asked or living:
        for pid, exit_code in ended():
            arguments = living.pop(pid)
            if exit_code and arguments is not None:
                # A process of its own, since forks of this one would share its connections to the database.
                reporter = os.fork()
                if reporter == 0:
                    connection.close()
                    yield partial(report_loss, arguments, exit_code)
                    return
                living[reporter] = None
        if not is_asked:
            time.sleep(POLL_SECONDS)
        elif connection.poll(POLL_SECONDS):
            try:
                arguments = connection.recv_bytes().decode()
            except (EOFError, OSError):
                is_asked = False
                continue
            pid = os.fork()
            if pid == 0:
                connection.close()
                yield partial(execute, arguments)
                return
            living[pid] = arguments
            with suppress(OSError):
                connection.send_bytes(str(pid).encode())


def ended() -> Iterator[tuple[int, int]]:
    """Forks that ended since the last call, each with its exit code: below zero the signal that ended it."""
    with suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = found
            yield pid, os.waitstatus_to_exitcode(status)


def execute(arguments: str) -> None:
    """Executes the run of serialized ExecuteRunArgs as `dagster api execute_run` does."""
    execute_run_command.main([arguments], standalone_mode=False)


def report_loss(arguments: str, exit_code: int) -> None:
    """Says in the log of a run that its process ended before its time, and fails it, as a code server does.

    With its code server away, this is left to run monitoring: a retry could not be launched yet.
    """
    run_of = deserialize_value(arguments, ExecuteRunArgs)
    with DagsterInstance.from_ref(run_of.instance_ref) if run_of.instance_ref else DagsterInstance.get() as instance:
        run = instance.get_run_by_id(run_of.run_id)
        if run is None or run.is_finished or not answers(code_server_of(run)):
            return
        prefix = f"Run execution process for {run.run_id}"
        instance.report_engine_event(get_run_crash_explanation(prefix=prefix, exit_code=exit_code), run)
        instance.report_run_failed(run)


if __name__ == "__main__":
    main()
