"""`kill -9` of `keifu diagnose`: the run counts as failed, with why, and can be gone on with."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from keifu_quality.app import open_agent
from keifu_quality.diagnosis import SystemClock
from keifu_quality.lost_runs import settle_lost_runs
from keifu_quality.sample.demo import DEMO_CLEAN_SLUG, DEMO_FAULTY_SLUG
from keifu_quality.settings import Settings

pytestmark = pytest.mark.postgres

DEADLINE_SECONDS = 120
WAITING = "SELECT 1 FROM pg_locks WHERE relation = 'agent_events'::regclass AND NOT granted"


@pytest.fixture
def agent(sample_settings: Settings) -> Iterator[psycopg.Connection]:
    dsn = sample_settings.agent_dsn()
    assert dsn is not None
    with psycopg.connect(dsn.libpq(), autocommit=True) as connection:
        yield connection


def keifu(*arguments: str) -> Any:
    """What a command that succeeds prints as JSON."""
    command = [sys.executable, "-m", "keifu_quality.cli.main", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@contextmanager
def diagnosis_in_its_middle(agent: psycopg.Connection, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`keifu diagnose` that waits to write its first event."""
    command = [sys.executable, "-m", "keifu_quality.cli.main", "diagnose", "--person-slug", DEMO_FAULTY_SLUG]
    with agent.transaction(), log.open("wb") as output:
        agent.execute("LOCK TABLE agent_events IN EXCLUSIVE MODE")
        process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            deadline = time.monotonic() + DEADLINE_SECONDS
            while agent.execute(WAITING).fetchone() is None:
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.05)
            yield process
        finally:
            process.kill()
            process.wait()


def first_run(agent: psycopg.Connection) -> Any:
    return agent.execute("SELECT status, error_code FROM agent_runs ORDER BY id LIMIT 1").fetchone()


@pytest.mark.parametrize("next_command", [("diagnose", "--person-slug", DEMO_CLEAN_SLUG), ("sweep", "--limit", "1")])
def test_the_next_command_settles_a_run_whose_process_was_killed(
    agent: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, next_command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("KEIFU_LOCK_TIMEOUT_MS", "600000")
    with diagnosis_in_its_middle(agent, tmp_path / "diagnose.log") as process:
        process.kill()
        process.wait()
    assert first_run(agent) == ("running", None)
    agent.execute("UPDATE agent_runs SET started_at = started_at - interval '10 minutes'")
    keifu(*next_command)
    (run_id, message) = agent.execute(
        "SELECT run_id, error_message FROM agent_runs WHERE status = 'failed' AND error_code = 'run_lost'"
    ).fetchone() or ("", "")
    assert f"keifu resume {run_id}" in message
    assert keifu("resume", run_id)["status"] == "completed"
    assert first_run(agent) == ("completed", None)
    assert agent.execute("SELECT count(*) FROM diagnosis_results WHERE run_id = %s", (run_id,)).fetchone() == (1,)


def test_a_run_at_work_is_left_alone(
    sample_settings: Settings, agent: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEIFU_LOCK_TIMEOUT_MS", "600000")
    with psycopg.connect(agent.info.dsn, autocommit=True) as other, diagnosis_in_its_middle(agent, tmp_path / "log"):
        other.execute("UPDATE agent_runs SET started_at = started_at - interval '10 minutes'")
        with open_agent(sample_settings) as engine:
            assert settle_lost_runs(sample_settings, engine, clock=SystemClock()) == []
        assert first_run(other) == ("running", None)
