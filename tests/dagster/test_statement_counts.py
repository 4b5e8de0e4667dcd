"""A tick sends as many statements for many athletes as for a few."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import pytest

from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase
from keifu_quality.sample.load import load_roster
from tests.dagster.instance import Deployment, deployment
from tests.dagster.statements import recorded_statements
from tests.sample_fixtures import SampleRoster

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

FEW, MANY = 10, 90


@pytest.fixture(scope="module")
def deployed(
    new_databases: Any, sample: SampleRoster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    databases = new_databases(dagster=True)
    load_roster(sample.roster, databases.business_owner)
    with deployment(databases, tmp_path_factory.mktemp("statements")) as made:
        yield made


def tick(definitions: dg.Definitions, deployed: Deployment, sensor: str, cursor: str | None = None) -> tuple[int, Any]:
    """The number of statements of a tick, and what came of it."""
    resources = {"business": BusinessDatabase(), "agent": AgentDatabase()}
    with (
        recorded_statements() as sent,
        dg.build_sensor_context(
            instance=deployed.instance, definitions=definitions, resources=resources, cursor=cursor
        ) as context,
    ):
        data = definitions.resolve_sensor_def(sensor).evaluate_tick(context)
    return len(sent), data


def change_by_hand(deployed: Deployment, name: str, *, first: int, athletes: int, batch: str | None = None) -> None:
    """Audit rows of so many athletes, of an import that has just finished or of none."""
    deployed.archive(
        'INSERT INTO "AuditLog"'
        ' (id, "entityType", "entityId", action, "reasonType", "actorType", "batchId", "createdAt")'
        " SELECT :name || p.id, 'Person', p.id, 'update', 'import', 'import_script', :batch, now() AT TIME ZONE 'UTC'"
        ' FROM (SELECT id FROM "Person" ORDER BY id OFFSET :first LIMIT :athletes) p',
        name=name,
        first=first,
        athletes=athletes,
        batch=batch,
    )
    if batch is not None:
        deployed.archive(
            'INSERT INTO "ImportBatch" (id, key, type, status, payload, "startedAt", "completedAt", "updatedAt")'
            " VALUES (:batch, :batch, 'race', 'completed', '{\"entries\": []}', now() AT TIME ZONE 'UTC',"
            " now() AT TIME ZONE 'UTC', now() AT TIME ZONE 'UTC')",
            batch=batch,
        )


def test_a_look_for_imports(definitions: dg.Definitions, deployed: Deployment) -> None:
    tick(definitions, deployed, "import_events")
    counts: list[int] = []
    first = 0
    for athletes in (FEW, FEW, MANY):
        change_by_hand(deployed, f"import {first}", first=first, athletes=athletes, batch=f"batch {first}")
        statements, data = tick(definitions, deployed, "import_events")
        counts.append(statements)
        (request,) = data.run_requests
        hand_over = request.run_config["ops"]["diagnose_import_op"]["config"]["hand_over"]
        waiting = deployed.agent(
            "SELECT count(*) FROM import_events e JOIN import_event_people p ON p.event_key = e.event_key"
            " WHERE e.hand_over_id = :id",
            id=hand_over,
        )
        assert waiting == [(athletes,)]
        deployed.agent("UPDATE import_events SET status = 'done' WHERE hand_over_id = :id", id=hand_over)
        first += athletes
    assert counts[2] <= counts[1]


def test_a_look_for_silent_changes(definitions: dg.Definitions, deployed: Deployment) -> None:
    counts: list[int] = []
    for number, athletes in enumerate((FEW, MANY)):
        _, data = tick(definitions, deployed, "silent_changes")
        cursor = data.cursor
        change_by_hand(deployed, f"by hand {number}", first=0, athletes=athletes)
        statements, data = tick(definitions, deployed, "silent_changes", cursor)
        assert data.run_requests
        counts.append(statements)
    assert counts[1] <= counts[0]


def test_a_night(definitions: dg.Definitions, deployed: Deployment) -> None:
    schedule = definitions.resolve_schedule_def("nightly_sweep")
    with (
        recorded_statements() as sent,
        dg.build_schedule_context(
            instance=deployed.instance, scheduled_execution_time=datetime(2026, 7, 1, 17, 30, tzinfo=UTC)
        ) as context,
    ):
        assert schedule.evaluate_tick(context).run_requests
    assert not [statement for statement in sent if "Person" in statement or "athlete" in statement]


def test_new_athletes_become_keys(definitions: dg.Definitions, deployed: Deployment) -> None:
    job = definitions.resolve_implicit_global_asset_job_def()
    counts: list[int] = []
    for name, athletes in (("all", 0), ("few", FEW), ("many", MANY)):
        deployed.archive(
            'INSERT INTO "Person" (id, slug, "displayNameJa", "updatedAt")'
            " SELECT :name || n, :name || '-' || n, '例 ' || :name || n, now() FROM generate_series(1, :athletes) n",
            name=name,
            athletes=athletes,
        )
        with recorded_statements() as sent:
            result = job.execute_in_process(instance=deployed.instance, asset_selection=[dg.AssetKey("athlete_roster")])
        assert result.success
        counts.append(len(sent))
    (event,) = result.asset_materializations_for_node("athlete_roster")
    assert event.metadata["keys_added"].value == MANY
    assert counts[2] <= counts[1]
