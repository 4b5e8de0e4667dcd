"""`keifu ui` with all its processes, which a test may kill; nothing of it is left afterwards.

Belongs here: starting and killing, asking Dagster for runs as its pages do, and holding a run in its middle. A process
belongs to a test when its environment names the test's KEIFU_HOME.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import dagster as dg
import psutil
import psycopg

from tests.dagster.instance import Deployment
from tests.ui_server import free_port

DEADLINE_SECONDS = 600
POLL_SECONDS = 0.2
LOCATION = {"repositoryLocationName": "keifu_quality", "repositoryName": "__repository__"}
LOAD_STATUS = """
{ workspaceLocationEntryOrError(name: "keifu_quality") { ... on WorkspaceLocationEntry { loadStatus } } }
"""
LAUNCH = """
mutation ($parameters: ExecutionParams!) {
  launchRun(executionParams: $parameters) {
    ... on LaunchRunSuccess { run { id } }
    ... on Error { message }
    ... on RunConfigValidationInvalid { errors { message } }
  }
}
"""
BACKFILL = """
mutation ($parameters: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $parameters) {
    ... on LaunchBackfillSuccess { backfillId }
    ... on Error { message }
  }
}
"""
TERMINATE = """
mutation ($parameters: String!) {
  terminateRun(runId: $parameters) {
    ... on TerminateRunSuccess { run { id } }
    ... on Error { message }
  }
}
"""


class Ui:
    """A running `keifu ui`."""

    def __init__(self, deployed: Deployment, directory: Path) -> None:
        self.deployed = deployed
        self.log = directory / "ui.log"
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "keifu_quality.cli.main", "ui", "--port", str(port)]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)

    def wait_until_ready(self) -> None:
        """Waits for the answers of web server and code server."""
        until(self._answers, "keifu ui did not answer", self.log)

    def processes(self, *words: str) -> list[psutil.Process]:
        """The living processes with all these words in their command line."""
        home = str(self.deployed.settings.home)
        found: list[psutil.Process] = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get("KEIFU_HOME") == home and all(w in " ".join(process.cmdline()) for w in words):
                    found.append(process)
        return found

    def kill_everything(self) -> None:
        """`kill -9` of every process, run workers included."""
        while living := self.processes():
            for process in living:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            self.process.wait()

    def launch(self, job: str, config: Mapping[str, Any] | None = None) -> str:
        """Launches a run of a job and gives its id."""
        selector = {**LOCATION, "jobName": job}
        answer = self._ask(LAUNCH, {"selector": selector, "runConfigData": json.dumps(config or {})})
        return str(answer["launchRun"]["run"]["id"])

    def diagnose(self, slug: str) -> str:
        """Launches a run of one partition and gives its id."""
        selector = {**LOCATION, "jobName": "__ASSET_JOB", "assetSelection": [{"path": ["person_diagnosis"]}]}
        metadata = {"tags": [{"key": "dagster/partition", "value": slug}]}
        answer = self._ask(LAUNCH, {"selector": selector, "executionMetadata": metadata})
        return str(answer["launchRun"]["run"]["id"])

    def backfill(self, slugs: Sequence[str]) -> str:
        """Asks for a backfill of these partitions and gives its id."""
        answer = self._ask(BACKFILL, {"assetSelection": [{"path": ["person_diagnosis"]}], "partitionNames": [*slugs]})
        return str(answer["launchPartitionBackfill"]["backfillId"])

    def terminate(self, run_id: str) -> None:
        """Stops a run as its page does."""
        answer = self._ask(TERMINATE, run_id)
        assert "run" in answer["terminateRun"], answer

    def _ask(self, query: str, parameters: Mapping[str, Any] | str) -> Any:
        body = json.dumps({"query": query, "variables": {"parameters": parameters}}).encode()
        request = urllib.request.Request(  # noqa: S310 always http
            f"{self.url}/graphql", data=body, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            answer = json.load(response)
        assert "errors" not in answer, answer
        return answer["data"]

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        query = (
            '{ workspaceLocationEntryOrError(name: "keifu_quality") { ... on WorkspaceLocationEntry { loadStatus } } }'
        )
        try:
            return self._ask(query, {})["workspaceLocationEntryOrError"].get("loadStatus") == "LOADED"
        except OSError:
            return False


@contextmanager
def faulty_ui(deployed: Deployment, directory: Path) -> Iterator[Callable[[], Ui]]:
    """A function that starts `keifu ui`. Whatever is left is killed at the end."""
    started: list[Ui] = []

    def start() -> Ui:
        started.append(Ui(deployed, directory))
        return started[-1]

    try:
        yield start
    finally:
        for ui in started:
            ui.kill_everything()


@contextmanager
def held(deployed: Deployment, table: str = "diagnosis_results") -> Iterator[Callable[[], bool]]:
    """Keeps every run in its middle that wants to write to a table; the function tells whether one waits.

    Give the processes a KEIFU_LOCK_TIMEOUT_MS that outlasts the test.
    """
    url = deployed.databases.agent.replace("+psycopg", "")
    waiting = "SELECT count(*) FROM pg_locks WHERE relation = %s::regclass AND NOT granted"

    def is_waited_for() -> bool:
        with psycopg.connect(url) as connection:
            return connection.execute(waiting, (table,)).fetchone() != (0,)

    with psycopg.connect(url) as holder:
        holder.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE".encode())
        yield is_waited_for


def worker_of(deployed: Deployment, run_id: str) -> int:
    """The process id of a run, as the run itself reported it."""
    for entry in deployed.instance.all_logs(run_id, of_type=dg.DagsterEventType.ENGINE_EVENT):
        pid = entry.dagster_event.engine_event_data.metadata.get("pid") if entry.dagster_event else None
        if pid is not None:
            return int(str(pid.value))
    raise AssertionError(f"run {run_id} has no process")


def kill(*pids: int) -> None:
    """`kill -9`."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def why_failed(deployed: Deployment, run_id: str) -> str:
    """What a failed run tells a maintainer: the messages of its engine events and of its failure."""
    kinds = {dg.DagsterEventType.ENGINE_EVENT, dg.DagsterEventType.RUN_FAILURE}
    entries = deployed.instance.all_logs(run_id, of_type=kinds)
    return "\n".join(str(entry.dagster_event.message) for entry in entries if entry.dagster_event)


def runs_by_status(deployed: Deployment, job: str) -> Mapping[dg.DagsterRunStatus, list[str]]:
    """The runs of a job."""
    found: dict[dg.DagsterRunStatus, list[str]] = {}
    for run in deployed.instance.get_runs(dg.RunsFilter(job_name=job)):
        found.setdefault(run.status, []).append(run.run_id)
    return found


def status_of(deployed: Deployment, run_id: str) -> dg.DagsterRunStatus:
    """The status of a run."""
    run = deployed.instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


def until(done: Callable[[], bool], complaint: str, log: Path | None = None) -> None:
    """Waits for a condition. Fails with the complaint and the end of the log when it does not come."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not done():
        if time.monotonic() > deadline:
            raise AssertionError(f"{complaint}\n{log.read_text()[-8000:] if log else ''}")
        time.sleep(POLL_SECONDS)
