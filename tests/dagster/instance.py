"""A real Dagster instance on PostgreSQL, set up by the project's own dagster.yaml."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from sqlalchemy import create_engine, text

from keifu_quality.dagster_home import deployment_file
from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.settings import Settings, load_settings
from tests.conftest import OWN_VARIABLES


@contextmanager
def postgres_instance(home: Path) -> Iterator[dg.DagsterInstance]:
    """The instance whose storage DAGSTER_PG_URL names, with its home in the given directory."""
    home.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(deployment_file("dagster.yaml"), home / "dagster.yaml")
    os.environ["DAGSTER_PG_URL"] = os.environ["DAGSTER_PG_URL"].replace("postgresql+psycopg:", "postgresql+psycopg2:")
    with dg.DagsterInstance.from_config(str(home)) as instance:
        yield instance


@dataclass(frozen=True)
class Deployment:
    """The product on databases of its own, as a module of tests shares it; the environment names them."""

    instance: dg.DagsterInstance
    settings: Settings
    databases: DatabaseUrls

    def run_job(self, definitions: dg.Definitions, request: dg.RunRequest) -> dg.ExecuteInProcessResult:
        """Runs what a schedule or sensor asked for, as its daemon would."""
        job = definitions.resolve_job_def(request.job_name or "")
        return job.execute_in_process(
            run_config=request.run_config, instance=self.instance, tags=dict(request.tags), raise_on_error=False
        )

    def marked_by(self, result: dg.ExecuteInProcessResult) -> set[str | None]:
        """The partitions that a run marked as materialized, whatever its end."""
        logged = self.instance.all_logs(result.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)
        return {entry.dagster_event.partition for entry in logged if entry.dagster_event is not None}

    def checks_of(self, result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetCheckEvaluation]:
        """The evaluations that a run logged, by the check's name, whatever its end."""
        logged = self.instance.all_logs(result.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
        events = [
            entry.dagster_event.asset_check_evaluation_data for entry in logged if entry.dagster_event is not None
        ]
        return {event.check_name: event for event in events}

    def agent(self, statement: str, **parameters: Any) -> list[Any]:
        """Rows of the agent database; a statement that gives none is a change."""
        return _rows(self.databases.agent, statement, parameters)

    def archive(self, statement: str, **parameters: Any) -> list[Any]:
        """Rows of the archive, by its owner; a statement that gives none is a change."""
        return _rows(self.databases.business_owner, statement, parameters)


@contextmanager
def deployment(databases: DatabaseUrls, home: Path, **variables: str) -> Iterator[Deployment]:
    """The product over these databases, with nothing but these variables of its own in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(OWN_VARIABLES)]:
            patch.delenv(name)
        patch.setenv("TASUKI_KEIFU_BUSINESS_DATABASE_URL", databases.business)
        patch.setenv("TASUKI_KEIFU_AGENT_DATABASE_URL", databases.agent)
        patch.setenv("DAGSTER_PG_URL", databases.dagster)
        patch.setenv("KEIFU_HOME", str(home / "keifu"))
        for name, value in variables.items():
            patch.setenv(name, value)
        with postgres_instance(home / "dagster") as instance:
            yield Deployment(instance, load_settings(), databases)


def _rows(url: str, statement: str, parameters: dict[str, Any]) -> list[Any]:
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            result = connection.execute(text(statement), parameters)
            return list(result) if result.returns_rows else []
    finally:
        engine.dispose()
