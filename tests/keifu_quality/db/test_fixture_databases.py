"""The databases that the fixtures give are what their description says."""

import psycopg
import pytest
from sqlalchemy import create_engine, text

from keifu_quality.db.engine import business_engine
from keifu_quality.settings import Settings

pytestmark = pytest.mark.postgres


def test_owner_writes_what_the_reader_sees(business_owner_url: str, settings: Settings) -> None:
    owner = create_engine(business_owner_url)
    with owner.begin() as connection:
        connection.execute(
            text("""INSERT INTO "Competition" (id, slug, "nameJa", "updatedAt") VALUES ('c', 'c', '駅伝', now())""")
        )
    owner.dispose()
    reader = business_engine(settings)
    with reader.connect() as connection:
        assert connection.execute(text('SELECT "nameJa" FROM "Competition"')).scalar_one() == "駅伝"
    reader.dispose()


def test_databases_are_fresh_and_closed_to_other_roles(settings: Settings, agent_url: str, business_url: str) -> None:
    with business_engine(settings).connect() as connection:
        assert connection.execute(text('SELECT count(*) FROM "Competition"')).scalar_one() == 0
    stranger = agent_url.replace("postgresql+psycopg", "postgresql", 1).replace("keifu_agent@", "keifu_reader@")
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(stranger)
    stranger = business_url.replace("postgresql+psycopg", "postgresql", 1).replace("keifu_reader@", "keifu_agent@")
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(stranger)
