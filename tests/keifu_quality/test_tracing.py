"""What leaves the process with a trace, as the server of traces sees it."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langsmith import tracing_context, uuid7

from keifu_quality.settings import load_settings
from keifu_quality.tracing import Tracing


@pytest.fixture
def received() -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server of traces, and the bodies that it was sent."""
    bodies: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(202)
            self.end_headers()

        def do_PATCH(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 its name in the base
            pass

    server = HTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    thread.join()
    server.server_close()


def test_neither_inputs_nor_outputs_nor_error_texts_leave(
    received: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint, bodies = received
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "key")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", endpoint)

    def refuse(name: str) -> str:
        raise LookupError(f"nobody is called {name}")

    with Tracing(load_settings()) as tracing, tracing_context(enabled=True):
        for step in (RunnableLambda(str, name="echo"), RunnableLambda(refuse, name="refuse")):
            config: Any = tracing.run_config(uuid7())
            with suppress(LookupError):
                step.invoke("Reita Mihon", config)
    sent = b"".join(bodies)
    assert b"echo" in sent
    assert b"LookupError" in sent
    assert b"Mihon" not in sent
