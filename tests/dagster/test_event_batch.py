"""Materializations in one write are what Dagster itself would have logged, one by one."""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg
import pytest

from keifu_quality.defs.event_batch import log_materializations
from tests.dagster.instance import Deployment, deployment
from tests.dagster.statements import recorded_statements

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

ASSET = dg.AssetKey("athlete")
SLUGS = ("asa", "ito", "ueda")


@pytest.fixture(scope="module")
def deployed(new_databases: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with deployment(new_databases(dagster=True), tmp_path_factory.mktemp("event-batch")) as made:
        yield made


def materializations() -> list[dg.AssetMaterialization]:
    return [
        dg.AssetMaterialization(ASSET, partition=slug, metadata={"headline": f"{slug}: 2 件", "error_count": number})
        for number, slug in enumerate(SLUGS)
    ]


def logged_by(deployed: Deployment, *, in_batch: bool) -> Sequence[dg.EventLogEntry]:
    @dg.op(name="log_them")
    def log_them(context: dg.OpExecutionContext) -> None:
        if in_batch:
            log_materializations(context, materializations())
        else:
            for materialization in materializations():
                context.log_event(materialization)

    @dg.job(name="log_some", executor_def=dg.in_process_executor)
    def log_some() -> None:
        log_them()

    result = log_some.execute_in_process(instance=deployed.instance)
    assert result.success
    return deployed.instance.all_logs(result.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION)


def told(entry: dg.EventLogEntry) -> dict[str, Any]:
    """An entry without what differs from event to event."""
    assert entry.dagster_event is not None
    fields = entry._asdict() | {"event": entry.dagster_event._asdict()}
    fields["event"]["logging_tags"] = {
        key: value for key, value in fields["event"]["logging_tags"].items() if key != "run_id"
    }
    return {
        key: value
        for key, value in fields.items()
        if key not in ("run_id", "timestamp", "user_message", "dagster_event")
    }


def test_a_batch_is_what_single_events_are(deployed: Deployment) -> None:
    singly = logged_by(deployed, in_batch=False)
    in_batch = logged_by(deployed, in_batch=True)
    assert [entry.dagster_event.partition for entry in in_batch if entry.dagster_event] == list(SLUGS)
    assert [told(entry) for entry in in_batch] == [told(entry) for entry in singly]
    assert all(singly[0].timestamp <= entry.timestamp for entry in in_batch)


def test_partitions_and_records_show_the_batch(deployed: Deployment) -> None:
    instance = deployed.instance
    instance.wipe_assets([ASSET])
    entries = logged_by(deployed, in_batch=True)
    assert instance.get_materialized_partitions(ASSET) == set(SLUGS)
    latest = instance.get_latest_materialization_event(ASSET)
    assert latest is not None
    assert (latest.run_id, latest.asset_materialization) == (entries[-1].run_id, entries[-1].asset_materialization)
    [record] = instance.fetch_materializations(
        dg.AssetRecordsFilter(asset_key=ASSET, asset_partitions=["ito"]), limit=1
    ).records
    assert record.run_id == entries[0].run_id


def test_a_batch_takes_as_many_statements_as_one_event(deployed: Deployment) -> None:
    @dg.op(config_schema=int)
    def log_athletes(context: dg.OpExecutionContext) -> int:
        athletes = [dg.AssetMaterialization(ASSET, partition=f"p{key}") for key in range(context.op_config)]
        with recorded_statements() as sent:
            log_materializations(context, athletes)
        return len(sent)

    @dg.job(executor_def=dg.in_process_executor)
    def log_many() -> None:
        log_athletes()

    counts = [
        log_many.execute_in_process(
            instance=deployed.instance, run_config={"ops": {"log_athletes": {"config": athletes}}}
        ).output_for_node("log_athletes")
        for athletes in (1, 1, 200)
    ]
    assert 0 < counts[2] <= counts[1]
