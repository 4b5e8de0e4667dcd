"""Dagster's event log on PostgreSQL through connections that are kept.

Belongs here: the storage class that dagster.yaml names. Stays out: what the log holds. The stock class opens a
connection for every statement batch, two or three an event, which costs more than the event itself.
"""

from collections.abc import Mapping
from typing import Any, Self

from dagster._serdes import ConfigurableClassData
from dagster_postgres import PostgresEventLogStorage
from dagster_postgres.utils import pg_url_from_config
from sqlalchemy import QueuePool, create_engine

POOL_SIZE = 2
MORE_UNDER_LOAD = 20
RECYCLE_SECONDS = 900


class PooledPostgresEventLogStorage(PostgresEventLogStorage):
    """Dagster's PostgresEventLogStorage with a connection pool; configured in the same way."""

    def __init__(
        self, postgres_url: str, should_autocreate_tables: bool = True, inst_data: ConfigurableClassData | None = None
    ) -> None:
        super().__init__(postgres_url, should_autocreate_tables, inst_data)
        self._engine.dispose()
        self._engine = create_engine(
            postgres_url,
            isolation_level="AUTOCOMMIT",
            poolclass=QueuePool,
            pool_size=POOL_SIZE,
            max_overflow=MORE_UNDER_LOAD,
            pool_recycle=RECYCLE_SECONDS,
            pool_pre_ping=True,
        )

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> Self:
        """The storage that a block of dagster.yaml describes."""
        return cls(
            postgres_url=pg_url_from_config(config_value),
            should_autocreate_tables=config_value.get("should_autocreate_tables", True),
            inst_data=inst_data,
        )

    def dispose(self) -> None:
        """Closes the kept connections."""
        super().dispose()
        self._engine.dispose()
