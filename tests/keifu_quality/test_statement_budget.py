"""How many statements one diagnosis sends to the business database, counted by the server itself."""

import re
import subprocess
import sys

import pytest
from psycopg import sql
from sqlalchemy import make_url

from keifu_quality.db.embedded import EmbeddedServer
from keifu_quality.sample.demo import DEMO_AMBIGUOUS_SLUG, DEMO_FAULTY_SLUG
from keifu_quality.settings import Settings
from tests.sample_fixtures import SampleRoster

pytestmark = pytest.mark.postgres

BUDGET = 15
STATEMENT = re.compile(r"LOG:  (?:statement|execute [^:]*): ")


@pytest.mark.parametrize("slug", [DEMO_FAULTY_SLUG, DEMO_AMBIGUOUS_SLUG])
def test_a_process_of_its_own_stays_within_the_budget(
    sample_settings: Settings, sample: SampleRoster, embedded_server: EmbeddedServer, slug: str
) -> None:
    del sample_settings
    name = make_url(sample.databases.business).database or ""
    alter = sql.SQL("ALTER DATABASE {} SET log_statement = {}")
    log = embedded_server.directory / "data" / "log"
    with embedded_server.superuser() as connection:
        connection.execute(alter.format(sql.Identifier(name), sql.Literal("all")))
    before = log.stat().st_size
    try:
        subprocess.run(
            [sys.executable, "-m", "keifu_quality.cli.main", "diagnose", "--person-slug", slug],
            check=True,
            capture_output=True,
            timeout=120,
        )
    finally:
        with embedded_server.superuser() as connection:
            connection.execute(alter.format(sql.Identifier(name), sql.Literal("none")))
    written = log.read_bytes()[before:].decode(errors="replace")
    # The superuser's own statements are sent to another database, which logs none.
    assert 0 < len(STATEMENT.findall(written)) <= BUDGET, written
