"""Old entries of athletes that a sweep found unchanged, taken out of the run ledger.

Belongs here: bounded statements on agent_runs; a nightly sweep adds an entry for nearly every athlete of the roster.
Stays out: when, and how long entries are kept. Runs that looked at an athlete, and their results, are not touched.
"""

from datetime import datetime

from sqlalchemy import Engine

BATCH = 20_000

_PURGE = """
WITH old AS (
    SELECT id
    FROM agent_runs
    WHERE status = 'unchanged' AND started_at >= %(after)s::timestamptz AND started_at < %(before)s
    ORDER BY started_at
    LIMIT %(batch)s
), gone AS (
    DELETE FROM agent_runs r USING old WHERE r.id = old.id RETURNING r.started_at
)
SELECT count(*), max(started_at) FROM gone
"""


def purge_unchanged_runs(agent: Engine, *, before: datetime) -> int:
    """Deletes entries of unchanged athletes that began before that time, which is aware, and gives their number.

    Short transactions, so that runs go on writing; a purge that was cut off is gone on with by the next.
    """
    purged, after = 0, "-infinity"
    while True:
        with agent.begin() as connection:
            parameters = {"before": before, "after": after, "batch": BATCH}
            count, last = connection.exec_driver_sql(_PURGE, parameters).one()
        purged += count
        if count < BATCH:
            return purged
        after = last
