"""Fixtures for tests that change privileges or tables of the business database."""

from collections.abc import Callable

import pytest

from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer

Administer = Callable[[str], None]


@pytest.fixture
def administer(embedded_server: EmbeddedServer, databases: DatabaseUrls) -> Administer:
    """Run one statement as superuser in the business database of the test."""
    name = databases.business.rsplit("/", 1)[1].split("?")[0]

    def run(statement: str) -> None:
        with embedded_server.superuser(name) as connection:
            connection.execute(statement.encode())

    return run
