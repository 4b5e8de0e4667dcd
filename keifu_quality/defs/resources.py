"""The databases and the traces as Dagster resources: thin shells, one read only and one writable.

Connection strings come from the environment only (`keifu_quality.settings`), so that no run config and no page of the
UI can show one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg
from sqlalchemy import Engine

from keifu_quality.app import Business, open_agent, open_business, open_diagnostician
from keifu_quality.diagnosis import Diagnostician
from keifu_quality.logs import configure_logs_for_dagster
from keifu_quality.settings import load_settings


class BusinessDatabase(dg.ConfigurableResource[None]):
    """The archive, read only: opening it proves that its role cannot write and checks what it must contain.

    From TASUKI_KEIFU_BUSINESS_DATABASE_URL, or the embedded server under KEIFU_HOME.
    """

    @contextmanager
    def open(self) -> Iterator[Business]:
        """The proven connection. Raises BusinessNotReadOnly, and BusinessContractBroken with every difference."""
        with open_business(load_settings()) as business:
            yield business


class AgentDatabase(dg.ConfigurableResource[None]):
    """The agent's own database, writable: runs, checkpoints, events and results.

    From TASUKI_KEIFU_AGENT_DATABASE_URL, or the embedded server under KEIFU_HOME.
    """

    @contextmanager
    def open(self) -> Iterator[Engine]:
        """An engine whose schema is up to date. Raises AgentSchemaOutdated."""
        with open_agent(load_settings()) as engine:
            yield engine


class Tracing(dg.ConfigurableResource[None]):
    """LangSmith traces, on when LANGSMITH_TRACING and LANGSMITH_API_KEY are set."""

    def trace_url(self, trace_id: str | None) -> str | None:
        """Where a trace can be looked up: KEIFU_TRACE_URL with the trace's id; None without either.

        LangSmith's addresses hold the ids of its organization and project, which only its users know.
        """
        template = load_settings().trace_url
        return template.replace("{trace_id}", trace_id) if template and trace_id else None


@contextmanager
def diagnostician(business: BusinessDatabase, agent: AgentDatabase) -> Iterator[Diagnostician]:
    """The service on top of both resources; its logs go through Dagster's logger."""
    configure_logs_for_dagster()
    with (
        business.open() as opened,
        agent.open() as engine,
        open_diagnostician(load_settings(), opened, engine) as service,
    ):
        yield service
