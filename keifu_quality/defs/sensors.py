"""The sensors besides that of imports: changes without a batch, and runs that failed.

Belongs here: when to ask for a sweep out of turn, and where a failure becomes visible. Stays out: the sweep itself
(`defs.sweep`).
"""

import json
import urllib.request
from datetime import datetime, timedelta
from http.client import HTTPException

import dagster as dg

from keifu_quality.defs.imports import diagnose_import, import_watch
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase
from keifu_quality.defs.sweep import sweep_requests, sweep_roster
from keifu_quality.diagnosis import SystemClock
from keifu_quality.lost_runs import settle_lost_runs
from keifu_quality.settings import load_settings

INTERVAL_SECONDS = 300
PAUSE_BETWEEN_SWEEPS = timedelta(minutes=30)
"""Maintainers who edit for an hour are one or two sweeps, and a sweep that keeps failing is no storm of runs."""
SLACK_TIMEOUT_SECONDS = 5
UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


@dg.sensor(
    job=sweep_roster,
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def silent_changes(
    context: dg.SensorEvaluationContext, business: BusinessDatabase, agent: AgentDatabase
) -> dg.SensorResult:
    """Asks for a sweep when rows changed without an import, or the archive was set back; unchanged athletes are free.

    It also settles runs whose process died. The cursor holds since when changes count, and when a sweep was last asked
    for.
    """
    now = SystemClock().now()
    cursor = json.loads(context.cursor) if context.cursor else {"since": now.isoformat(), "asked": None}
    with agent.open() as engine:
        for run_id in settle_lost_runs(load_settings(), engine, clock=SystemClock()):
            context.log.warning(f"run {run_id} was lost by its process; it counts as failed")
        # Only now, so that runs are settled also where the archive cannot be opened.
        with business.open() as opened:
            watch = import_watch(engine, opened)
            hints = watch.hints(since=datetime.fromisoformat(cursor["since"]))
            set_back = watch.full_sweep_due()
    kept = json.dumps(cursor)
    if not (hints.anything() or set_back):
        return dg.SensorResult(skip_reason="Nothing changed without an import.", cursor=kept)
    if cursor["asked"] and now - datetime.fromisoformat(cursor["asked"]) < PAUSE_BETWEEN_SWEEPS:
        return dg.SensorResult(skip_reason="Rows changed; a sweep was asked for a short while ago.", cursor=kept)
    if context.instance.get_runs(filters=dg.RunsFilter(job_name=sweep_roster.name, statuses=UNFINISHED), limit=1):
        return dg.SensorResult(skip_reason="Rows changed; a sweep that is under way goes first.", cursor=kept)
    context.log.info(f"{len(hints.people)} athletes and {len(hints.bumps)} caches changed without an import")
    asked = now.isoformat()
    return dg.SensorResult(
        run_requests=list(sweep_requests(f"silent {asked}")), cursor=json.dumps({"since": asked, "asked": asked})
    )


@dg.run_failure_sensor(monitored_jobs=[sweep_roster, diagnose_import], default_status=dg.DefaultSensorStatus.RUNNING)
def sweep_failed(context: dg.RunFailureSensorContext) -> None:
    """Says that a sweep or the diagnosis of an import failed: in the log, and in Slack where KEIFU_SLACK_WEBHOOK_URL is
    set. The message names the run and no athlete."""
    run = context.dagster_run
    shard = run.tags.get("keifu/shard")
    message = f"{run.job_name} failed{f', shard {shard}' if shard else ''}: Dagster run {run.run_id}"
    context.log.error(message)
    webhook = load_settings().slack_webhook_url
    if webhook is None:
        return
    try:
        _post(webhook.get_secret_value(), message)
    except (OSError, HTTPException, ValueError) as error:
        # The address is a secret, which some of these errors quote.
        context.log.warning(f"Slack was not told: {type(error).__name__}")


def _post(url: str, message: str) -> None:
    request = urllib.request.Request(  # noqa: S310 the address is the operator's own
        url, data=json.dumps({"text": message}).encode(), headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=SLACK_TIMEOUT_SECONDS):  # noqa: S310
        pass
