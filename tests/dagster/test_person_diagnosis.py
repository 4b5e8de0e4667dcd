"""Materializing athletes in a real Dagster instance on PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import psycopg
import pytest
from sqlalchemy import create_engine, text

from graphs.contracts import Category
from keifu_quality.definitions import build_definitions
from keifu_quality.defs.partitions import ATHLETES, synchronise
from keifu_quality.dsn import parse_dsn
from keifu_quality.sample.demo import DEMO_AMBIGUOUS_NAME, DEMO_AMBIGUOUS_SLUG, DEMO_CLEAN_SLUG, DEMO_FAULTY_SLUG
from keifu_quality.sample.load import load_roster
from keifu_quality.settings import Settings
from tests.dagster.instance import postgres_instance
from tests.sample_fixtures import SampleRoster

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

DIAGNOSIS = dg.AssetKey("person_diagnosis")


@pytest.fixture
def instance(sample_settings: Settings, tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    del sample_settings
    with postgres_instance(tmp_path / "dagster") as dagster_instance:
        yield dagster_instance


def materialize(instance: dg.DagsterInstance, *, partition: str | None = None, asset: str) -> dg.ExecuteInProcessResult:
    job = build_definitions().resolve_implicit_global_asset_job_def()
    return job.execute_in_process(
        instance=instance, asset_selection=[dg.AssetKey(asset)], partition_key=partition, raise_on_error=False
    )


def agent_rows(settings: Settings, statement: str) -> list[Any]:
    dsn = settings.agent_dsn()
    assert dsn is not None
    engine = create_engine(dsn.url)
    try:
        with engine.connect() as connection:
            return list(connection.execute(text(statement)))
    finally:
        engine.dispose()


def test_the_roster_becomes_partition_keys(instance: dg.DagsterInstance, sample: SampleRoster) -> None:
    result = materialize(instance, asset="athlete_roster")
    assert result.success
    keys = instance.get_dynamic_partitions(ATHLETES.name or "")
    assert len(keys) == len(sample.roster.labels)
    assert {DEMO_CLEAN_SLUG, DEMO_FAULTY_SLUG} <= set(keys)
    again = materialize(instance, asset="athlete_roster")
    (event,) = again.asset_materializations_for_node("athlete_roster")
    assert event.metadata["keys_added"].value == 0
    assert event.metadata["keys_removed"].value == 0


def test_one_partition_leaves_run_events_checkpoints_and_result(
    instance: dg.DagsterInstance, sample_settings: Settings
) -> None:
    materialize(instance, asset="athlete_roster")
    result = materialize(instance, partition=DEMO_FAULTY_SLUG, asset="person_diagnosis")
    assert result.success
    (run,) = agent_rows(sample_settings, "SELECT * FROM agent_runs")
    assert (run.status, run.triggered_by) == ("completed", "dagster_partition")
    assert run.dagster_run_id == result.run_id
    assert len(agent_rows(sample_settings, "SELECT 1 FROM agent_events WHERE kind = 'node_finished'")) == 9
    assert len(agent_rows(sample_settings, "SELECT 1 FROM agent_checkpoints")) >= 9
    (stored,) = agent_rows(sample_settings, "SELECT * FROM diagnosis_results")

    (event,) = result.asset_materializations_for_node("person_diagnosis")
    assert event.partition == DEMO_FAULTY_SLUG
    table = event.metadata["findings"]
    assert isinstance(table, dg.TableMetadataValue)
    assert {str(record.data["code"]) for record in table.records} == {f["code"] for f in stored.findings_json}
    assert event.metadata["run_id"].value == run.run_id
    status = instance.get_status_by_partition(DIAGNOSIS, [DEMO_FAULTY_SLUG], ATHLETES)
    assert status is not None


def test_every_family_has_a_check(instance: dg.DagsterInstance) -> None:
    materialize(instance, asset="athlete_roster")
    result = materialize(instance, partition=DEMO_CLEAN_SLUG, asset="person_diagnosis")
    evaluations = result.get_asset_check_evaluations()
    assert {evaluation.check_name for evaluation in evaluations} == {category.value for category in Category}
    assert all(evaluation.passed for evaluation in evaluations)


def test_a_denied_table_fails_the_check_of_its_family(
    instance: dg.DagsterInstance, sample: SampleRoster, new_databases: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    databases = new_databases()
    load_roster(sample.roster, databases.business_owner)
    with psycopg.connect(parse_dsn(databases.business_owner).libpq()) as owner:
        owner.execute('REVOKE SELECT ON "PersonalBest" FROM keifu_reader')
    monkeypatch.setenv("TASUKI_KEIFU_BUSINESS_DATABASE_URL", databases.business)
    materialize(instance, asset="athlete_roster")
    result = materialize(instance, partition=DEMO_CLEAN_SLUG, asset="person_diagnosis")
    by_name = {evaluation.check_name: evaluation for evaluation in result.get_asset_check_evaluations()}
    failed = by_name["personal_best_consistency"]
    assert not failed.passed
    assert failed.severity == dg.AssetCheckSeverity.ERROR
    assert "PersonalBest" in (failed.description or "")
    assert by_name["membership_timeline"].passed


def test_an_athlete_that_is_gone_fails_with_what_to_do(instance: dg.DagsterInstance) -> None:
    instance.add_dynamic_partitions(ATHLETES.name or "", ["gone-away"])
    result = materialize(instance, partition="gone-away", asset="person_diagnosis")
    assert not result.success
    (failure,) = result.get_step_failure_events()
    assert "materialize athlete_roster" in str(failure.step_failure_data.user_failure_data)


def test_the_job_takes_a_name_and_a_clarification(instance: dg.DagsterInstance, sample_settings: Settings) -> None:
    materialize(instance, asset="athlete_roster")
    job = build_definitions().resolve_job_def("diagnose_person")
    config: dict[str, Any] = {"person_name": DEMO_AMBIGUOUS_NAME}
    asked = job.execute_in_process(instance=instance, run_config=op_config(config), raise_on_error=False)
    assert not asked.success
    (failure,) = asked.get_step_failure_events()
    assert DEMO_AMBIGUOUS_SLUG in str(failure.step_failure_data.user_failure_data)

    answered = job.execute_in_process(
        instance=instance, run_config=op_config({**config, "clarification": DEMO_AMBIGUOUS_SLUG})
    )
    assert answered.success
    latest = instance.get_latest_materialization_event(DIAGNOSIS)
    assert latest is not None
    assert latest.dagster_event is not None
    assert latest.dagster_event.partition == DEMO_AMBIGUOUS_SLUG
    assert len(agent_rows(sample_settings, "SELECT 1 FROM diagnosis_results")) == 1


def op_config(config: dict[str, Any]) -> dict[str, Any]:
    return {"ops": {"diagnose_person_op": {"config": config}}}


def test_keys_follow_the_roster(instance: dg.DagsterInstance) -> None:
    first = synchronise(instance, ["b", "a", "c,d", ""])
    assert (first.added, first.removed, first.unusable) == (["a", "b"], [], ["", "c,d"])
    second = synchronise(instance, ["b", "e"])
    assert (second.added, second.removed) == (["e"], ["a"])
    assert list(instance.get_dynamic_partitions(ATHLETES.name or "")) == ["b", "e"]
