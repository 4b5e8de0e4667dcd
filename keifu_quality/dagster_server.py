"""Dagster's web server, daemon and code servers as one group of processes that ends as a whole.

Belongs here: starting `dagster dev`, replacing code servers that died, stopping all that it started, and the check of
its port. Stays out: the storage and the home of Dagster (`keifu_quality.dagster_home`). Imports no Dagster. POSIX only.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from keifu_quality.errors import AddressUnusable

if TYPE_CHECKING:
    from psutil import Process

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ORDERLY_SECONDS = 30.0
"""How long web server, daemon and code servers have to end in order, which waits for diagnoses under way."""
STRAGGLER_SECONDS = 10.0
"""How long a process that survived its parents has to end in order."""
RUN_WORKERS = ("spawn_main", "keifu_quality.dagster_forked_runs")
"""What stands in the command lines of runs: that of Python's multiprocessing, or of the process they are forks of."""
CODE_SERVER_SECONDS = 2.0
"""Between two looks at the code servers."""

# `dagster dev` advises `dg dev`, which works in a project's checkout only.
_ADVICE = "ignore:Function `dev_command` is superseded"


def require_free(host: str, port: int) -> None:
    """Raises AddressUnusable, which names the port and what to do, unless a server can listen there."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            # As the web server does; otherwise connections that have just been closed would block the port.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        raise AddressUnusable(
            f"Nothing can listen on port {port} of {host}: {error.strerror}. "
            f"Choose another with --port, or end what uses it."
        ) from None


def serve(workspace: Path, host: str, port: int, environment: Mapping[str, str]) -> int:
    """Runs `dagster dev` until it ends or this process is told to stop; returns the exit code for a shell.

    SIGINT, SIGTERM and SIGHUP end every process that it started, in order if they can within ORDERLY_SECONDS; a
    second signal ends them at once. The exit code is 0 after a signal and 1 when Dagster ended by itself.
    `environment` must name DAGSTER_HOME: Dagster runs there, since it takes a dagster.yaml elsewhere for a mistake.
    """
    command = [sys.executable, "-W", _ADVICE, "-m", "dagster", "dev", "-w", str(workspace), "-h", host, "-p", str(port)]
    with _stop_requests() as requested:
        # A session of its own keeps Ctrl-C of the terminal from reaching every process at once, in no order.
        process = subprocess.Popen(
            command, cwd=environment["DAGSTER_HOME"], env=dict(environment), start_new_session=True
        )
        try:
            servers = CodeServers(process.pid)
            while process.poll() is None and not requested():
                servers.end_broken()
                _pause()
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                _wait(lambda: process.poll() is not None or requested() > 1, ORDERLY_SECONDS)
            return 0 if requested() else 1
        finally:
            _end_group(process, hurry=requested() > 1)


class CodeServers:
    """The code servers of `dagster dev`: two processes each, one that serves the code and one that passes requests on.

    `dagster dev` replaces the second when it dies and nobody replaces the first, without which the code location stays
    broken. So the second is ended when its first is gone.
    """

    def __init__(self, dagster: int) -> None:
        """`dagster` is the process id of `dagster dev`."""
        self._dagster = dagster
        self._complete: set[int] = set()
        self._next_look = 0.0

    def end_broken(self) -> None:
        """Looks at most every CODE_SERVER_SECONDS; cheap in between."""
        from psutil import Error, NoSuchProcess, Process  # noqa: PLC0415 keeps --help fast

        if time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + CODE_SERVER_SECONDS
        with suppress(NoSuchProcess):
            for server in Process(self._dagster).children():
                with suppress(Error):
                    self._look_at(server)

    def _look_at(self, server: "Process") -> None:
        if "code-server" not in server.cmdline():
            return
        if any(_serves(child) for child in server.children()):
            self._complete.add(server.pid)
        elif server.pid in self._complete:
            self._complete.remove(server.pid)
            server.kill()


def _serves(child: "Process") -> bool:
    from psutil import STATUS_ZOMBIE, NoSuchProcess  # noqa: PLC0415

    try:
        return child.status() != STATUS_ZOMBIE and "grpc" in child.cmdline()
    except NoSuchProcess:
        return False


@contextmanager
def _stop_requests() -> Iterator[Callable[[], int]]:
    """Counts the signals that ask to stop, instead of acting on them. The old handlers come back at the end."""
    count = 0

    def note(number: int, frame: object) -> None:
        nonlocal count
        count += 1

    # Set even where a shell made a background process ignore SIGINT, which Dagster would inherit, SIGTERM included.
    before = {number: signal.signal(number, note) for number in STOP_SIGNALS}
    try:
        yield lambda: count
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_group(process: subprocess.Popen[bytes], *, hurry: bool) -> None:
    """Ends what is left of the process and its descendants."""
    _kill_run_workers(process.pid)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        if not hurry:
            _wait(lambda: not _group_lives(process), STRAGGLER_SECONDS)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _kill_run_workers(group: int) -> None:
    """Ends runs as a power cut would, after which they are started again and go on.

    An interrupt in the middle of a statement would be a failure of the step, which Dagster does not repeat.
    """
    from psutil import Error, process_iter  # noqa: PLC0415

    for candidate in process_iter():
        with suppress(Error, ProcessLookupError):
            command = " ".join(candidate.cmdline())
            if os.getpgid(candidate.pid) == group and any(word in command for word in RUN_WORKERS):
                candidate.kill()


def _group_lives(process: subprocess.Popen[bytes]) -> bool:
    process.poll()  # A leader that nobody waited for would keep the group.
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True


def _wait(done: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        _pause()


def _pause() -> None:
    time.sleep(0.1)
