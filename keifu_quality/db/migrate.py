"""Bringing the agent database to the shape that this version of the product needs.

What belongs here: the one migration step, for our tables (alembic) and LangGraph's (their own `setup`), and the
check that it was done. What stays out: the revisions (`keifu_quality/db/migrations/versions`).
"""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from langgraph.checkpoint.postgres import PostgresSaver
from psycopg import Connection, sql
from psycopg.rows import DictRow
from sqlalchemy import Engine
from sqlalchemy import text as sql_text

from keifu_quality.db.checkpoints import CHECKPOINT_SCHEMA, open_saver
from keifu_quality.db.engine import agent_engine, connect_agent_psycopg
from keifu_quality.errors import AgentSchemaOutdated
from keifu_quality.settings import Settings

if TYPE_CHECKING:
    from alembic.config import Config

# Any number will do as long as it never changes: it is what two migrating processes meet at.
MIGRATION_LOCK = 5_201_314_771
LOCK_POLL_SECONDS = 0.2
LOCK_WAIT_SECONDS = 300.0

_STATE = sql_text(
    "SELECT to_regclass('alembic_version') IS NOT NULL AS ours,"
    " to_regclass('langgraph.checkpoint_migrations') IS NOT NULL AS langgraphs"
)
_VERSIONS = sql_text(
    "SELECT (SELECT string_agg(version_num, ',') FROM alembic_version) AS ours,"
    " (SELECT max(v) FROM langgraph.checkpoint_migrations) AS langgraphs"
)


def upgrade(settings: Settings) -> str:
    """Migrate the agent database to the newest revision and return its name. Safe to repeat, and in parallel.

    Raises TransactionPoolerRefused, and AgentSchemaOutdated when another process holds the migration for five minutes.
    """
    from alembic import command  # noqa: PLC0415

    config = alembic_config()
    with _exclusive(settings) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(CHECKPOINT_SCHEMA)))
        with open_saver(settings) as saver:
            saver.setup()
        engine = agent_engine(settings, pool_size=1)
        try:
            with engine.begin() as migration:
                config.attributes["connection"] = migration
                command.upgrade(config, "head")
        finally:
            engine.dispose()
    return head()


def check(engine: Engine) -> None:
    """Raise AgentSchemaOutdated unless the agent database is at the revision that this version of the product needs."""
    with engine.connect() as connection:
        state = connection.execute(_STATE).one()
        if not (state.ours and state.langgraphs):
            raise AgentSchemaOutdated("The agent database has no tables yet. Run: keifu db migrate")
        found = connection.execute(_VERSIONS).one()
    if found.ours != head():
        raise AgentSchemaOutdated(
            f"The agent database is at revision {found.ours}, this version of keifu-quality needs {head()}. "
            "Run: keifu db migrate (with the newest version that uses this database)"
        )
    if found.langgraphs is None or found.langgraphs < len(PostgresSaver.MIGRATIONS) - 1:
        raise AgentSchemaOutdated("LangGraph's checkpoint tables are older than its library. Run: keifu db migrate")


def head() -> str:
    """The newest revision that this version of the product brings."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    revision = ScriptDirectory.from_config(alembic_config()).get_current_head()
    assert revision is not None, "the package holds the migrations"  # noqa: S101
    return revision


@contextmanager
def _exclusive(settings: Settings) -> Iterator[Connection[DictRow]]:
    with closing(connect_agent_psycopg(settings, purpose="migration")) as connection:
        deadline = time.monotonic() + LOCK_WAIT_SECONDS
        # LangGraph creates its indexes concurrently, which waits for every running statement of the database: a
        # second process that blocked inside pg_advisory_lock would wait for the first and be waited for by it. So
        # it asks and sleeps.
        while not _try_lock(connection):
            if time.monotonic() > deadline:
                raise AgentSchemaOutdated("Another process has been migrating the agent database for five minutes.")
            time.sleep(LOCK_POLL_SECONDS)
        yield connection


def _try_lock(connection: Connection[DictRow]) -> bool:
    row = connection.execute("SELECT pg_try_advisory_lock(%s) AS held", (MIGRATION_LOCK,)).fetchone()
    return bool(row and row["held"])


def alembic_config() -> "Config":
    """Alembic's configuration over the revisions of this package; the caller sets `attributes["connection"]`."""
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config
