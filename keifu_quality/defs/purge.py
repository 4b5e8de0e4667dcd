"""Keeping the logs small: a nightly roster adds gigabytes a year to Dagster's events and to the run ledger.

Belongs here: the job and its weekly schedule. Stays out: the statements (`keifu_quality.db.event_log_purge`,
`keifu_quality.db.unchanged_purge`).
"""

from datetime import UTC, datetime, timedelta

import dagster as dg
from sqlalchemy import create_engine

from keifu_quality.app import open_agent
from keifu_quality.db.engine import dagster_url
from keifu_quality.db.event_log_purge import purge_events
from keifu_quality.db.unchanged_purge import purge_unchanged_runs
from keifu_quality.defs.checks import ASSET
from keifu_quality.defs.sweep import TIME_ZONE
from keifu_quality.settings import Settings, load_settings

WEEKLY = "0 5 * * 0"


@dg.op
def purge_event_log_op(context: dg.OpExecutionContext) -> None:
    """Deletes materialization events of athletes that are older than KEIFU_RETENTION_DAYS.

    The newest of each partition stays. What was found is in the agent database and is not touched.
    """
    settings = load_settings()
    before = _before(settings)
    engine = create_engine(dagster_url(settings))
    try:
        purged = purge_events(engine, ASSET.to_string(), before=before)
    finally:
        engine.dispose()
    context.log.info(f"{purged} events from before {before:%Y-%m-%d} were deleted")
    context.add_output_metadata({"events_deleted": purged})


@dg.op
def purge_unchanged_runs_op(context: dg.OpExecutionContext) -> None:
    """Deletes entries of athletes that a sweep found unchanged and that are older than KEIFU_RETENTION_DAYS.

    Runs that looked at an athlete stay with their results.
    """
    settings = load_settings()
    before = _before(settings)
    with open_agent(settings) as agent:
        purged = purge_unchanged_runs(agent, before=before)
    context.log.info(f"{purged} entries of unchanged athletes from before {before:%Y-%m-%d} were deleted")
    context.add_output_metadata({"entries_deleted": purged})


@dg.job(executor_def=dg.in_process_executor)
def purge_old_entries() -> None:
    """Delete old materialization events of athletes, the newest of each left out, and old entries of unchanged ones."""
    purge_event_log_op()
    purge_unchanged_runs_op()


def build_weekly_purge() -> dg.ScheduleDefinition:
    """The schedule: Sunday before dawn in Japan's time, when the night's sweep is done."""
    return dg.ScheduleDefinition(
        name="weekly_purge",
        job=purge_old_entries,
        cron_schedule=WEEKLY,
        execution_timezone=TIME_ZONE,
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )


def _before(settings: Settings) -> datetime:
    return datetime.now(UTC) - timedelta(days=settings.retention_days)
