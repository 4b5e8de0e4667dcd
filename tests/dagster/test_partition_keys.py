"""Partition keys after athletes came, went, changed their slug, or got one that cannot be a key. In order."""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest

from keifu_quality.definitions import build_definitions
from keifu_quality.defs.partitions import ATHLETES
from tests.dagster.instance import Deployment, deployment

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


@pytest.fixture(scope="module")
def deployed(new_databases: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    with deployment(new_databases(dagster=True), tmp_path_factory.mktemp("keys")) as made:
        yield made


def enter(deployed: Deployment, *slugs: str) -> None:
    for slug in slugs:
        deployed.archive(
            'INSERT INTO "Person" (id, slug, "displayNameJa", "updatedAt")'
            " VALUES ('p-' || :slug, :slug, '例', now() AT TIME ZONE 'UTC')",
            slug=slug,
        )


def materialize_roster(deployed: Deployment) -> dict[str, Any]:
    job = build_definitions().resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(instance=deployed.instance, asset_selection=[dg.AssetKey("athlete_roster")])
    (event,) = result.asset_materializations_for_node("athlete_roster")
    return {key: value.value for key, value in event.metadata.items()}


def keys(deployed: Deployment) -> list[str]:
    return list(deployed.instance.get_dynamic_partitions(ATHLETES.name or ""))


def test_new_athletes_become_keys(deployed: Deployment) -> None:
    enter(deployed, "asa", "ito", "ueda")
    assert materialize_roster(deployed)["keys_added"] == 3
    assert keys(deployed) == ["asa", "ito", "ueda"]


def test_a_renamed_athlete_has_the_new_key_alone(deployed: Deployment) -> None:
    deployed.archive("""UPDATE "Person" SET slug = 'asano' WHERE slug = 'asa'""")
    told = materialize_roster(deployed)
    assert (told["keys_added"], told["keys_removed"]) == (1, 1)
    assert keys(deployed) == ["ito", "ueda", "asano"]


def test_a_merged_athlete_has_no_key_and_the_one_that_was_kept_has(deployed: Deployment) -> None:
    deployed.archive(
        'INSERT INTO "AuditLog" (id, "entityType", "entityId", action, "reasonType", "newValue")'
        " VALUES ('a1', 'Person', 'p-asa', 'merge', 'entity_merge', '{\"canonicalPersonId\": \"p-ito\"}')"
    )
    deployed.archive("""DELETE FROM "Person" WHERE slug = 'asano'""")
    assert materialize_roster(deployed)["keys_removed"] == 1
    assert keys(deployed) == ["ito", "ueda"]


def test_a_deleted_athlete_has_no_key(deployed: Deployment) -> None:
    deployed.archive("""DELETE FROM "Person" WHERE slug = 'ueda'""")
    assert materialize_roster(deployed)["keys_removed"] == 1
    assert keys(deployed) == ["ito"]


def test_a_slug_that_cannot_be_a_key_is_reported_and_its_athlete_is_diagnosed(deployed: Deployment) -> None:
    enter(deployed, "a,b", "oda")
    told = materialize_roster(deployed)
    assert told["slugs_that_cannot_be_keys"] == ["a,b"]
    assert (told["athletes"], keys(deployed)) == (3, ["ito", "oda"])
    result = deployed.run_job(build_definitions(), dg.RunRequest(job_name="sweep_roster"))
    assert result.success
    assert deployed.marked_by(result) == {"ito", "oda"}
    assert deployed.agent("SELECT count(*) FROM diagnosis_results WHERE person_slug = 'a,b'") == [(1,)]
