"""Where Dagster keeps what is not in PostgreSQL, and which storage it uses.

Belongs here: preparing DAGSTER_HOME and the variables that dagster.yaml reads. Imports no Dagster.
"""

import os
import shutil
from pathlib import Path

from keifu_quality.db.engine import dagster_url
from keifu_quality.errors import SettingsError
from keifu_quality.settings import Settings

_PACKAGE = Path(__file__).parent


def prepare_dagster_home(settings: Settings) -> dict[str, str]:
    """The environment of a Dagster process: DAGSTER_HOME, DAGSTER_PG_URL and an absolute KEIFU_HOME.

    DAGSTER_HOME stays as the environment has it; unset or empty, it is KEIFU_HOME/dagster with this project's
    dagster.yaml. Raises SettingsError when the environment's is no absolute path of a directory.
    """
    given = os.environ.get("DAGSTER_HOME")
    if given and not (Path(given).is_absolute() and Path(given).is_dir()):
        raise SettingsError(
            "DAGSTER_HOME is not the absolute path of a directory that exists. Create the directory and put this "
            "project's dagster.yaml in it, or unset the variable."
        )
    home = Path(given) if given else settings.home / "dagster"
    if not given:
        home.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(deployment_file("dagster.yaml"), home / "dagster.yaml")
    return {"DAGSTER_PG_URL": dagster_url(settings), "KEIFU_HOME": str(settings.home), "DAGSTER_HOME": str(home)}


def workspace_file() -> Path:
    """The workspace of this project."""
    return deployment_file("workspace.yaml")


def deployment_file(name: str) -> Path:
    """A file of the top level: beside the packages in a checkout, inside the package once installed."""
    beside = _PACKAGE.parent / name
    return beside if beside.is_file() else _PACKAGE / "deployment" / name
