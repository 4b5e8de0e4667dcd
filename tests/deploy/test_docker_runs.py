"""A run as DockerRunLauncher starts it: what the container is, and that what it is given is enough for a sweep."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import psycopg
import pytest
import yaml

from keifu_quality.settings import Settings
from tests.deploy.launches import IMAGE, ROOT, Request, engine, launch
from tests.sample_fixtures import SAMPLE_SIZE

pytestmark = [pytest.mark.dagster, pytest.mark.postgres, pytest.mark.timeout(600)]

CONTAINER = "a1b2c3"


def docker_api(request: Request) -> Any:
    """As much of Docker's HTTP API as it takes to start a container."""
    if request.path.endswith("/version"):
        return {"ApiVersion": "1.47", "Version": "27.0.0"}
    if request.path.endswith("/json"):
        return {"Id": CONTAINER, "State": {"Status": "running"}, "Name": "/run"}
    return {"Id": CONTAINER}


def test_a_container_has_all_that_a_sweep_needs(sample_settings: Settings, tmp_path: Path) -> None:
    instance = yaml.safe_load((ROOT / "deploy/docker/dagster.yaml").read_text(encoding="utf-8"))
    names = instance["run_launcher"]["config"]["env_vars"]
    # Compose sets what its user left away to an empty text.
    given = {name: os.environ.get(name, "") for name in names}
    storage = given["DAGSTER_PG_URL"].replace("postgresql+psycopg:", "postgresql+psycopg2:")
    given |= {"DAGSTER_HOME": str(tmp_path / "dagster"), "DAGSTER_PG_URL": storage}
    with engine(docker_api) as docker:
        launch(
            "sweep_roster", tmp_path / "dagster", instance, {**given, "DOCKER_HOST": f"tcp://127.0.0.1:{docker.port}"}
        )
        container = docker.posted("/containers/create")
        docker.posted(f"/containers/{CONTAINER}/start")

    assert container["Image"] == IMAGE
    host = container["HostConfig"]
    assert host["NetworkMode"] == "keifu-quality"
    assert host["Memory"] == 2**30
    assert host["CapDrop"] == ["ALL"]
    assert not host.get("Binds")

    inside = dict(entry.split("=", 1) for entry in container["Env"])
    assert set(inside) == {*names, "DAGSTER_RUN_JOB_NAME"}
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(
        container["Cmd"],
        cwd=tmp_path,
        env={"PATH": programs, "KEIFU_HOME": str(tmp_path / "container"), **inside},
        check=True,
        capture_output=True,
        timeout=240,
    )
    assert sample_settings.agent_database_url is not None
    with psycopg.connect(sample_settings.agent_database_url.get_secret_value().replace("+psycopg", "")) as agent:
        counted = agent.execute("SELECT count(*), count(DISTINCT person_id) FROM agent_runs").fetchone()
    assert counted == (SAMPLE_SIZE, SAMPLE_SIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_PG_URL", storage)
        with dg.DagsterInstance.from_config(str(tmp_path / "dagster")) as dagster:
            (run,) = dagster.get_runs()
    assert run.status is dg.DagsterRunStatus.SUCCESS
    assert not (tmp_path / "container" / "pg").exists()
