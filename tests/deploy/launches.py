"""What a run launcher asks its engine for, without an engine: the real launcher and client, and a server that notes.

`Engine` answers every request of one HTTP API and keeps what was asked. `launch` has Dagster launch a job as its daemon
would, from an instance in the given home.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import OWN_VARIABLES

ROOT = Path(__file__).parents[2]
IMAGE = "registry.internal/keifu-quality:0.1.0"


@dataclass(frozen=True)
class Request:
    """One request; `body` is its JSON, or None."""

    method: str
    path: str
    body: Any


@dataclass(frozen=True)
class Engine:
    """A server under way on 127.0.0.1."""

    port: int
    requests: list[Request] = field(default_factory=list)

    def posted(self, end: str) -> Any:
        """The body of the only POST whose path ends so."""
        (body,) = (asked.body for asked in self.requests if asked.method == "POST" and asked.path.endswith(end))
        return body


@contextmanager
def engine(answer: Callable[[Request], Any]) -> Iterator[Engine]:
    """Answers each request with the JSON that `answer` gives."""
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        def respond(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            request = Request(self.command, self.path.partition("?")[0], body)
            requests.append(request)
            content = json.dumps(answer(request)).encode()
            self.send_response(201 if self.command == "POST" else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            del code, size

    # The names that http.server looks for are not of this project's style.
    for method in ("GET", "POST"):
        setattr(Handler, f"do_{method}", Handler.respond)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Engine(server.server_port, requests)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def launch(job: str, home: Path, instance: Mapping[str, Any], environment: Mapping[str, str]) -> None:
    """Launches a job of the code location from an instance of this dagster.yaml.

    The queue is left away: it would leave the run to a daemon.
    """
    home.mkdir(parents=True, exist_ok=True)
    at_once = {name: value for name, value in instance.items() if name != "concurrency"}
    at_once["run_coordinator"] = {"module": "dagster.core.run_coordinator", "class": "DefaultRunCoordinator"}
    (home / "dagster.yaml").write_text(yaml.safe_dump(at_once), encoding="utf-8")
    command = [sys.executable, "-m", "dagster", "job", "launch", "-m", "keifu_quality.definitions", "-j", job]
    subprocess.run(
        command,
        cwd=home,
        env={**bare_environment(), "DAGSTER_CURRENT_IMAGE": IMAGE, "DAGSTER_HOME": str(home), **environment},
        capture_output=True,
        check=True,
        timeout=240,
    )


def bare_environment() -> dict[str, str]:
    """This process's environment without the product's variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith(OWN_VARIABLES)}
