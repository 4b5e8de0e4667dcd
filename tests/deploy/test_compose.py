"""deploy/compose.yaml against the project: every command, path and variable in it exists here and is documented."""

import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from keifu_quality.dagster_home import deployment_file
from keifu_quality.settings import Settings
from tests.deploy.launches import ROOT

DEPLOY = ROOT / "deploy"
VARIABLE = re.compile(r"\$\{(?P<name>[A-Z_]+)(?::-(?P<default>[^}]*)|:\?)?\}")
SERVICES = ("postgres", "migrate", "code", "webserver", "daemon")
OURS = SERVICES[1:]


@pytest.fixture(scope="module")
def text() -> str:
    return (DEPLOY / "compose.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def services(text: str) -> dict[str, Any]:
    return yaml.safe_load(VARIABLE.sub(lambda found: found["default"] or "", text))["services"]


@pytest.fixture(scope="module")
def docker_instance() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "docker/dagster.yaml").read_text(encoding="utf-8"))


def documented() -> set[str]:
    return set(re.findall(r"`([A-Z][A-Z_]+)`", (ROOT / "docs/configuration.md").read_text(encoding="utf-8")))


def test_every_variable_is_documented(text: str, services: dict[str, Any]) -> None:
    asked = {found["name"] for found in VARIABLE.finditer(text)}
    set_here = {name for service in services.values() for name in service.get("environment", {})}
    # Those of the postgres image.
    assert asked | set_here - {"POSTGRES_PASSWORD"} <= documented()


def test_every_setting_is_documented() -> None:
    assert {str(field.alias) for field in Settings.model_fields.values()} <= documented()


def test_the_example_names_what_is_required_and_holds_no_value(text: str) -> None:
    lines = (DEPLOY / "example.env").read_text(encoding="utf-8").splitlines()
    entries = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert set(entries.values()) == {""}
    required = set(re.findall(r"\$\{([A-Z_]+):\?\}", text))
    assert {"TASUKI_KEIFU_BUSINESS_DATABASE_URL", "KEIFU_AGENT_PASSWORD"} <= required <= set(entries)
    assert set(entries) <= {found["name"] for found in VARIABLE.finditer(text)}


def test_secrets_come_from_the_environment(text: str) -> None:
    secret = re.findall(r"^ *(\w*(?:PASSWORD|_URL)): *(.+)$", text, flags=re.MULTILINE)
    assert secret
    assert [name for name, value in secret if "${" not in value] == []


def test_ports_are_published_on_loopback_only(services: dict[str, Any]) -> None:
    ports = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert set(ports) == {"webserver", "postgres"}
    assert all(port.startswith("127.0.0.1:") for published in ports.values() for port in published)


def test_commands_and_modules_exist(services: dict[str, Any]) -> None:
    assert tuple(services) == SERVICES
    programs = {"keifu", "dagster"}
    for name in OURS:
        command = services[name]["command"]
        programs.add(command[0] if command[0] != "sh" else command[2].split()[0])
        if "-m" in command:
            assert find_spec(command[command.index("-m") + 1]) is not None
    assert programs == {"keifu", "dagster", "dagster-webserver", "dagster-daemon"}
    beside = str(Path(sys.executable).parent)
    assert [program for program in programs if shutil.which(program, path=beside) is None] == []


def test_paths_exist_in_the_project_and_in_the_image(services: dict[str, Any]) -> None:
    mounted = [entry.split(":")[0] for entry in services["postgres"]["volumes"]]
    assert [path for path in mounted if path.startswith("./") and not (DEPLOY / path).is_file()] == []
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    home = services["daemon"]["environment"]["DAGSTER_HOME"]
    (copied,) = re.findall(rf"^COPY (.+) {home}/$", dockerfile, flags=re.MULTILINE)
    inside = {f"{home}/{Path(source).name}" for source in copied.split()}
    named = {part for name in OURS for part in services[name]["command"] if part.startswith("/opt/")}
    assert named
    assert {*named, f"{home}/dagster.yaml"} <= inside


def test_web_server_and_daemon_find_the_code_server(services: dict[str, Any]) -> None:
    workspace = yaml.safe_load((DEPLOY / "docker/workspace.yaml").read_text(encoding="utf-8"))
    (location,) = (entry["grpc_server"] for entry in workspace["load_from"])
    assert location["host"] in services
    command = services[location["host"]]["command"]
    assert command[command.index("-p") + 1] == str(location["port"])
    same = yaml.safe_load(deployment_file("workspace.yaml").read_text(encoding="utf-8"))
    assert location["location_name"] == same["load_from"][0]["python_module"]["location_name"]


def test_the_daemon_has_what_it_hands_to_runs(services: dict[str, Any], docker_instance: dict[str, Any]) -> None:
    handed = docker_instance["run_launcher"]["config"]["env_vars"]
    assert set(handed) == set(services["daemon"]["environment"])
    aliases = {str(field.alias) for field in Settings.model_fields.values()}
    assert {name for name in handed if name != "DAGSTER_HOME"} <= aliases
    # The web server starts no run and needs no database but Dagster's.
    assert set(services["webserver"]["environment"]) == {"DAGSTER_HOME", "DAGSTER_PG_URL"}


def test_runs_are_in_the_network_of_the_services(text: str, docker_instance: dict[str, Any]) -> None:
    network = yaml.safe_load(text)["networks"]["default"]["name"]
    assert docker_instance["run_launcher"]["config"]["network"] == network


def test_everything_is_watched_and_bounded(services: dict[str, Any]) -> None:
    lasting = [name for name in SERVICES if name != "migrate"]
    assert [name for name in lasting if "healthcheck" not in services[name]] == []
    assert [name for name in SERVICES if "mem_limit" not in services[name]] == []
    assert services["code"]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}


def test_both_instances_differ_in_launcher_and_logs_only(docker_instance: dict[str, Any]) -> None:
    plain = yaml.safe_load(deployment_file("dagster.yaml").read_text(encoding="utf-8"))
    differing = {"run_launcher", "compute_logs"}
    assert {name for name in {*plain, *docker_instance} if plain.get(name) != docker_instance.get(name)} == differing
