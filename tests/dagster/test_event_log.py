"""Dagster's event log: the pooled storage, and the purge of old events."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster_postgres import PostgresEventLogStorage
from sqlalchemy import Connection, QueuePool, create_engine, text

from keifu_quality.dagster_storage import PooledPostgresEventLogStorage
from keifu_quality.db.event_log_purge import BATCH, purge_events
from keifu_quality.definitions import build_definitions
from keifu_quality.defs.checks import ASSET
from tests.dagster.instance import Deployment, deployment, postgres_instance
from tests.dagster.statements import recorded_statements

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


@pytest.fixture(scope="module")
def deployed(new_databases: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with deployment(new_databases(dagster=True), tmp_path_factory.mktemp("event-log")) as made:
        yield made


def test_the_instance_keeps_connections(deployed: Deployment) -> None:
    storage = deployed.instance.event_log_storage
    assert isinstance(storage, PooledPostgresEventLogStorage)
    with storage.index_connection() as connection:
        pool = connection.engine.pool
        first = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    assert isinstance(pool, QueuePool)
    with storage.index_transaction() as connection:
        assert not driver_of(connection).autocommit
    with storage.index_connection() as connection:
        assert connection.execute(text("SELECT pg_backend_pid()")).scalar_one() == first
        assert driver_of(connection).autocommit


def driver_of(connection: Connection) -> Any:
    return connection.connection.driver_connection


def test_a_lost_connection_is_replaced(deployed: Deployment) -> None:
    storage = deployed.instance.event_log_storage
    assert isinstance(storage, PostgresEventLogStorage)
    with storage.index_connection() as connection:
        pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    engine = create_engine(deployed.databases.dagster)
    with engine.connect() as other:
        other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
    engine.dispose()
    with storage.index_connection() as connection:
        assert connection.execute(text("SELECT 1")).scalar_one() == 1


def test_partition_keys_are_read_once_and_again_when_anybody_changed_them(deployed: Deployment, tmp_path: Path) -> None:
    storage = deployed.instance.event_log_storage
    assert isinstance(storage, PooledPostgresEventLogStorage)

    def keys() -> tuple[list[str], int]:
        with recorded_statements() as sent:
            found = storage.get_dynamic_partitions("shoes")
        assert found == PostgresEventLogStorage.get_dynamic_partitions(storage, "shoes")
        return found, len(sent)

    with postgres_instance(tmp_path / "another-process") as other:
        assert keys()[0] == []
        other.add_dynamic_partitions("shoes", ["b", "a", "c"])
        other.add_dynamic_partitions("socks", ["d"])
        found, statements = keys()
        assert found == ["b", "a", "c"]
        assert keys() == (found, statements - 1)
        storage.get_dynamic_partitions("shoes").append("never stored")
        assert keys()[0] == found
        other.delete_dynamic_partition("shoes", "a")
        assert keys() == (["b", "c"], statements)
        other.delete_dynamic_partition("shoes", "c")
        other.add_dynamic_partitions("shoes", ["a"])
        assert keys()[0] == ["b", "a"]
        deployed.instance.add_dynamic_partitions("shoes", ["c"])
        assert keys() == (["b", "a", "c"], statements)


@pytest.mark.parametrize("asked", [10, 2_500])
def test_many_keys_are_looked_for_among_those_that_are_kept(deployed: Deployment, asked: int) -> None:
    storage = deployed.instance.event_log_storage
    name = f"of {asked}"
    keys = [f"key-{number}" for number in range(asked)]
    deployed.instance.add_dynamic_partitions(name, keys[::2])
    storage.get_dynamic_partitions(name)
    with recorded_statements() as sent:
        found = storage.get_existing_dynamic_partitions(name, keys)
    assert found == set(keys[::2])
    # The stock class looks for its table first.
    assert len([statement for statement in sent if "dynamic_partitions" in statement]) == 1
    deployed.instance.delete_dynamic_partition(name, keys[0])
    assert storage.get_existing_dynamic_partitions(name, keys) == set(keys[2::2])


def test_old_events_go_and_the_newest_of_each_partition_stays(deployed: Deployment) -> None:
    for partition, times in (("asa", 3), ("ito", 1)):
        for number in range(times):
            event = dg.AssetMaterialization(ASSET, partition=partition, metadata={"number": number}, tags={"t": "v"})
            deployed.instance.report_runless_asset_event(event)
    deployed.instance.report_runless_asset_event(dg.AssetMaterialization("other", partition="asa"))
    deployed.instance.report_runless_asset_event(dg.AssetMaterialization("other", partition="asa"))
    engine = create_engine(deployed.databases.dagster)
    now = datetime.now(UTC)
    try:
        assert purge_events(engine, ASSET.to_string(), before=now - timedelta(days=1)) == 0
        assert purge_events(engine, ASSET.to_string(), before=now + timedelta(days=1)) == 2
    finally:
        engine.dispose()
    kept = deployed.instance.fetch_materializations(ASSET, limit=BATCH).records
    assert {(record.partition_key, told_number(record)) for record in kept} == {("asa", 2), ("ito", 0)}
    assert len(deployed.instance.fetch_materializations(dg.AssetKey("other"), limit=9).records) == 2
    assert deployed.instance.get_materialized_partitions(ASSET) == {"asa", "ito"}


def told_number(record: dg.EventLogRecord) -> Any:
    assert record.asset_materialization is not None
    return record.asset_materialization.metadata["number"].value


def test_the_job_keeps_what_is_younger_than_the_retention(deployed: Deployment) -> None:
    job = build_definitions().resolve_job_def("purge_old_entries")
    result = job.execute_in_process(instance=deployed.instance)
    assert result.success
    assert len(deployed.instance.fetch_materializations(ASSET, limit=9).records) == 2
