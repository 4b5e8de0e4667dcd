"""Hosts that share nothing but the databases: each a process with a KEIFU_HOME of its own, as on two machines."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

import psycopg
import pytest

from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.sample.load import load_roster
from keifu_quality.sample.roster import generate
from tests.conftest import OWN_VARIABLES

pytestmark = pytest.mark.postgres

ROSTER_SIZE = 600
CHUNK_SIZE = 30

# Says that it is ready, waits for a word, then tells of each chunk that it has stored itself.
HOST = f"""
import json, sys
from keifu_quality.logs import configure_logs
from keifu_quality.settings import load_settings
from keifu_quality.sweep import SweepRequest, sweep_roster

request = SweepRequest(workers=1, chunk_size={CHUNK_SIZE}, shard=int(sys.argv[1]), shards=int(sys.argv[2]))
settings = load_settings()
configure_logs(settings)
print(json.dumps("ready"), flush=True)
sys.stdin.readline()
sweep_roster(
    settings, request, chunk_done=lambda _, runs: print(json.dumps([run.asked_id for run in runs]), flush=True)
)
"""


@dataclass(frozen=True)
class Host:
    """One machine's process under way."""

    process: subprocess.Popen[str]

    def begin(self) -> None:
        _stream(self.process.stdin).write("go\n")
        _stream(self.process.stdin).flush()

    def read(self) -> Any:
        """The next word of the process; raises where it ends instead."""
        return json.loads(_stream(self.process.stdout).readline())

    def chunks(self) -> list[list[str]]:
        """The athletes of the chunks that are not read yet, at the end of the process, which must be a success."""
        found = [json.loads(line) for line in _stream(self.process.stdout)]
        assert self.process.wait() == 0
        return found


@pytest.fixture(scope="module")
def archive(new_databases: Any) -> DatabaseUrls:
    databases = new_databases()
    load_roster(generate(ROSTER_SIZE), databases.business_owner)
    return databases


@pytest.fixture
def agent(databases: DatabaseUrls) -> Iterator[psycopg.Connection]:
    with psycopg.connect(databases.agent.replace("+psycopg", ""), autocommit=True) as connection:
        yield connection


@contextmanager
def hosts(home: Path, archive: DatabaseUrls, agent: str, *shards: tuple[int, int]) -> Iterator[list[Host]]:
    """A host for each (shard, shards), all of them ready to begin."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith(OWN_VARIABLES)}
    with ExitStack() as stack:
        started: list[Host] = []
        for number, (shard, of) in enumerate(shards):
            environment = {
                **bare,
                "KEIFU_HOME": str(home / f"host-{number}"),
                "TASUKI_KEIFU_BUSINESS_DATABASE_URL": archive.business,
                "TASUKI_KEIFU_AGENT_DATABASE_URL": agent,
            }
            process = subprocess.Popen(
                [sys.executable, "-c", HOST, str(shard), str(of)],
                env=environment,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            started.append(Host(process))
        for host in started:
            assert host.read() == "ready"
        yield started


def assert_each_once(agent: psycopg.Connection) -> None:
    runs = agent.execute("SELECT count(*), count(DISTINCT person_id) FROM agent_runs").fetchone()
    results = agent.execute("SELECT count(*), count(DISTINCT person_id) FROM diagnosis_results").fetchone()
    assert runs == results == (ROSTER_SIZE, ROSTER_SIZE)
    assert agent.execute("SELECT count(*) FROM sweeps WHERE ended_at IS NULL").fetchone() == (0,)
    deadlocks = agent.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").fetchone()
    assert deadlocks == (0,)


@pytest.mark.parametrize("shards", [((0, 1), (0, 1)), ((0, 2), (1, 2))], ids=["one plan", "a shard each"])
def test_two_hosts_diagnose_everybody_once(
    shards: tuple[tuple[int, int], ...],
    archive: DatabaseUrls,
    databases: DatabaseUrls,
    agent: psycopg.Connection,
    tmp_path: Path,
) -> None:
    with hosts(tmp_path, archive, databases.agent, *shards) as working:
        for host in working:
            host.begin()
        first, second = (list(chain.from_iterable(host.chunks())) for host in working)
    assert first
    assert second
    assert len({*first, *second}) == len(first) + len(second) == ROSTER_SIZE
    assert_each_once(agent)


def test_a_host_that_dies_leaves_its_work_to_the_other(
    archive: DatabaseUrls, databases: DatabaseUrls, agent: psycopg.Connection, tmp_path: Path
) -> None:
    with hosts(tmp_path, archive, databases.agent, (0, 1), (0, 1)) as (dying, surviving):
        dying.begin()
        dying.read()
        surviving.begin()
        surviving.read()
        dying.process.kill()
        surviving.chunks()
    assert_each_once(agent)


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
