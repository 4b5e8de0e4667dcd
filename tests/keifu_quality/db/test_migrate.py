"""The migration of the agent database: repeatable, safe in parallel, equal to the definitions, reversible."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import CheckConstraint, Engine, inspect, text
from sqlalchemy.exc import IntegrityError

from keifu_quality.db import migrate, roles
from keifu_quality.db.agent import agent_runs, metadata
from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer
from keifu_quality.db.engine import agent_engine
from keifu_quality.errors import AgentSchemaOutdated
from keifu_quality.settings import Settings
from tests.conftest import settings_for

pytestmark = pytest.mark.postgres


@pytest.fixture
def empty(embedded_server: EmbeddedServer, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Settings whose agent database has no tables yet."""
    plan = roles.DatabasePlan(f"empty_{abs(hash(request.node.nodeid))}", roles.AGENT_ROLE)
    with embedded_server.superuser() as connection:
        connection.execute(roles.create_database_statement(plan))
    urls = embedded_server.urls()
    yield settings_for(
        DatabaseUrls(
            urls.business_owner, urls.business, embedded_server.url(roles.AGENT_ROLE, plan.name), urls.dagster
        ),
        tmp_path,
    )
    with embedded_server.superuser() as connection:
        connection.execute(f"DROP DATABASE {plan.name} WITH (FORCE)".encode())


@pytest.fixture
def agent(settings: Settings) -> Iterator[Engine]:
    engine = agent_engine(settings)
    yield engine
    engine.dispose()


def test_processes_that_migrate_at_once_all_succeed(empty: Settings) -> None:
    start = threading.Barrier(4)

    def run(_number: int) -> str:
        start.wait()
        return migrate.upgrade(empty)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(run, range(4))) == {migrate.head()}
    engine = agent_engine(empty)
    migrate.check(engine)
    with engine.connect() as connection:
        invalid = connection.execute(text("SELECT count(*) FROM pg_index WHERE NOT indisvalid")).scalar_one()
    engine.dispose()
    assert invalid == 0


def test_a_second_migration_changes_nothing(settings: Settings, agent: Engine) -> None:
    with agent.begin() as connection:
        connection.execute(text("INSERT INTO athlete_index_state VALUES (1, 'd', 3, now())"))
    assert migrate.upgrade(settings) == migrate.head()
    with agent.connect() as connection:
        assert connection.execute(text("SELECT athlete_count FROM athlete_index_state")).scalar_one() == 3


def test_an_empty_database_says_what_to_run(empty: Settings) -> None:
    engine = agent_engine(empty)
    with pytest.raises(AgentSchemaOutdated, match="keifu db migrate"):
        migrate.check(engine)
    engine.dispose()


def test_an_older_revision_says_what_to_run(agent: Engine) -> None:
    migrate.check(agent)
    with agent.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0000'"))
    with pytest.raises(AgentSchemaOutdated, match=r"revision 0000.*keifu db migrate"):
        migrate.check(agent)


def test_older_checkpoint_tables_say_what_to_run(agent: Engine) -> None:
    with agent.begin() as connection:
        connection.execute(text("DELETE FROM langgraph.checkpoint_migrations WHERE v > 3"))
    with pytest.raises(AgentSchemaOutdated, match="LangGraph"):
        migrate.check(agent)


def test_the_revisions_make_what_the_definitions_say(agent: Engine) -> None:
    config = migrate.alembic_config()
    with agent.connect() as connection:
        config.attributes["connection"] = connection
        command.check(config)
        for table in metadata.sorted_tables:
            made = {check["name"] for check in inspect(connection).get_check_constraints(table.name)}
            said = {str(check.name) for check in table.constraints if isinstance(check, CheckConstraint)}
            assert made == said


def test_every_revision_can_be_taken_back(settings: Settings, agent: Engine) -> None:
    config = migrate.alembic_config()
    with agent.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    with agent.connect() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
        assert inspect(connection).get_view_names() == []
    migrate.upgrade(settings)
    migrate.check(agent)


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"status": "done"}, "ck_agent_runs_status"),
        ({"outcome": "fine"}, "ck_agent_runs_outcome"),
        ({"triggered_by": "cron"}, "ck_agent_runs_triggered_by"),
        ({"status": "running", "outcome": "completed"}, "ck_agent_runs_outcome_of_status"),
        ({"status": "failed", "outcome": None}, "ck_agent_runs_outcome_of_status"),
    ],
)
def test_a_run_keeps_to_the_known_words(agent: Engine, values: dict[str, str | None], constraint: str) -> None:
    row = {
        "run_id": "r1",
        "graph_name": "person_diagnosis",
        "graph_version": "1",
        "rule_set_version": "1",
        "status": "completed",
        "outcome": "completed",
        "triggered_by": "cli",
        "input_json": {},
    }
    with agent.begin() as connection:
        connection.execute(agent_runs.insert().values(row | {"run_id": "r0"}))
    with agent.begin() as connection, pytest.raises(IntegrityError, match=constraint):
        connection.execute(agent_runs.insert().values(row | values))


def test_the_index_has_one_state(agent: Engine) -> None:
    with agent.begin() as connection, pytest.raises(IntegrityError, match="one_row"):
        connection.execute(text("INSERT INTO athlete_index_state VALUES (2, 'd', 3, now())"))
