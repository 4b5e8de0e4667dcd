"""From an import to the diagnosis of its athletes: the sensor, its runs, and what it does after failures.

The tests share one archive and go in the order written.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest

from keifu_quality.defs.checks import ASSET
from keifu_quality.defs.chunk_events import ChunkEvents
from keifu_quality.defs.imports import diagnose_import_op
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase
from keifu_quality.imports import ImportWatch
from tests.dagster.instance import Deployment, deployment
from tests.keifu_quality.db.archive import Archive
from tests.keifu_quality.imports.site import Site

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


@pytest.fixture(scope="module")
def deployed(new_databases: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    databases = new_databases(dagster=True)
    with deployment(databases, tmp_path_factory.mktemp("imports")) as made:
        yield made


@pytest.fixture(scope="module")
def site(deployed: Deployment) -> Iterator[Site]:
    archive = Archive(deployed.databases.business_owner)
    made = Site(archive)
    made.prepare("r1", "r2")
    yield made
    archive.close()


def tick(definitions: dg.Definitions, deployed: Deployment) -> list[dg.RunRequest]:
    sensor = definitions.resolve_sensor_def("import_events")
    resources = {"business": BusinessDatabase(), "agent": AgentDatabase()}
    with dg.build_sensor_context(instance=deployed.instance, definitions=definitions, resources=resources) as context:
        return list(sensor.evaluate_tick(context).run_requests or ())


def forget_the_pause(deployed: Deployment) -> None:
    """As if the pauses before another attempt and between two hand-overs of an athlete were over."""
    deployed.agent(
        "UPDATE import_events SET requested_at = requested_at - interval '2 hours',"
        " seen_at = seen_at - interval '2 hours'"
    )


def status(deployed: Deployment, batch: str) -> list[Any]:
    rows = deployed.agent("SELECT status FROM import_events WHERE batch_id = :batch ORDER BY completed_at", batch=batch)
    return [row.status for row in rows]


def test_the_first_tick_takes_everything_as_known(
    definitions: dg.Definitions, deployed: Deployment, site: Site
) -> None:
    site.run("b0", "r1", ["asa"], start=-20)
    assert tick(definitions, deployed) == []


def test_imports_become_one_run_that_a_second_tick_does_not_repeat(
    definitions: dg.Definitions, deployed: Deployment, site: Site
) -> None:
    site.archive.result("x-eda", site.write_person("eda", -30), "r1")
    site.run("b1", "r1", ["ito", "ueda"], start=1)
    site.run("b2", "r2", ["ito"], start=3)
    (request,) = tick(definitions, deployed)
    (repeated,) = tick(definitions, deployed)
    assert repeated.run_key == request.run_key

    result = deployed.run_job(definitions, request)
    assert result.success
    marked = deployed.marked_by(result)
    assert {"ito", "ueda", "asa", "eda"} == marked
    runs = deployed.agent(
        "SELECT person_slug, triggered_by, input_json -> 'families' FROM agent_runs WHERE dagster_run_id = :r"
        " ORDER BY 1",
        r=result.run_id,
    )
    # Nobody's payload has eda, who ran in the same race; asa was in an earlier one.
    asked = (("asa", None), ("eda", ["relation_cache"]), ("ito", None), ("ueda", None))
    assert runs == [(slug, "import_sensor", families) for slug, families in asked]
    assert (status(deployed, "b1"), status(deployed, "b2")) == (["done"], ["done"])
    assert deployed.instance.get_materialized_partitions(ASSET) == marked
    assert tick(definitions, deployed) == []


def test_a_run_that_fails_is_followed_by_another_attempt(
    definitions: dg.Definitions, deployed: Deployment, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from keifu_quality.defs import imports

    forget_the_pause(deployed)
    site.run("b3", "r1", ["ueda"], start=10)
    (request,) = tick(definitions, deployed)

    def broken(*_: object, **__: object) -> None:
        raise OSError("invented")

    with monkeypatch.context() as patch:
        patch.setattr(imports, "diagnose_athletes", broken)
        assert not deployed.run_job(definitions, request).success
    assert status(deployed, "b3") == ["pending"]
    assert tick(definitions, deployed) == []
    forget_the_pause(deployed)
    (second,) = tick(definitions, deployed)
    assert second.run_key != request.run_key
    assert deployed.run_job(definitions, second).success
    assert status(deployed, "b3") == ["done"]


def test_a_run_whose_worker_was_killed_is_followed_by_another_attempt(
    definitions: dg.Definitions, deployed: Deployment, site: Site
) -> None:
    forget_the_pause(deployed)
    site.run("b4", "r2", ["asa"], start=20)
    (request,) = tick(definitions, deployed)
    run = deployed.instance.create_run_for_job(
        definitions.resolve_job_def("diagnose_import"), run_config=request.run_config, tags=dict(request.tags)
    )
    assert tick(definitions, deployed) == []
    deployed.instance.report_run_failed(run)
    assert tick(definitions, deployed) == []
    assert status(deployed, "b4") == ["pending"]
    forget_the_pause(deployed)
    (second,) = tick(definitions, deployed)
    assert second.run_config["ops"][diagnose_import_op.name] != request.run_config["ops"][diagnose_import_op.name]


def results(deployed: Deployment) -> int:
    return deployed.agent("SELECT count(*) FROM diagnosis_results")[0][0]


def test_a_run_that_dies_before_its_results_are_settled_stores_none_of_them(
    definitions: dg.Definitions, deployed: Deployment, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from keifu_quality.defs import imports

    for left in tick(definitions, deployed):
        assert deployed.run_job(definitions, left).success
    forget_the_pause(deployed)
    site.run("b5", "r1", ["ito"], start=30)
    (request,) = tick(definitions, deployed)
    before = results(deployed)

    def killed(*_: object) -> None:
        raise RuntimeError("invented")

    with monkeypatch.context() as patch:
        patch.setattr(imports, "settle_people", killed)
        assert not deployed.run_job(definitions, request).success
    assert results(deployed) == before
    assert status(deployed, "b5") == ["pending"]


def test_another_attempt_marks_whom_a_dead_one_stored_and_diagnoses_nobody_again(
    definitions: dg.Definitions, deployed: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_the_pause(deployed)
    (request,) = tick(definitions, deployed)

    def killed(*_: object) -> None:
        raise RuntimeError("invented")

    with monkeypatch.context() as patch:
        patch.setattr(ChunkEvents, "chunk_done", killed)
        first = deployed.run_job(definitions, request)
    assert not first.success
    assert deployed.marked_by(first) == set()
    stored = results(deployed)
    forget_the_pause(deployed)
    (again,) = tick(definitions, deployed)
    second = deployed.run_job(definitions, again)
    assert second.success
    assert results(deployed) == stored
    settled = deployed.agent("SELECT person_slug FROM agent_runs WHERE dagster_run_id = :run", run=first.run_id)
    assert deployed.marked_by(second) == {row.person_slug for row in settled} > {"ito"}
    assert status(deployed, "b5") == ["done"]


def test_a_run_that_ends_before_it_closes_its_hand_over_is_followed_by_another(
    definitions: dg.Definitions, deployed: Deployment, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise RuntimeError("invented")

    forget_the_pause(deployed)
    site.run("b6", "r2", ["ueda"], start=40)
    (request,) = tick(definitions, deployed)
    with monkeypatch.context() as patch:
        patch.setattr(ImportWatch, "finish", killed)
        assert not deployed.run_job(definitions, request).success
    assert status(deployed, "b6") == ["requested"]
    assert tick(definitions, deployed) == []
    assert status(deployed, "b6") == ["pending"]
    forget_the_pause(deployed)
    (again,) = tick(definitions, deployed)
    stored = results(deployed)
    assert deployed.run_job(definitions, again).success
    assert (results(deployed), status(deployed, "b6")) == (stored, ["done"])
