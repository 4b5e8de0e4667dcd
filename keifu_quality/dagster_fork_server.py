"""A process that has imported the definitions and whose forks are runs, as the launcher in the daemon holds it.

Belongs here: starting and ending the program `keifu_quality.dagster_forked_runs`, and asking it for a run. Stays out:
which runs are asked for (`keifu_quality.dagster_launcher`).
"""

import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing import Pipe

from dagster._core.origin import RepositoryPythonOrigin
from dagster._serdes import serialize_value

PROGRAM = "keifu_quality.dagster_forked_runs"
ANSWER_SECONDS = 30
"""How long a fork may take, which takes milliseconds on an idle machine."""


class ForkServer:
    """The forks for one code server. Not for several threads at once."""

    def __init__(self, code_server_id: str, repository: RepositoryPythonOrigin) -> None:
        """Starts the process; seconds pass until it is ready.

        `code_server_id` is the id that the code server has until its code is loaded anew.
        """
        self.code_server_id = code_server_id
        self.repository = repository
        self._was_ready = False
        self._connection, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", PROGRAM, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
        with suppress(OSError):
            self._connection.send_bytes(serialize_value(repository).encode())

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def is_ready(self, seconds: float = 0.0) -> bool:
        """Whether it has imported everything and runs can be forked from it; waits at most so long for that."""
        if not self._was_ready:
            try:
                self._was_ready = self._connection.poll(seconds) and bool(self._connection.recv_bytes())
            except (EOFError, OSError):
                return False
        return self._was_ready

    def is_hopeless(self) -> bool:
        """Whether it died before it was ready, and another would, too."""
        return self._process.poll() is not None and not self.is_ready()

    def is_dead(self) -> bool:
        """Whether the process ended."""
        return self._process.poll() is not None

    def fork(self, arguments: str) -> int | None:
        """Starts the run of serialized ExecuteRunArgs and gives its process id; None when it could not be started."""
        try:
            if not self.is_ready():
                return None
            self._connection.send_bytes(arguments.encode())
            if self._connection.poll(ANSWER_SECONDS):
                return int(self._connection.recv_bytes())
        except (EOFError, OSError):
            return None
        # Somebody stopped it, and it must not start the run later.
        self._process.kill()
        return None

    def close(self) -> None:
        """Lets the process end with its last run, and returns at once."""
        self._connection.close()
        threading.Thread(target=self._process.wait, daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Waits until a closed one has ended, at most so long."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
