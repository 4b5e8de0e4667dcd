"""What the built distribution and the image hold."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import yaml

from keifu_quality.dagster_home import deployment_file

ROOT = Path(__file__).parents[1]


def test_the_wheel_holds_everything_that_is_read_at_run_time(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "keifu_quality/db/business_schema.sql",
        "keifu_quality/deployment/dagster.yaml",
        "keifu_quality/deployment/workspace.yaml",
        "graphs/contracts.py",
    } <= names
    assert any(name.startswith("keifu_quality/db/migrations/versions/") for name in names)
    assert not any(name.startswith("tests/") for name in names)


def test_the_image_copies_only_what_exists() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copies = re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, flags=re.MULTILINE)
    sources = [source for line in copies for source in line.split()]
    assert sources
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_the_image_and_the_packages_agree_on_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11,<3.14"
    assert "FROM python:3.11" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_workspace_names_the_location() -> None:
    workspace = yaml.safe_load(deployment_file("workspace.yaml").read_text(encoding="utf-8"))
    module = workspace["load_from"][0]["python_module"]
    assert module == {"module_name": "keifu_quality.definitions", "location_name": "keifu_quality"}


def test_the_lock_has_hashes_and_names_no_index() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = re.findall(r"^[a-z0-9\[\],.-]+==", lock, flags=re.MULTILINE)
    assert len(pinned) > 50
    assert lock.count("--hash=sha256:") >= len(pinned)
    assert "://" not in lock
    assert "--index-url" not in lock


def test_the_lock_holds_the_run_launchers() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    launchers = project["optional-dependencies"]["deploy"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert [pin for pin in launchers if f"\n{pin} \\\n" not in lock] == []
    # Of the same release as dagster-postgres, which dagster pins to its own.
    assert {pin.partition("==")[2] for pin in launchers} == {"0.29.27"}
