"""Dagster's own checks of the project, as a developer gives them in a checkout: without any database."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.launches import ROOT, bare_environment

pytestmark = [pytest.mark.dagster, pytest.mark.timeout(600)]


def test_the_definitions_load_without_a_database(tmp_path: Path) -> None:
    result = subprocess.run(
        [str(Path(sys.executable).parent / "dg"), "check", "defs"],
        cwd=ROOT,
        env={**bare_environment(), "DAGSTER_HOME": str(tmp_path)},
        check=False,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert result.returncode == 0, result.stderr[-2000:]
