"""What the code location holds, and that loading it connects to nothing."""

import subprocess
import sys

import dagster as dg
import pytest

from graphs.contracts import Category
from keifu_quality.definitions import build_definitions
from keifu_quality.defs.partitions import can_be_key

pytestmark = pytest.mark.dagster


def test_the_location_holds_what_it_is_known_for() -> None:
    repository = build_definitions().get_repository_def()
    assert {key.to_user_string() for key in repository.asset_graph.get_all_asset_keys()} >= {
        "athlete_roster",
        "person_diagnosis",
    }
    jobs = {job.name for job in repository.get_all_jobs()}
    assert jobs >= {"diagnose_person", "diagnose_import", "sweep_roster", "purge_old_entries"}
    assert {sensor.name for sensor in repository.sensor_defs} == {"import_events", "silent_changes", "sweep_failed"}
    assert {schedule.name for schedule in repository.schedule_defs} == {"nightly_sweep", "weekly_purge"}
    checks = repository.asset_graph.get_check_keys_for_assets({dg.AssetKey("person_diagnosis")})
    assert {check.name for check in checks} == {category.value for category in Category}


def test_loading_the_location_needs_no_database() -> None:
    code = "import keifu_quality.definitions"
    environment = {
        "PATH": "/usr/bin:/bin",
        "TASUKI_KEIFU_BUSINESS_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    }
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("slug", ["mihon-taro", "person-e4be8b", "A_1"])
def test_slugs_that_can_be_keys(slug: str) -> None:
    assert can_be_key(slug)


@pytest.mark.parametrize("slug", ["", "a...b", "a,b", "a b", "a\tb", "a\nb", "例", "a/b", "a" * 256])
def test_slugs_that_cannot_be_keys(slug: str) -> None:
    assert not can_be_key(slug)
