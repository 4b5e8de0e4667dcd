"""Fixtures that give a test real PostgreSQL databases.

One embedded server runs per test session, shared by the workers of pytest-xdist. Every database is a copy of a
template, which takes about 0.2 s; those of a function are dropped after it, others go with the server.

embedded_server     session: the server (`keifu_quality.db.embedded.EmbeddedServer`)
new_databases       session: a factory; each call gives a fresh `DatabaseUrls`: a business database with the archive's
                    empty tables, owned by keifu_owner and readable by keifu_reader, and a migrated agent database.
                    With `dagster=True` an empty database for Dagster too, else `dagster` is one that all share.
                    Use it to build a fixture of module or session scope, with `settings_for`.
databases           function: one fresh `DatabaseUrls`
business_owner_url  function: SQLAlchemy URL (psycopg 3) of the fresh business database; may write: loads test data
business_url        function: the same database, read only
agent_url           function: the fresh agent database
settings            function: `Settings` over `databases`, with KEIFU_HOME in a temporary directory; the product's own
                    variables are taken out of the environment
sample              session: a generated roster and the databases that hold it; only to be read
sample_settings     function: the sample's business database beside a fresh agent and a fresh Dagster database, also in
                    the environment, so that the command line and Dagster find them

`url.replace("postgresql+psycopg", "postgresql", 1)` is what `psycopg.connect` takes. Mark such tests with
`pytestmark = pytest.mark.postgres`.
"""

import os
from collections.abc import Iterator
from importlib.resources import files
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir
from typing import Protocol

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url

from keifu_quality.db import migrate, roles
from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer
from keifu_quality.dsn import PSYCOPG2
from keifu_quality.settings import Settings

BUSINESS_TEMPLATE = "template_business"
AGENT_TEMPLATE = "template_agent"
OWN_VARIABLES = ("KEIFU_", "TASUKI_KEIFU_", "DAGSTER_", "LANGSMITH_")


# pytest clears old temporary directories away while another run still uses them, so the server has one of its own.
SERVER_DIRECTORY = Path(gettempdir()) / f"keifu-test-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"
SERVER_SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def pytest_sessionstart() -> None:
    """Say that this process may use the server; all workers of a run do so before the first test."""
    holders = SERVER_DIRECTORY / "holders"
    holders.mkdir(parents=True, exist_ok=True)
    (holders / str(os.getpid())).touch()


def pytest_sessionfinish() -> None:
    """Stop the server and remove its directory when the last process of the run is done."""
    holders = SERVER_DIRECTORY / "holders"
    (holders / str(os.getpid())).unlink(missing_ok=True)
    try:
        holders.rmdir()
    except OSError:
        return
    EmbeddedServer(SERVER_DIRECTORY / "pg").stop()
    rmtree(SERVER_DIRECTORY)


@pytest.fixture(scope="session")
def embedded_server() -> EmbeddedServer:
    server = EmbeddedServer(SERVER_DIRECTORY / "pg", server_settings=SERVER_SETTINGS)
    server.start()
    with server.superuser() as connection:
        connection.execute("SELECT pg_advisory_lock(1)")
        known = {row[0] for row in connection.execute("SELECT datname FROM pg_database")}
        if AGENT_TEMPLATE not in known:
            _build_templates(server, connection)
    return server


class NewDatabases(Protocol):
    """The factory that `new_databases` gives."""

    def __call__(self, *, dagster: bool = False) -> DatabaseUrls: ...


@pytest.fixture(scope="session")
def new_databases(embedded_server: EmbeddedServer) -> NewDatabases:
    numbers = count()

    def make(*, dagster: bool = False) -> DatabaseUrls:
        suffix = f"{os.getpid()}_{next(numbers)}"
        business = roles.DatabasePlan(f"business_{suffix}", roles.BUSINESS_OWNER, (roles.BUSINESS_READER,))
        agent = roles.DatabasePlan(f"agent_{suffix}", roles.AGENT_ROLE)
        storage = roles.DatabasePlan(f"dagster_{suffix}" if dagster else roles.DAGSTER_DATABASE, roles.DAGSTER_ROLE)
        copies = [(business, BUSINESS_TEMPLATE), (agent, AGENT_TEMPLATE)]
        if dagster:
            copies.append((storage, "template0"))
        with embedded_server.superuser() as connection:
            for plan, template in copies:
                connection.execute(roles.create_database_statement(plan, template=template))
                for statement in roles.connect_statements(plan):
                    connection.execute(statement)
        return DatabaseUrls(
            business_owner=embedded_server.url(roles.BUSINESS_OWNER, business.name),
            business=embedded_server.url(roles.BUSINESS_READER, business.name),
            agent=embedded_server.url(roles.AGENT_ROLE, agent.name),
            dagster=embedded_server.url(roles.DAGSTER_ROLE, storage.name, driver=PSYCOPG2),
        )

    return make


@pytest.fixture
def databases(new_databases: NewDatabases, embedded_server: EmbeddedServer) -> Iterator[DatabaseUrls]:
    made = new_databases()
    yield made
    with embedded_server.superuser() as connection:
        for url in (made.business, made.agent):
            name = sql.Identifier(make_url(url).database or "")
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture
def business_owner_url(databases: DatabaseUrls) -> str:
    return databases.business_owner


@pytest.fixture
def business_url(databases: DatabaseUrls) -> str:
    return databases.business


@pytest.fixture
def agent_url(databases: DatabaseUrls) -> str:
    return databases.agent


@pytest.fixture
def settings(databases: DatabaseUrls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in [name for name in os.environ if name.startswith(OWN_VARIABLES)]:
        monkeypatch.delenv(name)
    return settings_for(databases, tmp_path / "keifu")


def settings_for(databases: DatabaseUrls, home: Path) -> Settings:
    """Settings over the given databases, for fixtures of a wider scope than a function."""
    return Settings.model_validate(
        {
            "TASUKI_KEIFU_BUSINESS_DATABASE_URL": databases.business,
            "TASUKI_KEIFU_AGENT_DATABASE_URL": databases.agent,
            "DAGSTER_PG_URL": databases.dagster,
            "KEIFU_HOME": home,
        }
    )


def _build_templates(server: EmbeddedServer, connection: psycopg.Connection) -> None:
    business = roles.DatabasePlan(BUSINESS_TEMPLATE, roles.BUSINESS_OWNER)
    connection.execute(roles.create_database_statement(business))
    with server.superuser(BUSINESS_TEMPLATE) as superuser:
        for statement in roles.reader_statements():
            superuser.execute(statement)
    owner_url = server.url(roles.BUSINESS_OWNER, BUSINESS_TEMPLATE, driver="postgresql")
    with psycopg.connect(owner_url) as owner:
        owner.execute(files("keifu_quality.db").joinpath("business_schema.sql").read_bytes())
    building = roles.DatabasePlan("building_agent", roles.AGENT_ROLE)
    connection.execute(roles.create_database_statement(building))
    migrate.upgrade(
        settings_for(
            DatabaseUrls(
                business_owner=owner_url,
                business=server.url(roles.BUSINESS_READER, BUSINESS_TEMPLATE),
                agent=server.url(roles.AGENT_ROLE, building.name),
                dagster=server.url(roles.DAGSTER_ROLE, roles.DAGSTER_DATABASE),
            ),
            Path(gettempdir()),
        )
    )
    connection.execute(
        sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(building.name), sql.Identifier(AGENT_TEMPLATE))
    )
