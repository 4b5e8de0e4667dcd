"""Runs that are called running for long.

Belongs here: that one read of the ledger. Stays out: whether somebody works on them (`keifu_quality.lost_runs`).
"""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Engine, select

from keifu_quality.db.agent import RunStatus, agent_runs


def stale_runs(agent: Engine, *, before: datetime) -> Sequence[str]:
    """The ids of running runs that were started before an instant, the oldest first."""
    query = (
        select(agent_runs.c.run_id)
        .where(agent_runs.c.status == RunStatus.RUNNING, agent_runs.c.started_at <= before)
        .order_by(agent_runs.c.started_at)
    )
    with agent.connect() as connection:
        return list(connection.execute(query).scalars())
