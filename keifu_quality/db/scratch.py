"""Databases of the embedded server that live only as long as somebody measures in them.

Belongs here: making and dropping them, also those that a killed process left. Stays out: what is loaded into them.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from keifu_quality.db import roles
from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer

_PREFIX = "keifu_scratch"
_NAME = re.compile(rf"{_PREFIX}_(\d+)_(?:business|agent)")


@contextmanager
def scratch_databases(server: EmbeddedServer) -> Iterator[DatabaseUrls]:
    """An empty business database, readable by the reader's role, and an empty agent database, both dropped at the end.

    The databases of the product on the same server are not touched; `dagster` of the URLs is the product's own.
    """
    server.start()
    business = roles.DatabasePlan(f"{_PREFIX}_{os.getpid()}_business", roles.BUSINESS_OWNER, (roles.BUSINESS_READER,))
    agent = roles.DatabasePlan(f"{_PREFIX}_{os.getpid()}_agent", roles.AGENT_ROLE)
    with server.superuser() as connection:
        _drop_orphans(connection)
        try:
            for plan in (business, agent):
                connection.execute(roles.create_database_statement(plan))
                for statement in roles.connect_statements(plan):
                    connection.execute(statement)
            with server.superuser(business.name) as inside:
                for statement in roles.reader_statements():
                    inside.execute(statement)
            yield DatabaseUrls(
                business_owner=server.url(roles.BUSINESS_OWNER, business.name),
                business=server.url(roles.BUSINESS_READER, business.name),
                agent=server.url(roles.AGENT_ROLE, agent.name),
                dagster=server.urls().dagster,
            )
        finally:
            for plan in (business, agent):
                _drop(connection, plan.name)


def _drop(connection: psycopg.Connection, name: str) -> None:
    connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _drop_orphans(connection: psycopg.Connection) -> None:
    from psutil import pid_exists  # noqa: PLC0415

    for (name,) in connection.execute("SELECT datname FROM pg_database").fetchall():
        match = _NAME.fullmatch(name)
        # A database under this process's own number was left by an earlier process of that number.
        if match and (int(match[1]) == os.getpid() or not pid_exists(int(match[1]))):
            _drop(connection, name)
