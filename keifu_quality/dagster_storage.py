"""Dagster's event log on PostgreSQL through connections that are kept, with partition keys that are kept.

Belongs here: the storage class that dagster.yaml names. Stays out: what the log holds. The stock class opens a
connection for every statement batch, two or three an event, which costs more than the event itself; and it reads all
partition keys anew for each query of each page, which at 100,000 keys is most of the page's time.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Self

from dagster._core.storage.event_log.schema import DynamicPartitionsTable
from dagster._core.storage.event_log.sql_event_log import DYNAMIC_PARTITION_MEMBERSHIP_CHUNK_SIZE
from dagster._serdes import ConfigurableClassData
from dagster_postgres import PostgresEventLogStorage
from dagster_postgres.utils import pg_url_from_config
from sqlalchemy import QueuePool, create_engine, func, select

POOL_SIZE = 2
MORE_UNDER_LOAD = 20
RECYCLE_SECONDS = 900


KeysVersion = tuple[int, int]
"""Number and sum of the ids of a definition's rows. New rows have greater ids, so that equal means unchanged."""


class PooledPostgresEventLogStorage(PostgresEventLogStorage):
    """Dagster's PostgresEventLogStorage with a connection pool; configured in the same way.

    Dynamic partition keys are read when they changed since this process read them last, whoever changed them.
    """

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
        self._keys: dict[str, tuple[KeysVersion, tuple[str, ...]]] = {}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]) -> Self:
        """The storage that a block of dagster.yaml describes."""
        return cls(
            postgres_url=pg_url_from_config(config_value),
            should_autocreate_tables=config_value.get("should_autocreate_tables", True),
            inst_data=inst_data,
        )

    def get_dynamic_partitions(self, partitions_def_name: str) -> list[str]:
        """All keys of a definition, in the order in which they were added."""
        table = DynamicPartitionsTable
        of_definition = table.c.partitions_def_name == partitions_def_name
        with self.index_connection() as connection:
            number, total = connection.execute(select(func.count(), func.sum(table.c.id)).where(of_definition)).one()
            kept = self._keys.get(partitions_def_name)
            if kept is None or kept[0] != (number, int(total or 0)):
                rows = connection.execute(
                    select(table.c.partition, table.c.id).where(of_definition).order_by(table.c.id)
                ).all()
                # The version is that of these very rows: others may have changed the table since it was looked at.
                kept = (len(rows), sum(row[1] for row in rows)), tuple(row[0] for row in rows)
                self._keys[partitions_def_name] = kept
        return list(kept[1])

    def get_existing_dynamic_partitions(
        self, partitions_def_name: str, partition_keys: Sequence[str]
    ) -> AbstractSet[str]:
        """Those of the given keys that a definition has.

        The stock class names each key to the database, again for each query of the first page after a sweep.
        """
        if len(partition_keys) <= DYNAMIC_PARTITION_MEMBERSHIP_CHUNK_SIZE:
            return super().get_existing_dynamic_partitions(partitions_def_name, partition_keys)
        return set(self.get_dynamic_partitions(partitions_def_name)).intersection(partition_keys)

    def dispose(self) -> None:
        """Closes the kept connections."""
        super().dispose()
        self._engine.dispose()
