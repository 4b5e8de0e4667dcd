"""Keeping Dagster's event log small: a nightly roster adds gigabytes of events a year.

Belongs here: the job and its weekly schedule. Stays out: the statements (`keifu_quality.db.event_log_purge`).
"""

from datetime import UTC, datetime, timedelta

import dagster as dg
from sqlalchemy import create_engine

from keifu_quality.db.engine import dagster_url
from keifu_quality.db.event_log_purge import purge_events
from keifu_quality.defs.checks import ASSET
from keifu_quality.defs.sweep import TIME_ZONE
from keifu_quality.settings import load_settings

WEEKLY = "0 5 * * 0"


@dg.op
def purge_event_log_op(context: dg.OpExecutionContext) -> None:
    """Deletes materialization events of athletes that are older than KEIFU_EVENT_LOG_RETENTION_DAYS.

    The newest of each partition stays. What was found is in the agent database and is not touched.
    """
    settings = load_settings()
    before = datetime.now(UTC) - timedelta(days=settings.event_log_retention_days)
    engine = create_engine(dagster_url(settings))
    try:
        purged = purge_events(engine, ASSET.to_string(), before=before)
    finally:
        engine.dispose()
    context.log.info(f"{purged} events from before {before:%Y-%m-%d} were deleted")
    context.add_output_metadata({"events_deleted": purged})


@dg.job(executor_def=dg.in_process_executor)
def purge_event_log() -> None:
    """Delete old materialization events of athletes from Dagster's event log; the newest of each stays."""
    purge_event_log_op()


def build_weekly_purge() -> dg.ScheduleDefinition:
    """The schedule: Sunday before dawn in Japan's time, when the night's sweep is done."""
    return dg.ScheduleDefinition(
        name="weekly_purge",
        job=purge_event_log,
        cron_schedule=WEEKLY,
        execution_timezone=TIME_ZONE,
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )
