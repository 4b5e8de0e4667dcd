"""A PostgreSQL server that goes away while a roster is swept, and comes back: the sweep goes on by itself.

The tests share a server of their own, which they stop and start; each begins with an agent database without runs.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psutil import Process

from keifu_quality.db import migrate
from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer
from keifu_quality.db.sweeps import PLANNING_LOCK
from keifu_quality.sample.load import load_roster
from keifu_quality.sample.roster import generate
from tests.conftest import OWN_VARIABLES, settings_for
from tests.own_server import own_server

pytestmark = pytest.mark.postgres

ATHLETES = 60
CHUNK = 3
DEADLINE_SECONDS = 120

EMPTY_EVERYTHING = """
DO $$ DECLARE tables text; BEGIN
    SELECT string_agg(format('%I', tablename), ', ') INTO tables
    FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version';
    EXECUTE 'TRUNCATE ' || tables;
END $$
"""


@dataclass
class Server:
    """A server that a test may end in any way, with the databases on it."""

    embedded: EmbeddedServer
    urls: DatabaseUrls

    def end(self, how: signal.Signals) -> None:
        """Ends the server: SIGINT is what `pg_ctl stop -m fast` sends, SIGQUIT what `-m immediate` does."""
        pid = self.embedded.status().pid
        assert pid is not None
        os.kill(pid, how)
        until(lambda: not Path(f"/proc/{pid}").exists(), "the server did not end")

    def connect(self) -> psycopg.Connection:
        """The agent database."""
        return psycopg.connect(self.urls.agent.replace("+psycopg", ""), autocommit=True)

    def rows(self, statement: str) -> list[Any]:
        with self.connect() as connection:
            return connection.execute(statement.encode()).fetchall()


@dataclass
class Sweep:
    """`keifu sweep` in processes of its own."""

    process: subprocess.Popen[bytes]
    log: Path

    def is_at_work(self) -> bool:
        return self.process.poll() is None

    def workers(self) -> list[Process]:
        """The processes that diagnose."""
        return [child for child in Process(self.process.pid).children() if "spawn_main" in " ".join(child.cmdline())]

    def require_success(self) -> None:
        assert self.process.wait(DEADLINE_SECONDS) == 0, self.log.read_text()


@pytest.fixture(scope="module")
def prepared() -> Iterator[Server]:
    with own_server("keifu-test-restart-") as (embedded, directory):
        urls = embedded.urls()
        migrate.upgrade(settings_for(urls, directory / "keifu"))
        load_roster(generate(ATHLETES), urls.business_owner)
        yield Server(embedded, urls)


@pytest.fixture
def server(prepared: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    for name in [name for name in os.environ if name.startswith(OWN_VARIABLES)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TASUKI_KEIFU_BUSINESS_DATABASE_URL", prepared.urls.business)
    monkeypatch.setenv("TASUKI_KEIFU_AGENT_DATABASE_URL", prepared.urls.agent)
    monkeypatch.setenv("KEIFU_HOME", str(tmp_path / "keifu"))
    prepared.embedded.start()
    with prepared.connect() as connection:
        connection.execute(EMPTY_EVERYTHING)
    return prepared


@pytest.fixture
def start_sweep(server: Server, tmp_path: Path) -> Iterator[Callable[[], Sweep]]:
    del server
    log = tmp_path / "sweep.log"
    started: list[subprocess.Popen[bytes]] = []
    command = [sys.executable, "-m", "keifu_quality.cli.main", "sweep", "--chunk", str(CHUNK), "--workers", "2"]

    def start() -> Sweep:
        with log.open("wb") as output:
            started.append(subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True))
        return Sweep(started[-1], log)

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until(done: Callable[[], bool], complaint: str) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not done():
        assert time.monotonic() < deadline, complaint
        time.sleep(0.02)


def assert_everybody_once(server: Server) -> None:
    assert server.rows("SELECT status, outcome, count(*), count(DISTINCT person_id) FROM agent_runs GROUP BY 1, 2") == [
        ("completed", "completed", ATHLETES, ATHLETES)
    ]
    assert server.rows("SELECT count(*), count(DISTINCT person_id) FROM diagnosis_results") == [(ATHLETES, ATHLETES)]
    assert server.rows("SELECT count(*) FROM athlete_index WHERE last_run_id IS NULL") == [(0,)]
    assert server.rows("SELECT due_count, unchanged_count, ended_at IS NOT NULL FROM sweeps") == [(ATHLETES, 0, True)]
    counted = "SELECT sum(diagnosed_count), sum(failed_count) FROM sweep_chunks WHERE ended_at IS NOT NULL"
    assert server.rows(counted) == [(ATHLETES, 0)]


def restart_in_mid_sweep(server: Server, sweep: Sweep, how: signal.Signals) -> None:
    until(lambda: bool(server.rows("SELECT 1 FROM diagnosis_results LIMIT 1")), "the sweep stored nothing")
    server.end(how)
    assert sweep.is_at_work()
    server.embedded.start()
    stored = server.rows("SELECT count(*) FROM diagnosis_results")[0][0]
    assert 0 < stored < ATHLETES


def test_a_sweep_goes_on_after_an_immediate_stop_and_one_while_it_is_planned(
    server: Server, start_sweep: Callable[[], Sweep]
) -> None:
    waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with server.connect() as other:
        other.execute("SELECT pg_advisory_lock(%s)", (PLANNING_LOCK,))
        sweep = start_sweep()
        until(lambda: bool(server.rows(waiting)), "the sweep did not come to its plan")
        server.end(signal.SIGINT)
    assert sweep.is_at_work()
    server.embedded.start()
    restart_in_mid_sweep(server, sweep, signal.SIGQUIT)
    sweep.require_success()
    assert_everybody_once(server)


def test_a_sweep_goes_on_after_a_fast_stop_and_one_while_its_workers_start(
    server: Server, start_sweep: Callable[[], Sweep]
) -> None:
    sweep = start_sweep()
    until(lambda: len(sweep.workers()) == 2, "the sweep started no workers")
    server.end(signal.SIGINT)
    until(
        lambda: not sweep.is_at_work() or sweep.log.read_text().count("sweep_disturbed") > 1,
        "the workers did not say that they wait",
    )
    assert sweep.is_at_work(), sweep.log.read_text()
    server.embedded.start()
    restart_in_mid_sweep(server, sweep, signal.SIGINT)
    sweep.require_success()
    assert_everybody_once(server)
