"""Fixtures for tests that fill the business database by hand, or change its privileges or tables."""

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Engine

from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.access import Faults, TableFault
from keifu_quality.db.business.reader import DatabaseReader
from keifu_quality.db.business_contract import check_contract
from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer
from keifu_quality.db.engine import agent_engine, business_engine
from keifu_quality.settings import Settings
from tests.keifu_quality.db.archive import Archive

Administer = Callable[[str], None]


@pytest.fixture
def administer(embedded_server: EmbeddedServer, databases: DatabaseUrls) -> Administer:
    """Run one statement as superuser in the business database of the test."""
    name = databases.business.rsplit("/", 1)[1].split("?")[0]

    def run(statement: str) -> None:
        with embedded_server.superuser(name) as connection:
            connection.execute(statement.encode())

    return run


@pytest.fixture
def archive(business_owner_url: str) -> Iterator[Archive]:
    """The test's business database, to be filled by hand."""
    made = Archive(business_owner_url)
    yield made
    made.close()


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


@pytest.fixture
def index(agent: Engine, business: Engine) -> AthleteIndex:
    """The index of athletes, not refreshed yet."""
    return AthleteIndex(agent, business)


@pytest.fixture
def reader(business: Engine, index: AthleteIndex) -> DatabaseReader:
    """A reader that finds every table readable until a statement fails."""

    def inspect() -> Faults:
        with business.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            unavailable = check_contract(connection).unavailable()
        return {table: TableFault(table, "table_unreadable", message) for table, message in unavailable.items()}

    return DatabaseReader(business, index, inspect=inspect)
