"""When every athlete's digest was compared after the archive was set back.

Belongs here: the one statement over sweeps and the watch over imports that says so. Stays out: either by itself
(`keifu_quality.db.sweeps`, `keifu_quality.db.imports.ledger`).
"""

from sqlalchemy import Engine, text

_NOTE = text("""
UPDATE import_watch w
SET full_sweep_due = false
WHERE w.full_sweep_due AND :shards = (
    SELECT count(DISTINCT s.shard)
    FROM sweeps s
    WHERE s.shards = :shards AND s.most_athletes IS NULL AND s.ended_at IS NOT NULL AND s.started_at >= w.reset_at
        AND NOT EXISTS (SELECT FROM sweep_chunks c WHERE c.sweep_id = s.id AND c.ended_at IS NULL)
)
""")


def note_full_comparison(agent: Engine, *, shards: int) -> bool:
    """Notes that no full sweep is due any more, once each of so many shards was swept since the archive was set back.

    Gives whether that was noted now.
    """
    with agent.begin() as connection:
        return connection.execute(_NOTE, {"shards": shards}).rowcount == 1
