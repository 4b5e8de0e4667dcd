"""Diagnosis after imports: the sensor that looks for them, and the job that diagnoses their athletes.

Belongs here: from a hand-over to a run and back. Stays out: what an import touched and what is still to be done; the
ledger in the agent database knows that (`keifu_quality.imports`), so that the sensor needs no cursor and a tick may be
lost or repeated.
"""

from collections.abc import Iterator, Sequence

import dagster as dg
from sqlalchemy import Connection, Engine

from keifu_quality.app import Business
from keifu_quality.chunk_diagnosis import diagnose_athletes
from keifu_quality.db.agent import ImportOutcome, ImportRole, RunOutcome
from keifu_quality.db.chunk_results import ChunkRun
from keifu_quality.db.imports.hand_over import settle_people
from keifu_quality.db.imports.requested import RequestedHandOver, requested_hand_overs
from keifu_quality.db.roster_state import roster_state
from keifu_quality.defs.chunk_events import ChunkEvents
from keifu_quality.defs.keys import bring_keys_in_step
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase
from keifu_quality.defs.roster_checks import roster_evaluations
from keifu_quality.diagnosis import SystemClock
from keifu_quality.imports import ImportWatch
from keifu_quality.logs import configure_logs_for_dagster
from keifu_quality.settings import load_settings

HAND_OVER_TAG = "keifu/hand_over"
ATHLETES_PER_SHARD = 2_000
"""An import of fewer is one run: each run costs seconds before its first athlete."""
INTERVAL_SECONDS = 30


class ImportConfig(dg.Config):
    """Which hand-over of the ledger to diagnose, and which of its equal parts."""

    hand_over: str
    shard: int = 0
    shards: int = 1


@dg.op
def diagnose_import_op(
    context: dg.OpExecutionContext, config: ImportConfig, business: BusinessDatabase, agent: AgentDatabase
) -> None:
    """Diagnoses the athletes of a hand-over that are still to be diagnosed, and settles each with its result.

    Of opponents of touched athletes the relations alone are checked; all else stays as their last diagnosis found it. A
    fault of the run makes what is left ready for another attempt, which also marks the athletes that this one stored
    without marking them; an athlete that fails by itself is settled as failed.
    """
    configure_logs_for_dagster()
    _, changes = bring_keys_in_step(context, business, agent)
    events = ChunkEvents(context, changes.keys)
    with business.open() as opened, agent.open() as engine:
        watch = import_watch(engine, opened)

        def settle(connection: Connection, runs: Sequence[ChunkRun]) -> None:
            outcomes = {run.asked_id: _outcome(run) for run in runs if run.asked_id}
            settle_people(connection, config.hand_over, outcomes)

        watch.started(config.hand_over, context.run_id)
        people = watch.people(config.hand_over, shard=config.shard, shards=config.shards)
        context.log.info(f"{len(people)} athletes of hand-over {config.hand_over}")
        try:
            diagnose_athletes(
                load_settings(),
                opened,
                engine,
                [person.person_id for person in people],
                relations_only=[person.person_id for person in people if person.role is ImportRole.OPPONENT],
                triggered_by="import_sensor",
                dagster_run_id=context.run_id,
                chunk_done=events.chunk_done,
                settle=settle,
            )
            events.catch_up(engine, _ended(context.instance, watch.earlier_runs(config.hand_over)))
        except Exception as error:
            watch.fail(config.hand_over, f"{type(error).__name__}: {str(error).strip()}")
            raise
        remaining = watch.finish(config.hand_over)
        for evaluation in roster_evaluations(roster_state(engine)):
            context.log_event(evaluation)  # pyright: ignore[reportArgumentType] accepted, missing from its annotation
    context.add_output_metadata({**events.metadata(), "left_for_other_shards": remaining})
    events.require_all_diagnosed()


@dg.job(executor_def=dg.in_process_executor)
def diagnose_import() -> None:
    """Diagnose the athletes of an import; the sensor import_events starts it."""
    diagnose_import_op()


@dg.sensor(
    job=diagnose_import,
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def import_events(
    context: dg.SensorEvaluationContext, business: BusinessDatabase, agent: AgentDatabase
) -> dg.SensorResult | dg.SkipReason:
    """Looks for imports that finished, failed or got stuck, and asks for the diagnosis of the athletes they touched.

    Everything that it knows is in the ledger of the agent database.
    """
    with business.open() as opened, agent.open() as engine:
        watch = import_watch(engine, opened)
        for notice in watch.poll().notices:
            context.log.warning(notice)
        _take_back_ended(context, watch, engine)
        taken = watch.hand_over()
        # Another attempt without athletes may have to mark some that an earlier one stored.
        if taken is not None and not taken.people and taken.attempt == 0:
            watch.finish(taken.hand_over_id)
        requests = [request for open_one in requested_hand_overs(engine) for request in _requests(context, open_one)]
    if not requests:
        return dg.SkipReason("No import left athletes to be diagnosed.")
    return dg.SensorResult(run_requests=requests)


def import_watch(agent: Engine, business: Business) -> ImportWatch:
    """The watch over imports on both databases."""
    return ImportWatch(agent, business.engine, clock=SystemClock(), faults=business.faults)


def _requests(context: dg.SensorEvaluationContext, hand_over: RequestedHandOver) -> Iterator[dg.RunRequest]:
    """The runs of a hand-over. A hand-over whose runs a lost tick never started is asked for again."""
    if _runs(context.instance, hand_over.hand_over_id):
        return
    most = load_settings().sweep_shards
    shards = max(1, min(most, -(-hand_over.athletes // ATHLETES_PER_SHARD)))
    for shard in range(shards):
        config = {"hand_over": hand_over.hand_over_id, "shard": shard, "shards": shards}
        yield dg.RunRequest(
            run_key=f"{hand_over.hand_over_id}:{hand_over.attempt}:{shard + 1}/{shards}",
            job_name=diagnose_import.name,
            run_config={"ops": {diagnose_import_op.name: {"config": config}}},
            tags={HAND_OVER_TAG: hand_over.hand_over_id},
        )


def _take_back_ended(context: dg.SensorEvaluationContext, watch: ImportWatch, agent: Engine) -> None:
    """Makes hand-overs ready for another attempt whose runs have all ended, a killed worker's among them."""
    for hand_over in requested_hand_overs(agent):
        runs = _runs(context.instance, hand_over.hand_over_id)
        if runs and all(run.is_finished for run in runs):
            watch.fail(hand_over.hand_over_id, "Its run ended before all of its athletes were diagnosed.")


def _runs(instance: dg.DagsterInstance, hand_over_id: str) -> Sequence[dg.DagsterRun]:
    return instance.get_runs(filters=dg.RunsFilter(tags={HAND_OVER_TAG: hand_over_id}))


def _ended(instance: dg.DagsterInstance, run_ids: Sequence[str]) -> Sequence[str]:
    """Those of these runs that will mark nobody any more."""
    if not run_ids:
        return []
    return [run.run_id for run in instance.get_runs(dg.RunsFilter(run_ids=list(run_ids))) if run.is_finished]


def _outcome(run: ChunkRun) -> ImportOutcome:
    if run.outcome is RunOutcome.NOT_FOUND:
        return ImportOutcome.SKIPPED
    return ImportOutcome.FAILED if run.result is None else ImportOutcome.DIAGNOSED
