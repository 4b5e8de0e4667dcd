"""A real Dagster instance on PostgreSQL, set up by the project's own dagster.yaml."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from keifu_quality.dagster_home import deployment_file


@contextmanager
def postgres_instance(home: Path) -> Iterator[dg.DagsterInstance]:
    """The instance whose storage DAGSTER_PG_URL names, with its home in the given directory."""
    home.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(deployment_file("dagster.yaml"), home / "dagster.yaml")
    os.environ["DAGSTER_PG_URL"] = os.environ["DAGSTER_PG_URL"].replace("postgresql+psycopg:", "postgresql+psycopg2:")
    with dg.DagsterInstance.from_config(str(home)) as instance:
        yield instance
