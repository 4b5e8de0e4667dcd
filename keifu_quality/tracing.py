"""LangSmith traces: on when LANGSMITH_TRACING and a key are set, never a dependency.

Belongs here: the client, the callbacks of a run, the end of a process. Inputs, outputs and the texts of errors are
hidden, since they hold personal data. With the endpoint down nothing fails, and closing gives up after a few seconds.
"""

import logging
import re
from types import TracebackType
from typing import Any, Self
from uuid import UUID

from keifu_quality.settings import Settings

CONNECT_TIMEOUT_MS = 500
READ_TIMEOUT_MS = 2_000
CLOSE_SECONDS = 3.0
"""How long a closing process waits for traces to leave; a short process must end within five seconds."""


class Tracing:
    """Traces of the runs of one process. Without configuration it does nothing and loads nothing."""

    def __init__(self, settings: Settings) -> None:
        self._project = settings.langsmith_project
        self._client: Any = None
        if settings.langsmith_tracing and settings.langsmith_api_key is not None:
            from langsmith import Client  # noqa: PLC0415 costs start-up time that untraced runs need not pay
            from urllib3 import Retry  # noqa: PLC0415

            # The library reports every failed upload at warning level; one line a run says nothing that helps.
            logging.getLogger("langsmith.client").setLevel(logging.ERROR)
            self._client = Client(
                api_url=settings.langsmith_endpoint,
                api_key=settings.langsmith_api_key.get_secret_value(),
                hide_inputs=True,
                hide_outputs=True,
                anonymizer=_without_error_text,
                timeout_ms=(CONNECT_TIMEOUT_MS, READ_TIMEOUT_MS),
                retry_config=Retry(total=0),
                info={},
            )

    @property
    def enabled(self) -> bool:
        """Whether runs are traced."""
        return self._client is not None

    def run_config(self, trace_id: UUID) -> dict[str, Any]:
        """The part of a LangGraph config that traces a run under the given id; empty when nothing is traced."""
        if self._client is None:
            return {}
        from langchain_core.tracers.langchain import LangChainTracer  # noqa: PLC0415

        return {
            "run_id": trace_id,
            "callbacks": [LangChainTracer(client=self._client, project_name=self._project)],
        }

    def close(self) -> None:
        """Lets pending traces leave, for at most a few seconds."""
        if self._client is not None:
            self._client.flush(timeout=CLOSE_SECONDS)
            self._client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _without_error_text(data: dict[str, Any]) -> dict[str, Any]:
    # The library passes errors and metadata through here. An error begins with its class; a question to a person is
    # one too, with all candidates in its text.
    error = data.get("error")
    return {**data, "error": re.split(r"\W", error, maxsplit=1)[0]} if isinstance(error, str) else data


def current_span_id() -> str | None:
    """The id of the span that the caller runs in, when it is traced."""
    from langsmith.run_helpers import get_current_run_tree  # noqa: PLC0415

    tree = get_current_run_tree()
    return str(tree.id) if tree is not None else None
