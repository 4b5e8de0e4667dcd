"""Runs of single athletes whose process died: settled as failed, with why.

Belongs here: telling a lost run from one at work, by the lock that every working run holds. Called whenever the command
line opens the service, when a sweep begins, and every few minutes by the sensor `silent_changes`. Stays out: going on
with such a run (`keifu_quality.diagnosis`), which stays possible, and Dagster's own runs
(`keifu_quality.dagster_launcher`).
"""

from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta

from sqlalchemy import Engine

from graphs.contracts import Target, ToolError
from graphs.ports import Clock
from keifu_quality.db.agent import RunStatus
from keifu_quality.db.engine import connect_agent_psycopg
from keifu_quality.db.run_lock import run_lock
from keifu_quality.db.runs import RunStore
from keifu_quality.db.stale_runs import stale_runs
from keifu_quality.errors import RunBusy
from keifu_quality.settings import Settings

RUN_LOST = "run_lost"


def settle_lost_runs(settings: Settings, agent: Engine, *, clock: Clock) -> Sequence[str]:
    """Settles runs as failed that began KEIFU_RUN_LOST_AFTER_MINUTES ago or earlier and that no process works on.

    Gives their ids. `keifu resume` still goes on with them. May run at once in several processes.
    """
    before = clock.now() - timedelta(minutes=settings.run_lost_after_minutes)
    suspects = stale_runs(agent, before=before)
    if not suspects:
        return ()
    store = RunStore(agent)
    settled: list[str] = []
    with closing(connect_agent_psycopg(settings, purpose="lost runs")) as session:
        for run_id in suspects:
            try:
                with run_lock(session, run_id):
                    if _settle(store, run_id, clock):
                        settled.append(run_id)
            except RunBusy:
                continue
    return settled


def _settle(store: RunStore, run_id: str, clock: Clock) -> bool:
    row = store.run(run_id)
    if row["status"] != RunStatus.RUNNING:
        return False
    reason = ToolError(
        code=RUN_LOST, message=f"The process that worked on the run ended in mid-run. Go on: keifu resume {run_id}"
    )
    target = Target(person_id=row["person_id"], person_slug=row["person_slug"])
    store.fail(run_id, node=row["current_node"], target=target, reason=reason, ended_at=clock.now())
    return True
