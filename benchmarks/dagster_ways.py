"""The roster through Dagster, as it is operated: web server, daemon, run queue, a process a run.

Belongs here: `keifu ui` for as long as something is measured, and the two ways that need it. Stays out: the roster and
the other ways (`benchmarks.roster`). The time of a run counts from the request, so that the queue, the start of its
process and its imports are part of it.
"""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
from dagster import DagsterRunStatus
from dagster_graphql import DagsterGraphQLClient

from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.dsn import parse_dsn

HOST = "127.0.0.1"
READY_SECONDS = 300
PAGE_SECONDS = 10
DONE_SECONDS = 3_600
"""How long anything may take before the benchmark gives up."""
POLL_SECONDS = 0.5
ENDED_BADLY = (DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED)

# Audit rows of people make them touched, whatever races the roster has; nothing of the archive's facts changes.
_BATCH = """
INSERT INTO "ImportBatch" (id, key, type, status, payload, "startedAt", "completedAt", "createdAt", "updatedAt")
VALUES (%(id)s, %(id)s, 'race', 'completed', '{"entries": []}', now() AT TIME ZONE 'UTC' - interval '2 s',
    now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC')
"""
_AUDIT = """
INSERT INTO "AuditLog" (id, "entityType", "entityId", action, "reasonType", "actorType", "batchId", "createdAt")
SELECT %(id)s || ':' || person_id, 'Person', person_id, 'update', 'import', 'import_script', %(id)s,
    now() AT TIME ZONE 'UTC' - interval '1 s'
FROM unnest(%(people)s::text[]) person_id
"""
_SETTLED = """
SELECT count(p.outcome), extract(epoch FROM min(e.requested_at))
FROM import_events e
JOIN import_event_people p ON p.event_key = e.event_key
WHERE e.batch_id = %(id)s
"""


@dataclass(frozen=True, slots=True)
class DagsterInstance:
    """A running `keifu ui` with its databases."""

    process: subprocess.Popen[bytes]
    url: str
    client: DagsterGraphQLClient
    urls: DatabaseUrls
    log: Path

    def sweep(self, shards: int) -> float:
        """Seconds from the request of a full sweep in so many runs until the last of them succeeded."""
        started = time.perf_counter()
        run_ids = [
            self.client.submit_job_execution(
                "sweep_roster",
                run_config={"ops": {"sweep_roster_op": {"config": {"shard": shard, "shards": shards, "full": True}}}},
            )
            for shard in range(shards)
        ]
        self._wait_until(lambda: all(map(self._is_done, run_ids)), "a sweep", DONE_SECONDS)
        return time.perf_counter() - started

    def import_athletes(self, person_ids: Sequence[str]) -> tuple[float, float]:
        """Seconds from the completion of an import of these athletes until all of their results are stored, and from
        the sensor's tick until then."""
        batch = f"benchmark-{uuid4().hex}"
        with psycopg.connect(parse_dsn(self.urls.business_owner).libpq()) as archive:
            archive.execute(_AUDIT, {"id": batch, "people": list(person_ids)})
            archive.execute(_BATCH, {"id": batch})
        completed = time.time()
        with psycopg.connect(parse_dsn(self.urls.agent).libpq(), autocommit=True) as agent:

            def settled() -> bool:
                row = agent.execute(_SETTLED, {"id": batch}).fetchone()
                return row is not None and row[0] == len(person_ids)

            self._wait_until(settled, "the diagnosis of an import", DONE_SECONDS)
            ended = time.time()
            row = agent.execute(_SETTLED, {"id": batch}).fetchone()
        if row is None:
            raise RuntimeError("the event of the import is gone from the ledger")
        return ended - completed, ended - float(row[1])

    def wait_for_first_tick(self) -> None:
        """Until the sensor has taken all imports so far as known."""
        with psycopg.connect(parse_dsn(self.urls.agent).libpq(), autocommit=True) as agent:
            self._wait_until(
                lambda: agent.execute("SELECT 1 FROM import_watch").fetchone() is not None,
                "the sensor's first tick",
                READY_SECONDS,
            )

    def cpu_seconds(self) -> float:
        """Seconds of processors that the server and all below it used so far, processes that ended included; Linux
        alone tells them."""
        statistics = _processes()
        # After the command's name in parentheses: state, parent, 9 others, then own and reaped children's times.
        fields = {text.split(" ", 1)[0]: text.rsplit(")", 1)[1].split() for text in statistics}
        ours = {str(self.process.pid)}
        while more := {pid for pid, rest in fields.items() if rest[1] in ours} - ours:
            ours |= more
        ticks = sum(int(tick) for pid in ours if pid in fields for tick in fields[pid][11:15])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _is_done(self, run_id: str) -> bool:
        status = self.client.get_run_status(run_id)
        if status in ENDED_BADLY:
            raise RuntimeError(
                f"the run {run_id} ended as {status.value}; the server's last lines:\n{self._last_lines()}"
            )
        return status is DagsterRunStatus.SUCCESS

    def _wait_until(self, done: Callable[[], bool], what: str, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"{what} did not end; the server's last lines:\n{self._last_lines()}")
            time.sleep(POLL_SECONDS)

    def _last_lines(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])


@contextmanager
def running_dagster(urls: DatabaseUrls, home: Path) -> Iterator[DagsterInstance]:
    """`keifu ui` over the databases that the environment names, once its sensor has seen the imports there are."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    log = home / "dagster.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "keifu_quality.cli.main", "ui", "--port", str(port)],
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://{HOST}:{port}"
        _wait_for_page(process, f"{url}/server_info", log)
        instance = DagsterInstance(process, url, DagsterGraphQLClient(HOST, port_number=port), urls, log)
        instance.wait_for_first_tick()
        yield instance
    finally:
        process.terminate()
        process.wait()


def _wait_for_page(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while True:
        with suppress(OSError), urllib.request.urlopen(url, timeout=PAGE_SECONDS):  # noqa: S310 the address is ours
            return
        if time.monotonic() > deadline or process.poll() is not None:
            raise RuntimeError(f"keifu ui did not answer:\n{log.read_text(errors='replace')[-4_000:]}")
        time.sleep(POLL_SECONDS)


def _processes() -> list[str]:
    """What Linux tells of each process; those that end in the meantime are left out."""
    told: list[str] = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            told.append(path.read_text())
    return told
