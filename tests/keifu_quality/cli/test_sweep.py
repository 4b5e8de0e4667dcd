"""`keifu sweep` as scripts see it: counts, exit codes, usage."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from keifu_quality.cli.main import app
from keifu_quality.settings import Settings
from tests.sample_fixtures import SAMPLE_SIZE

pytestmark = pytest.mark.postgres


def sweep(*options: str) -> Any:
    return CliRunner().invoke(app, ["sweep", "--workers", "1", *options])


def test_counts_as_json(sample_settings: Settings) -> None:
    done = sweep("--json")
    assert done.exit_code == 0, done.output
    first = json.loads(done.stdout)
    assert (first["diagnosed"], first["failed"], first["unchanged"]) == (SAMPLE_SIZE, 0, 0)
    assert first["findings"]["error"] > 0
    second = json.loads(sweep("--json").stdout)
    assert (second["diagnosed"], second["unchanged"]) == (0, SAMPLE_SIZE)


def test_a_limit_for_people(sample_settings: Settings) -> None:
    done = sweep("--limit", "3", "--triggered-by", "schedule")
    assert done.exit_code == 0, done.output
    assert "3 diagnosed, 0 unchanged, 0 failed" in done.stdout


def test_an_athlete_that_failed_is_exit_code_1(sample_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    # A rule that breaks only leaves its family unevaluated; the plan comes after all of them.
    monkeypatch.setattr("graphs.person_diagnosis.nodes.plan_actions", broken)
    done = sweep("--limit", "1", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["failed"] == 1


@pytest.mark.parametrize("options", [("--shard", "2", "--shards", "2"), ("--triggered-by", "me"), ("--limit", "0")])
def test_what_cannot_be_meant_is_a_usage_error(options: tuple[str, ...], sample_settings: Settings) -> None:
    assert sweep(*options).exit_code == 2
