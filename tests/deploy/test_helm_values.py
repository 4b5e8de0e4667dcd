"""deploy/helm/values.yaml against Dagster's classes: the dagster.yaml that the chart makes of it, and a run as a Job.

The chart itself is not at hand in a test. `chart_instance` writes what its templates write of these values, as far as a
class of Dagster reads it.
"""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from dagster._core.instance.ref import InstanceRef

from keifu_quality.dagster_home import deployment_file
from keifu_quality.settings import Settings
from tests.deploy.launches import IMAGE, ROOT, engine, launch

SNAKE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
STORAGES = {
    "run_storage": ("dagster_postgres.run_storage", "PostgresRunStorage"),
    "schedule_storage": ("dagster_postgres.schedule_storage", "PostgresScheduleStorage"),
    "event_log_storage": ("dagster_postgres.event_log", "PostgresEventLogStorage"),
}


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "deploy/helm/values.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def deployment(values: dict[str, Any]) -> dict[str, Any]:
    (deployment,) = values["dagster-user-deployments"]["deployments"]
    return deployment


def snake(name: str) -> str:
    return SNAKE.sub("_", name).lower()


def chart_launcher(values: dict[str, Any]) -> dict[str, Any]:
    given = values["runLauncher"]["config"]["k8sRunLauncher"]
    config = {snake(name): value for name, value in given.items()}
    config["env_secrets"] = [entry["name"] for entry in given["envSecrets"]]
    config["run_k8s_config"] = {snake(name): value for name, value in given["runK8sConfig"].items()}
    config |= {
        "job_namespace": "keifu",
        "service_account_name": "keifu-dagster",
        "instance_config_map": "keifu-dagster-instance",
        "dagster_home": values["global"]["dagsterHome"],
        "postgres_password_secret": values["global"]["postgresqlSecretName"],
    }
    return {"module": "dagster_k8s", "class": values["runLauncher"]["type"], "config": config}


def chart_instance(values: dict[str, Any]) -> str:
    """The dagster.yaml: what the chart writes itself, then additionalInstanceConfig."""
    postgresql = values["postgresql"]
    database = {
        "username": postgresql["postgresqlUsername"],
        "password": {"env": "DAGSTER_PG_PASSWORD"},
        "hostname": postgresql["postgresqlHost"],
        "db_name": postgresql["postgresqlDatabase"],
        "port": postgresql["service"]["port"],
        "params": {},
        "scheme": postgresql["postgresqlScheme"],
    }
    own: dict[str, Any] = {
        name: {"module": module, "class": kind, "config": {"postgres_db": database}}
        for name, (module, kind) in STORAGES.items()
    }
    own["run_launcher"] = chart_launcher(values)
    own["python_logs"] = {snake(name): value for name, value in values["pythonLogs"].items()}
    own["telemetry"] = values["telemetry"]
    own["concurrency"] = {
        "pools": values["concurrency"]["pools"],
        "runs": {snake(name): value for name, value in values["concurrency"]["runs"].items()},
    }
    return yaml.safe_dump(own) + yaml.safe_dump(values["additionalInstanceConfig"])


def test_the_instance_keeps_its_connections_and_names_psycopg2(
    values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAGSTER_PG_URL", "postgresql+psycopg2://keifu_dagster@127.0.0.1/keifu_dagster")
    (tmp_path / "dagster.yaml").write_text(chart_instance(values), encoding="utf-8")
    ref = InstanceRef.from_dir(str(tmp_path))
    # The chart's own entry stands before it: the last one counts.
    assert ref.event_storage_data is not None
    assert ref.event_storage_data.class_name == "PooledPostgresEventLogStorage"
    assert ref.run_storage_data is not None
    database = ref.run_storage_data.config_dict["postgres_db"]
    assert database["scheme"] == "postgresql+psycopg2"


def test_the_instance_agrees_with_the_plain_one(values: dict[str, Any]) -> None:
    plain = yaml.safe_load(deployment_file("dagster.yaml").read_text(encoding="utf-8"))
    chart = yaml.safe_load(chart_instance(values))
    same = ("event_log_storage", "run_monitoring", "run_retries", "python_logs", "telemetry", "nux")
    assert {name: chart[name] for name in same} == {name: plain[name] for name in same}


@pytest.mark.dagster
def test_a_run_is_a_job_with_its_secrets_and_limits(values: dict[str, Any], tmp_path: Path) -> None:
    with engine(lambda request: request.body or {}) as kubernetes:
        cluster = tmp_path / "kubeconfig"
        cluster.write_text(yaml.safe_dump(kubeconfig(kubernetes.port)), encoding="utf-8")
        launcher = chart_launcher(values)
        launcher["config"] |= {"load_incluster_config": False, "kubeconfig_file": str(cluster)}
        launch("sweep_roster", tmp_path / "dagster", {"run_launcher": launcher}, {})
        job = kubernetes.posted("/apis/batch/v1/namespaces/keifu/jobs")
    pod = job["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    assert container["image"] == IMAGE
    assert container["resources"]["limits"] == {"memory": "1Gi"}
    secrets = {source["secretRef"]["name"] for source in container["envFrom"] if "secretRef" in source}
    assert secrets == {"keifu-databases", "keifu-dagster"}
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
    (spread,) = pod["spec"]["topologySpreadConstraints"]
    assert spread["topologyKey"] == "kubernetes.io/hostname"
    assert spread["labelSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    assert job["spec"]["ttlSecondsAfterFinished"] == 86400


def kubeconfig(port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "clusters": [{"name": "test", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "test", "user": {}}],
    }


def test_code_server_and_runs_have_the_same_databases(values: dict[str, Any], deployment: dict[str, Any]) -> None:
    run = values["runLauncher"]["config"]["k8sRunLauncher"]
    assert deployment["envSecrets"] == run["envSecrets"]
    # Neither needs the archive or the agent database.
    for server in (values["dagsterWebserver"], values["dagsterDaemon"]):
        assert server["envSecrets"] == [{"name": "keifu-dagster"}]


def test_the_code_server_is_this_project(deployment: dict[str, Any]) -> None:
    flag, module = deployment["codeServerArgs"]
    assert flag == "-m"
    assert find_spec(module) is not None
    aliases = {str(field.alias) for field in Settings.model_fields.values()}
    assert {entry["name"] for entry in deployment["env"]} <= aliases
    shards = next(int(entry["value"]) for entry in deployment["env"] if entry["name"] == "KEIFU_SWEEP_SHARDS")
    assert shards > 1


def test_as_many_runs_at_once_as_shards(values: dict[str, Any], deployment: dict[str, Any]) -> None:
    shards = next(int(entry["value"]) for entry in deployment["env"] if entry["name"] == "KEIFU_SWEEP_SHARDS")
    assert values["concurrency"]["runs"]["maxConcurrentRuns"] >= shards


def test_secrets_are_named_and_explained_and_never_written(values: dict[str, Any]) -> None:
    text = (ROOT / "deploy/helm/values.yaml").read_text(encoding="utf-8")
    guide = (ROOT / "docs/deployment.md").read_text(encoding="utf-8")
    named = set(re.findall(r"name: (keifu-(?:databases|dagster)\S*)", text)) | {
        values["global"]["postgresqlSecretName"]
    }
    assert named == {"keifu-databases", "keifu-dagster", "keifu-dagster-postgresql"}
    assert {name for name in named if f"secret generic {name} " not in guide} == set()
    assert not values["generatePostgresqlPasswordSecret"]
    assert "postgresqlPassword:" not in text


def test_nothing_runs_as_root(values: dict[str, Any], deployment: dict[str, Any]) -> None:
    (user,) = re.findall(r"useradd .*--uid (\d+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    run = values["runLauncher"]["config"]["k8sRunLauncher"]["runK8sConfig"]["podSpecConfig"]["securityContext"]
    for context in (values["dagsterWebserver"]["podSecurityContext"], deployment["podSecurityContext"], run):
        assert context["runAsUser"] == int(user)
    assert values["dagsterWebserver"]["service"]["port"] >= 1024
