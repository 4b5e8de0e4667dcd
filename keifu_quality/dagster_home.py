"""Where Dagster keeps what is not in PostgreSQL, and which storage it uses.

Belongs here: preparing DAGSTER_HOME and the variables that dagster.yaml reads. Imports no Dagster.
"""

import os
import shutil
from pathlib import Path

from keifu_quality.db.engine import dagster_url
from keifu_quality.settings import Settings

_PACKAGE = Path(__file__).parent


def prepare_dagster_home(settings: Settings) -> dict[str, str]:
    """The environment of a Dagster process: DAGSTER_HOME and DAGSTER_PG_URL.

    DAGSTER_HOME stays as the environment has it; unset, it is KEIFU_HOME/dagster with this project's dagster.yaml.
    """
    environment = {"DAGSTER_PG_URL": dagster_url(settings), "KEIFU_HOME": str(settings.home)}
    if "DAGSTER_HOME" not in os.environ:
        home = settings.home / "dagster"
        home.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(deployment_file("dagster.yaml"), home / "dagster.yaml")
        environment["DAGSTER_HOME"] = str(home)
    return environment


def workspace_file() -> Path:
    """The workspace of this project."""
    return deployment_file("workspace.yaml")


def deployment_file(name: str) -> Path:
    """A file of the top level: beside the packages in a checkout, inside the package once installed."""
    beside = _PACKAGE.parent / name
    return beside if beside.is_file() else _PACKAGE / "deployment" / name
