"""The sweep of the roster as a sharded job, and the schedule that starts it each night.

Belongs here: one shard as one run. Stays out: who is due and the order (`keifu_quality.sweep`), the partitions' events
(`defs.chunk_events`). A run's config names its shard and never an athlete.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial

import dagster as dg

from graphs.contracts import TriggeredBy
from keifu_quality.db.full_comparison import note_full_comparison
from keifu_quality.db.roster_state import RosterState, roster_state
from keifu_quality.db.sweeps import Sweep, SweepCounts
from keifu_quality.defs.chunk_events import ChunkEvents
from keifu_quality.defs.keys import bring_keys_in_step
from keifu_quality.defs.outages import through_an_outage
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase
from keifu_quality.defs.roster_checks import roster_evaluations
from keifu_quality.logs import configure_logs_for_dagster
from keifu_quality.settings import load_settings
from keifu_quality.sweep import SweepRequest
from keifu_quality.sweep import sweep_roster as run_sweep

TIME_ZONE = "Asia/Tokyo"


class SweepConfig(dg.Config):
    """What one run sweeps: one of `shards` equal parts of the roster.

    `full` diagnoses unchanged athletes too; `limit`, where above 0, bounds the diagnoses of the shard.
    """

    shard: int = 0
    shards: int = 1
    full: bool = False
    limit: int = 0


@dg.op
def sweep_roster_op(
    context: dg.OpExecutionContext, config: SweepConfig, business: BusinessDatabase, agent: AgentDatabase
) -> None:
    """Diagnoses the athletes of the shard that are due and marks their partitions as materialized.

    Athletes that failed fail the op at the end, when everybody else is done.
    """
    configure_logs_for_dagster()
    _, changes = through_an_outage(context, partial(bring_keys_in_step, context, business, agent))
    events = ChunkEvents(context, changes.keys)

    def progress(sweep: Sweep, counts: SweepCounts) -> None:
        done = counts.diagnosed + counts.failed
        context.log.info(f"{done} of {sweep.due} due athletes, {sweep.unchanged} unchanged")

    request = SweepRequest(
        triggered_by=_trigger(context.run.tags),
        is_full=config.full,
        most_athletes=config.limit or None,
        shard=config.shard,
        shards=config.shards,
        workers=1,
        dagster_run_id=context.run_id,
    )
    report = through_an_outage(
        context, partial(run_sweep, load_settings(), request, progress=progress, chunk_done=events.chunk_done)
    )
    state = through_an_outage(context, partial(_settle, config, agent, events))
    for evaluation in roster_evaluations(state):
        context.log_event(evaluation)  # pyright: ignore[reportArgumentType] accepted, missing from its annotation
    context.add_output_metadata(
        {
            **events.metadata(),
            "due": report.sweep.due,
            "unchanged": report.sweep.unchanged,
            "keys_added": len(changes.added),
            "keys_removed": len(changes.removed),
            "seconds": round(report.seconds, 1),
        }
    )
    events.require_all_diagnosed()


def _settle(config: SweepConfig, agent: AgentDatabase, events: ChunkEvents) -> RosterState:
    """What is left to do after the last athlete; how the whole roster stands then."""
    with agent.open() as engine:
        events.catch_up(engine)
        state = roster_state(engine)
        if not config.limit:
            note_full_comparison(engine, shards=config.shards)
    return state


@dg.job(executor_def=dg.in_process_executor)
def sweep_roster() -> None:
    """Diagnose every athlete of the roster whose record changed, or with `full` everybody; see the launchpad."""
    sweep_roster_op()


def sweep_requests(name: str, tags: Mapping[str, str] | None = None) -> Iterator[dg.RunRequest]:
    """One run for each shard of the sweep of that name; the same name asks for the same runs."""
    shards = load_settings().sweep_shards
    for shard in range(shards):
        yield dg.RunRequest(
            run_key=f"{name}:{shard + 1}/{shards}",
            job_name=sweep_roster.name,
            run_config={"ops": {sweep_roster_op.name: {"config": {"shard": shard, "shards": shards}}}},
            tags={"keifu/sweep": name, "keifu/shard": f"{shard + 1} of {shards}", **(tags or {})},
        )


def nightly_requests(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
    """The runs of the night; their number is that of the shards, whatever the roster's size."""
    scheduled: datetime = context.scheduled_execution_time
    yield from sweep_requests(f"nightly {scheduled:%Y-%m-%d %H:%M}")


def build_nightly_sweep() -> dg.ScheduleDefinition:
    """The schedule, at KEIFU_SWEEP_CRON in Japan's time."""
    return dg.ScheduleDefinition(
        name="nightly_sweep",
        job=sweep_roster,
        cron_schedule=load_settings().sweep_cron,
        execution_timezone=TIME_ZONE,
        execution_fn=nightly_requests,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="The whole roster each night, in KEIFU_SWEEP_SHARDS runs; unchanged athletes cost next to nothing.",
    )


def _trigger(tags: Mapping[str, str]) -> TriggeredBy:
    automatic = "dagster/schedule_name" in tags or "dagster/sensor_name" in tags
    return "schedule" if automatic else "dagster_partition"
