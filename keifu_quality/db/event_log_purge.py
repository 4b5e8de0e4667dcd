"""Old materialization events of one asset, taken out of Dagster's event log.

Belongs here: bounded statements on Dagster's tables event_logs and asset_event_tags; Dagster itself deletes only whole
runs or all events of a partition. Stays out: when, and how long events are kept. A test holds the tables to the columns
that are used here.
"""

from datetime import datetime

from sqlalchemy import Engine, text

BATCH = 5_000

# The newest event of a partition stays, whatever its age: it is what the partition's status rests on.
_PURGE = text("""
WITH old AS (
    SELECT e.id
    FROM event_logs e
    WHERE e.asset_key = :asset_key
        AND e.dagster_event_type IN ('ASSET_MATERIALIZATION', 'ASSET_MATERIALIZATION_PLANNED')
        AND e.partition IS NOT NULL AND e.id > :after AND e.timestamp < :before
        AND EXISTS (
            SELECT FROM event_logs newer
            WHERE newer.asset_key = e.asset_key AND newer.dagster_event_type = e.dagster_event_type
                AND newer.partition = e.partition AND newer.id > e.id)
    ORDER BY e.id
    LIMIT :batch
), tags AS (
    DELETE FROM asset_event_tags t USING old WHERE t.event_id = old.id
), gone AS (
    DELETE FROM event_logs e USING old WHERE e.id = old.id RETURNING e.id
)
SELECT count(*), max(id) FROM gone
""")


def purge_events(storage: Engine, asset_key: str, *, before: datetime) -> int:
    """Deletes the asset's older materialization events of partitions and gives their number.

    `asset_key` is as Dagster stores it, such as `["person_diagnosis"]`; `before` is aware. Short transactions, so that
    runs go on writing; a purge that was cut off is gone on with by the next.
    """
    parameters = {"asset_key": asset_key, "before": before.replace(tzinfo=None), "batch": BATCH}
    purged, after = 0, 0
    while True:
        with storage.begin() as connection:
            count, last = connection.execute(_PURGE, {**parameters, "after": after}).one()
        purged += count
        if count < BATCH:
            return purged
        after = last
