"""`kill -9` of all processes in mid-import, and of the daemon while runs wait: what went on after a new start.

The tests share an archive and its ledger, and go in the order written.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.execution.backfill import BulkActionStatus

from keifu_quality.app import open_agent, open_business, open_index
from keifu_quality.defs.checks import ASSET
from keifu_quality.defs.imports import import_watch
from keifu_quality.defs.partitions import synchronise
from tests.dagster.faults import (
    DEADLINE_SECONDS,
    Ui,
    faulty_ui,
    held,
    kill,
    runs_by_status,
    status_of,
    until,
    why_failed,
)
from tests.dagster.instance import Deployment, deployment
from tests.keifu_quality.db.archive import Archive
from tests.keifu_quality.imports.site import Site

pytestmark = [pytest.mark.dagster, pytest.mark.postgres, pytest.mark.timeout(1800)]

ATHLETES_BEFORE = ("asa", "ito", "ueda", "endo")
SUCCESS, FAILURE = dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("everything")


@pytest.fixture(scope="module")
def deployed(new_databases: Any, home: Path) -> Iterator[Deployment]:
    with deployment(new_databases(dagster=True), home, KEIFU_LOCK_TIMEOUT_MS="600000") as made:
        yield made


@pytest.fixture(scope="module")
def site(deployed: Deployment) -> Iterator[Site]:
    """An archive whose imports are watched, and whose athletes are known as names and partitions."""
    archive = Archive(deployed.databases.business_owner)
    made = Site(archive)
    made.prepare("r1", "r2")
    made.run("b0", "r1", ATHLETES_BEFORE, start=-20)
    with open_agent(deployed.settings) as agent, open_business(deployed.settings) as business:
        import_watch(agent, business).poll()
        index = open_index(business, agent)
        index.refresh()
        synchronise(deployed.instance, index.slugs())
    yield made
    archive.close()


@pytest.fixture(scope="module")
def start_ui(deployed: Deployment, home: Path) -> Iterator[Callable[[], Ui]]:
    with faulty_ui(deployed, home) as start:
        yield start


def import_runs(deployed: Deployment) -> list[Any]:
    """Whom runs of imports diagnosed, and how often."""
    return deployed.agent(
        "SELECT person_slug, count(*) FROM agent_runs WHERE triggered_by = 'import_sensor' GROUP BY 1 ORDER BY 1"
    )


def ledger(deployed: Deployment) -> list[Any]:
    return deployed.agent("SELECT batch_id, status FROM import_events WHERE batch_id <> 'b0' ORDER BY batch_id")


def nothing_is_under_way(deployed: Deployment) -> bool:
    return all(run.is_finished for run in deployed.instance.get_runs())


def test_an_import_goes_on_after_everything_was_killed(
    deployed: Deployment, site: Site, start_ui: Callable[[], Ui]
) -> None:
    site.run("b1", "r1", ["ito", "ueda"], start=1)
    with held(deployed) as is_waited_for:
        ui = start_ui()
        until(is_waited_for, "no import came to its results", ui.log)
        ((run_id,),) = runs_by_status(deployed, "diagnose_import").values()
        ui.kill_everything()
    assert status_of(deployed, run_id) is dg.DagsterRunStatus.STARTED
    ui = start_ui()
    until(lambda: ledger(deployed) == [("b1", "done")], "the import was not finished", ui.log)
    assert status_of(deployed, run_id) is FAILURE
    assert "is gone" in why_failed(deployed, run_id)
    until(lambda: nothing_is_under_way(deployed), "runs are left", ui.log)
    diagnosed = dict(import_runs(deployed))
    assert (diagnosed["ito"], diagnosed["ueda"], max(diagnosed.values())) == (1, 1, 1)
    ui.kill_everything()


def test_runs_go_on_after_the_daemon_was_killed(deployed: Deployment, site: Site, start_ui: Callable[[], Ui]) -> None:
    forget_the_pause(deployed)
    ui = start_ui()
    ui.wait_until_ready()
    with held(deployed) as is_waited_for:
        backfill = ui.backfill(ATHLETES_BEFORE)
        until(is_waited_for, "the backfill did not come to its results", ui.log)
        (daemon,) = ui.processes("dagster._daemon")
        kill(daemon.pid)
        queued = ui.launch("sweep_roster")
        assert status_of(deployed, queued) is dg.DagsterRunStatus.QUEUED
        assert ui.process.wait(DEADLINE_SECONDS) == 1
        assert ui.processes() == []
        site.run("b2", "r2", ["ito"], start=30)
        site.run("b3", "r2", ["kato"], start=32)
    before = dict(import_runs(deployed))
    ((restarted_at,),) = deployed.agent("SELECT now()")
    ui = start_ui()
    until(lambda: status_of(deployed, queued) is SUCCESS, "the queued run was forgotten", ui.log)
    until(lambda: ledger(deployed)[-2:] == [("b2", "done"), ("b3", "done")], "imports were not finished", ui.log)

    def backfill_is_done() -> bool:
        found = deployed.instance.get_backfill(backfill)
        return found is not None and found.status is BulkActionStatus.COMPLETED_SUCCESS

    until(backfill_is_done, "the backfill was not finished", ui.log)
    until(lambda: nothing_is_under_way(deployed), "runs are left", ui.log)
    # The sweep may have stored the same content while the import was diagnosing it: then it stands for the import's.
    added = {slug: count - before.get(slug, 0) for slug, count in import_runs(deployed)}
    assert max(added.values()) <= 1
    looked_at = "SELECT person_slug FROM agent_runs WHERE status = 'completed' AND ended_at > :restarted_at"
    assert {("ito",), ("kato",)} <= {tuple(row) for row in deployed.agent(looked_at, restarted_at=restarted_at)}
    assert set(deployed.instance.get_materialized_partitions(ASSET)) == {*ATHLETES_BEFORE, "kato"}
    assert deployed.agent("SELECT count(*) FROM agent_runs WHERE status = 'running'") == [(0,)]


def forget_the_pause(deployed: Deployment) -> None:
    """As if the pause between two hand-overs of an athlete were over."""
    deployed.agent(
        "UPDATE import_events SET requested_at = requested_at - interval '2 hours',"
        " seen_at = seen_at - interval '2 hours'"
    )
