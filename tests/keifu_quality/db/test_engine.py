"""Connections: session settings, timestamps beyond datetime, time zones, and the refusal of transaction poolers."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Engine, event, text
from sqlalchemy.exc import DBAPIError

from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer
from keifu_quality.db.engine import (
    FAR_FUTURE,
    FAR_PAST,
    agent_dsn,
    agent_engine,
    business_dsn,
    business_engine,
    connect_agent_psycopg,
    dagster_url,
)
from keifu_quality.dsn import render
from keifu_quality.errors import TransactionPoolerRefused
from keifu_quality.settings import Settings
from tests.conftest import settings_for
from tests.keifu_quality.db.conftest import Administer

pytestmark = pytest.mark.postgres


@pytest.fixture
def business(settings: Settings) -> Iterator[Engine]:
    engine = business_engine(settings)
    yield engine
    engine.dispose()


@pytest.fixture
def agent(settings: Settings) -> Iterator[Engine]:
    engine = agent_engine(settings)
    yield engine
    engine.dispose()


def test_the_session_is_set_up_without_a_statement(business: Engine) -> None:
    with business.connect():
        pass
    statements: list[str] = []
    event.listen(business, "before_cursor_execute", lambda _c, _u, statement, *_r: statements.append(statement))
    with business.connect() as connection:
        row = connection.execute(
            text(
                "SELECT current_setting('application_name') AS name, current_setting('statement_timeout') AS statement,"
                " current_setting('lock_timeout') AS lock, current_setting('TimeZone') AS zone,"
                " current_setting('idle_in_transaction_session_timeout') AS idle,"
                " current_setting('search_path') AS path"
            )
        ).one()
    assert len(statements) == 1
    assert row.name.startswith("keifu-quality/")
    assert row.name.endswith(" business")
    assert (row.statement, row.lock, row.zone, row.idle, row.path) == ("1min", "5s", "UTC", "5min", '"public"')


def test_a_dead_machine_is_noticed_on_both_sides(business: Engine) -> None:
    with business.connect() as connection:
        driver = connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        ours, theirs = driver.info.get_parameters(), driver.info.options
    assert (ours["keepalives_idle"], ours["keepalives_interval"], ours["keepalives_count"]) == ("60", "15", "4")
    assert "tcp_keepalives_idle=60" in theirs
    assert "tcp_keepalives_count=4" in theirs


def test_a_write_to_the_business_database_fails_in_the_session_too(business: Engine) -> None:
    with business.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text("CREATE TEMP TABLE t AS SELECT 1"))
    assert isinstance(caught.value.orig, psycopg.errors.ReadOnlySqlTransaction | psycopg.errors.InsufficientPrivilege)


def test_the_statement_timeout_holds(databases: DatabaseUrls, tmp_path: Path) -> None:
    impatient = settings_for(databases, tmp_path).model_copy(update={"statement_timeout_ms": 50})
    engine = business_engine(impatient)
    with engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(text("SELECT pg_sleep(5)"))
    engine.dispose()
    assert isinstance(caught.value.orig, psycopg.errors.QueryCanceled)


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ("infinity", FAR_FUTURE),
        ("-infinity", FAR_PAST),
        ("0044-03-15 12:00:00 BC", FAR_PAST),
        ("12024-04-01 00:00:00", FAR_FUTURE),
        ("2024-04-01 09:30:00.123", datetime(2024, 4, 1, 9, 30, 0, 123_000)),  # noqa: DTZ001
    ],
)
def test_any_timestamp_can_be_read(business: Engine, administer: Administer, stored: str, read: datetime) -> None:
    administer(
        'INSERT INTO "Person" (id, slug, "displayNameJa", "birthDate", "updatedAt")'
        f" VALUES ('p', 'p', '走者', '{stored}', now())"
    )
    with business.connect() as connection:
        assert connection.execute(text('SELECT "birthDate" FROM "Person"')).scalar_one() == read


def test_a_clamped_timestamp_survives_a_change_of_zone() -> None:
    for clamped in (FAR_PAST, FAR_FUTURE):
        for hours in (-12, 14):
            assert clamped.replace(tzinfo=UTC) + timedelta(hours=hours)


def test_the_time_zone_of_the_role_changes_nothing(
    settings: Settings, administer: Administer, databases: DatabaseUrls
) -> None:
    name = databases.business.rsplit("/", 1)[1].split("?")[0]
    administer(f"ALTER ROLE keifu_reader IN DATABASE {name} SET TimeZone = 'Asia/Tokyo'")
    administer(f"ALTER ROLE keifu_reader IN DATABASE {name} SET DateStyle = 'German'")
    engine = business_engine(settings)
    with engine.connect() as connection:
        value = connection.execute(text("SELECT TIMESTAMP '2024-04-01 00:00', now(), '2024-04-01'::timestamp")).one()
    engine.dispose()
    assert value[0] == value[2] == datetime(2024, 4, 1)  # noqa: DTZ001
    assert value[1].utcoffset() == timedelta(0)


def test_the_schema_of_the_url_is_searched(databases: DatabaseUrls, tmp_path: Path, administer: Administer) -> None:
    administer('ALTER SCHEMA public RENAME TO "The Archive"')
    elsewhere = DatabaseUrls(
        databases.business_owner, f"{databases.business}&schema=The%20Archive", databases.agent, databases.dagster
    )
    engine = business_engine(settings_for(elsewhere, tmp_path))
    with engine.connect() as connection:
        assert connection.execute(text('SELECT count(*) FROM "Person"')).scalar_one() == 0
    engine.dispose()


def test_options_of_the_url_are_kept_but_ours_win(databases: DatabaseUrls, tmp_path: Path) -> None:
    options = "&options=-c%20work_mem%3D8MB%20-c%20default_transaction_read_only%3Doff"
    given = DatabaseUrls(databases.business_owner, databases.business + options, databases.agent, databases.dagster)
    engine = business_engine(settings_for(given, tmp_path))
    with engine.connect() as connection:
        row = connection.execute(
            text("SELECT current_setting('work_mem'), current_setting('default_transaction_read_only')")
        ).one()
    engine.dispose()
    assert tuple(row) == ("8MB", "on")


def test_the_agent_engine_writes_and_commits(agent: Engine) -> None:
    with agent.begin() as connection:
        connection.execute(text("CREATE TABLE scratch (n int)"))
    with agent.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM scratch")).scalar_one() == 0


def test_a_connection_of_its_own_is_in_autocommit(settings: Settings) -> None:
    with closing(connect_agent_psycopg(settings, search_path="langgraph")) as connection:
        assert connection.autocommit
        assert connection.execute("SHOW search_path").fetchone() == {"search_path": '"langgraph"'}


@pytest.mark.parametrize("connect", [agent_engine, connect_agent_psycopg])
@pytest.mark.parametrize(
    ("url", "sign"),
    [
        ("postgresql://u:p@pooler.example:6543/db", "port 6543"),
        ("postgresql://u:p@pooler.example/db?port=6543", "port 6543"),
        ("postgresql://u:p@pooler.example:5432/db?port=6543", "port 6543"),
        ("postgresql://u:p@/db?host=pooler.example&port=6543", "port 6543"),
        ("postgresql://u:p@/db?host=db.example,pooler.example&port=5432,6543", "port 6543"),
        ("postgresql://u:p@/db?host=db.example:5432&host=pooler.example:6543", "port 6543"),
        ("postgresql://u:p@pooler.example/db?pgbouncer=true", "pgbouncer"),
    ],
)
def test_a_pooler_is_refused_before_connecting(
    connect: object, url: str, sign: str, databases: DatabaseUrls, tmp_path: Path
) -> None:
    pooled = DatabaseUrls(databases.business_owner, databases.business, url, databases.dagster)
    assert callable(connect)
    with pytest.raises(TransactionPoolerRefused, match=sign):
        connect(settings_for(pooled, tmp_path))


class TestAnsweringPooler:
    """A relay to the server that answers SHOW pool_mode, as PgBouncer does."""

    @pytest.fixture
    def pooled(self, embedded_server: EmbeddedServer, databases: DatabaseUrls, tmp_path: Path) -> Iterator[Settings]:
        status = embedded_server.status()
        listener = socket.create_server(("127.0.0.1", 0))
        target = f"{status.socket_directory}/.s.PGSQL.{status.port}"
        threading.Thread(target=_relay, args=(listener, target), daemon=True).start()
        name = databases.agent.rsplit("/", 1)[1].split("?")[0]
        url = f"postgresql://keifu_agent@127.0.0.1:{listener.getsockname()[1]}/{name}?sslmode=disable"
        yield settings_for(DatabaseUrls(databases.business_owner, databases.business, url, databases.dagster), tmp_path)
        listener.close()

    def test_the_engine_refuses_at_the_first_connection(self, pooled: Settings) -> None:
        engine = agent_engine(pooled)
        with pytest.raises(TransactionPoolerRefused, match="SHOW pool_mode"):
            engine.connect()
        engine.dispose()

    def test_the_connection_is_refused(self, pooled: Settings) -> None:
        with pytest.raises(TransactionPoolerRefused, match="SHOW pool_mode"):
            connect_agent_psycopg(pooled)


def test_unset_urls_mean_the_embedded_server(embedded_server: EmbeddedServer) -> None:
    settings = Settings.model_validate({"KEIFU_HOME": embedded_server.directory.parent})
    urls = embedded_server.urls()
    assert render(business_dsn(settings).url) == urls.business
    assert render(agent_dsn(settings).url) == urls.agent
    assert dagster_url(settings) == urls.dagster


def _relay(listener: socket.socket, target: str) -> None:
    while True:
        try:
            client, _ = listener.accept()
        except OSError:
            return
        server = socket.socket(socket.AF_UNIX)
        server.connect(target)
        for source, sink in ((client, server), (server, client)):
            threading.Thread(target=_pump, args=(source, sink), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    # The same length keeps the protocol's frame whole; any parameter that the server knows will do as an answer.
    try:
        while data := source.recv(65536):
            sink.sendall(data.replace(b"SHOW pool_mode", b"SHOW work_mem "))
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return
