"""`keifu ui` in a process of its own, as a user starts it, for tests of the server and of the pages."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

READY_SECONDS = 240
STOP_SECONDS = 120


@dataclass(frozen=True)
class UiServer:
    """A running `keifu ui` that answers requests."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def children(self) -> set[int]:
        """The ids of the processes that `keifu ui` itself started."""
        return {pid for pid, parent in _living().items() if parent == self.process.pid}

    def descendants(self) -> set[int]:
        """The ids of all living processes below `keifu ui`."""
        parents = _living()
        found: set[int] = set()
        fresh = {self.process.pid}
        while fresh:
            fresh = {pid for pid, parent in parents.items() if parent in fresh}
            found |= fresh
        return found


@contextmanager
def running_ui(directory: Path, *, in_background: bool = False) -> Iterator[UiServer]:
    """Starts `keifu ui` on a free port with the environment of the test; nothing of it is left afterwards.

    `in_background` starts it as a script's `keifu ui &` does, which has SIGINT ignored.
    """
    port = free_port()
    log = directory / "ui.log"
    command = [sys.executable, "-m", "keifu_quality.cli.main", "ui", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=_ignore_interrupts if in_background else None,  # noqa: PLW1509 it touches no lock
        )
    server = UiServer(process, f"http://127.0.0.1:{port}", log)
    started: set[int] = set()
    try:
        _wait_until_ready(server)
        started = server.descendants()
        yield server
    finally:
        started |= server.descendants()
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        finally:
            process.kill()
            for pid in started & alive():
                os.kill(pid, signal.SIGKILL)


def free_port() -> int:
    """A port of 127.0.0.1 on which nothing listens now."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def alive() -> set[int]:
    """The ids of all processes that have not ended."""
    return set(_living())


def _living() -> dict[int, int]:
    """The processes that have not ended, each with its parent."""
    listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in listing.stdout.splitlines()]
    return {int(pid): int(parent) for pid, parent, state in rows if not state.startswith("Z")}


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _wait_until_ready(server: UiServer) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{server.url}/server_info", timeout=10):  # noqa: S310 always http
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"keifu ui did not answer:\n{server.log.read_text()}")
