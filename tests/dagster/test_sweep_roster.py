"""The sweep of the roster as Dagster runs: shards, partitions, checks, failures, the schedule. In the order written."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import dagster as dg
import psycopg
import pytest

from graphs.contracts import Category
from keifu_quality.defs.checks import ASSET
from keifu_quality.defs.chunk_events import ChunkEvents
from keifu_quality.defs.partitions import ATHLETES
from keifu_quality.sample.demo import DEMO_CLEAN_SLUG, DEMO_FAULTY_SLUG
from keifu_quality.sample.load import load_roster
from tests.dagster.instance import Deployment, deployment
from tests.sample_fixtures import SampleRoster

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


@pytest.fixture(scope="module")
def deployed(
    new_databases: Any, sample: SampleRoster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    databases = new_databases(dagster=True)
    load_roster(sample.roster, databases.business_owner)
    home: Path = tmp_path_factory.mktemp("sweep")
    with deployment(databases, home, KEIFU_SWEEP_SHARDS="2", KEIFU_SWEEP_CRON="15 3 * * *") as made:
        yield made


def tick(definitions: dg.Definitions, deployed: Deployment, day: int) -> list[dg.RunRequest]:
    schedule = definitions.resolve_schedule_def("nightly_sweep")
    at = datetime(2026, 7, day, 3, 15, tzinfo=ZoneInfo("Asia/Tokyo"))
    with dg.build_schedule_context(instance=deployed.instance, scheduled_execution_time=at) as context:
        return list(schedule.evaluate_tick(context).run_requests or ())


def materialized(deployed: Deployment) -> set[str]:
    return set(deployed.instance.get_materialized_partitions(ASSET))


def test_a_night_is_one_run_a_shard(definitions: dg.Definitions, deployed: Deployment) -> None:
    schedule = definitions.resolve_schedule_def("nightly_sweep")
    assert (schedule.cron_schedule, schedule.execution_timezone) == ("15 3 * * *", "Asia/Tokyo")
    first, again, next_night = (tick(definitions, deployed, day) for day in (1, 1, 2))
    assert len(first) == 2
    keys = [request.run_key for request in first]
    assert all("2026-07-01" in (key or "") for key in keys)
    assert [request.run_key for request in again] == keys
    assert not {request.run_key for request in next_night} & set(keys)


def test_the_shards_of_a_night_diagnose_everybody_once(
    definitions: dg.Definitions, deployed: Deployment, sample: SampleRoster
) -> None:
    results = [deployed.run_job(definitions, request) for request in tick(definitions, deployed, 1)]
    assert all(result.success for result in results)
    size = len(sample.roster.labels)
    assert len(deployed.instance.get_dynamic_partitions(ATHLETES.name or "")) == size
    assert len(materialized(deployed)) == size
    counted = deployed.agent("SELECT count(*), count(DISTINCT person_id), min(triggered_by) FROM agent_runs")
    assert counted == [(size, size, "schedule")]
    runs = {row.dagster_run_id for row in deployed.agent("SELECT DISTINCT dagster_run_id FROM agent_runs")}
    assert runs == {result.run_id for result in results}


def test_a_partition_tells_what_was_found(deployed: Deployment) -> None:
    records = deployed.instance.fetch_materializations(
        dg.AssetRecordsFilter(asset_key=ASSET, asset_partitions=[DEMO_FAULTY_SLUG]), limit=5
    ).records
    (record,) = records
    assert record.asset_materialization is not None
    told = {key: value.value for key, value in record.asset_materialization.metadata.items()}
    (stored,) = deployed.agent("SELECT * FROM diagnosis_results WHERE person_slug = :slug", slug=DEMO_FAULTY_SLUG)
    assert told["run_id"] == stored.run_id
    assert told["headline"] == stored.summary_json["headline"]
    assert told["error_count"] == stored.error_count


def test_an_unchanged_sweep_tells_of_the_whole_roster_all_the_same(
    definitions: dg.Definitions, deployed: Deployment, sample: SampleRoster
) -> None:
    before = deployed.agent("SELECT count(*) FROM diagnosis_results")
    result = deployed.run_job(definitions, dg.RunRequest(job_name="sweep_roster"))
    assert result.success
    assert deployed.agent("SELECT count(*) FROM diagnosis_results") == before
    checks = deployed.checks_of(result)
    assert set(checks) == {category.value for category in Category}
    size = len(sample.roster.labels)
    assert [check.metadata["athletes_evaluated"].value for check in checks.values()] == [size] * len(checks)
    bests = checks["personal_best_consistency"]
    assert (bests.passed, bests.severity) == (False, dg.AssetCheckSeverity.WARN)
    table = bests.metadata["rules"]
    assert isinstance(table, dg.TableMetadataValue)
    stored = deployed.agent(
        "SELECT count(*) FROM diagnosis_results, jsonb_array_elements(findings_json) f"
        " WHERE f ->> 'category' = 'personal_best_consistency'"
    )
    assert sum(int(str(record.data["findings"])) for record in table.records) == stored[0][0] > 0


def test_a_failed_athlete_is_named_and_the_others_are_done(
    definitions: dg.Definitions, deployed: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    from graphs.person_diagnosis import nodes

    working = nodes.build_action_plan

    def disturbed(diagnosis: Any, context: Any) -> Any:
        if diagnosis.target.person_slug == DEMO_CLEAN_SLUG:
            raise RuntimeError("invented")
        return working(diagnosis, context)

    disturbed.__name__ = working.__name__
    monkeypatch.setattr(nodes, "PIPELINE", (*nodes.PIPELINE[:-1], disturbed))
    config = {"ops": {"sweep_roster_op": {"config": {"full": True}}}}
    began = datetime.now(UTC)
    result = deployed.run_job(definitions, dg.RunRequest(job_name="sweep_roster", run_config=config))
    assert not result.success
    (failure,) = result.get_step_failure_events()
    assert DEMO_CLEAN_SLUG in str(failure.step_failure_data.user_failure_data)
    marked = deployed.marked_by(result)
    assert DEMO_CLEAN_SLUG not in marked
    assert len(marked) == len(materialized(deployed)) - 1
    (check, *_) = deployed.checks_of(result).values()
    assert check.severity == dg.AssetCheckSeverity.ERROR
    assert check.metadata["failed_sample"].value == [DEMO_CLEAN_SLUG]
    assert deployed.agent("SELECT 1 FROM agent_runs WHERE outcome = 'failed' AND started_at >= :began", began=began)


def test_another_attempt_marks_what_a_killed_worker_stored(
    definitions: dg.Definitions, deployed: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = {"ops": {"sweep_roster_op": {"config": {"full": True}}}}

    def killed(*_: object) -> None:
        raise RuntimeError("invented")

    with monkeypatch.context() as patch:
        patch.setattr(ChunkEvents, "chunk_done", killed)
        first = deployed.run_job(definitions, dg.RunRequest(job_name="sweep_roster", run_config=config))
    assert deployed.marked_by(first) == set()
    stored = deployed.agent("SELECT count(*) FROM diagnosis_results")

    tags = {"dagster/root_run_id": first.run_id}
    second = deployed.run_job(definitions, dg.RunRequest(job_name="sweep_roster", run_config=config, tags=tags))
    assert second.success
    assert deployed.marked_by(second) == materialized(deployed)
    assert deployed.agent("SELECT count(*) FROM diagnosis_results") == stored


def test_athletes_stored_while_the_event_log_was_away_are_marked_at_the_end(
    definitions: dg.Definitions, deployed: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise psycopg.errors.AdminShutdown("invented")

    config = {"ops": {"sweep_roster_op": {"config": {"full": True, "limit": 5}}}}
    with monkeypatch.context() as patch:
        patch.setattr(ChunkEvents, "chunk_done", away)
        result = deployed.run_job(definitions, dg.RunRequest(job_name="sweep_roster", run_config=config))
    assert result.success
    assert len(deployed.marked_by(result)) == 5


def test_a_range_of_partitions_is_one_run_with_a_materialization_each(
    definitions: dg.Definitions, deployed: Deployment
) -> None:
    keys = list(deployed.instance.get_dynamic_partitions(ATHLETES.name or ""))[:20]
    gone = "gone-away"
    deployed.instance.add_dynamic_partitions(ATHLETES.name or "", [gone])
    job = definitions.resolve_implicit_global_asset_job_def()

    def run_range(first: str, last: str) -> dg.ExecuteInProcessResult:
        tags = {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}
        return job.execute_in_process(
            instance=deployed.instance, asset_selection=[ASSET], tags=tags, raise_on_error=False
        )

    result = run_range(keys[0], keys[-1])
    assert result.success
    assert deployed.marked_by(result) == set(keys)
    counted = deployed.agent("SELECT count(*) FROM agent_runs WHERE dagster_run_id = :run", run=result.run_id)
    assert counted == [(len(keys),)]

    last = list(deployed.instance.get_dynamic_partitions(ATHLETES.name or ""))[-2]
    partly = run_range(last, gone)
    assert not partly.success
    assert deployed.marked_by(partly) == {last}
    (failure,) = partly.get_step_failure_events()
    assert gone in str(failure.step_failure_data.user_failure_data)
