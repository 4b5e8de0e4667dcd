"""`keifu ui`: it ends with everything it started, and says what is wrong with an address or a home."""

import os
import signal
import socket
from pathlib import Path

import pytest

from keifu_quality.cli.main import main
from keifu_quality.settings import Settings
from tests.ui_server import alive, running_ui

# The supervisor, the web server, the daemon, the code server and its worker.
FEWEST_PROCESSES = 5


@pytest.mark.postgres
@pytest.mark.dagster
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("number", "in_background"), [(signal.SIGINT, False), (signal.SIGTERM, True)], ids=["terminal", "background"]
)
def test_a_signal_ends_every_process(
    sample_settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
    *,
    in_background: bool,
) -> None:
    # Dagster warns of a dagster.yaml in a current folder that is not its home.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dagster.yaml").touch()
    with running_ui(tmp_path, in_background=in_background) as server:
        started = server.descendants()
        assert len(started) >= FEWEST_PROCESSES
        server.process.send_signal(number)
        assert server.process.wait(timeout=120) == 0
        assert not started & alive()
        log = server.log.read_text()
    assert "Dagster services shut down." in log
    assert "superseded" not in log
    assert "dagster.yaml" not in log


@pytest.mark.postgres
@pytest.mark.dagster
@pytest.mark.timeout(600)
def test_nothing_outlives_a_dagster_that_broke_down(sample_settings: Settings, tmp_path: Path) -> None:
    with running_ui(tmp_path) as server:
        started = server.descendants()
        (dagster,) = server.children()
        os.kill(dagster, signal.SIGKILL)
        assert server.process.wait(timeout=120) == 1
        assert not started & alive()
        assert "Dagster ended by itself" in server.log.read_text()


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SystemExit) as ended:
            main(["ui", "--port", str(port)])
    assert ended.value.code == 1
    message = capsys.readouterr().err
    assert f"port {port} of 127.0.0.1" in message
    assert "--port" in message


def test_an_address_of_another_machine_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    # An address for documentation (RFC 5737), so that no machine has it.
    with pytest.raises(SystemExit) as ended:
        main(["ui", "--host", "192.0.2.1"])
    assert ended.value.code == 1
    assert "192.0.2.1" in capsys.readouterr().err


@pytest.mark.postgres
def test_a_home_that_does_not_exist_is_refused(
    sample_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DAGSTER_HOME", os.fspath(tmp_path / "missing"))
    with pytest.raises(SystemExit) as ended:
        main(["ui", "--port", "3999"])
    assert ended.value.code == 1
    assert "DAGSTER_HOME" in capsys.readouterr().err
    assert not (tmp_path / "missing").exists()
