"""Sweeps of the roster: one call from "diagnose whoever is due" to the counts of what came of it.

Belongs here: planning with both databases open, the processes that work on the plan, and waiting for them. Stays out:
the work of one process (`keifu_quality.sweep_worker`), SQL, Dagster and the terminal. A sweep that is cut off at any
point is gone on with by the next call of the same plan; nobody is diagnosed twice or left out.
"""

import multiprocessing
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection as Pipe
from multiprocessing.process import BaseProcess
from typing import TypeVar

from sqlalchemy import Engine

from graphs.contracts import TriggeredBy
from graphs.person_diagnosis.graph import GRAPH_NAME, GRAPH_VERSION
from graphs.rules.registry import rule_set_version
from keifu_quality.app import Business, open_agent, open_business, open_index, rule_configuration
from keifu_quality.db.archive_state import archive_state
from keifu_quality.db.chunk_results import ChunkHeader, ChunkRun
from keifu_quality.db.content_digests import open_digests
from keifu_quality.db.known_digests import ArchiveDigests
from keifu_quality.db.sweeps import (
    Sweep,
    SweepCounts,
    SweepPlan,
    finish_sweep,
    plan_sweep,
    sweep_counts,
)
from keifu_quality.diagnosis import SystemClock
from keifu_quality.digest_scope import digest_scope
from keifu_quality.errors import SweepInterrupted
from keifu_quality.lost_runs import settle_lost_runs
from keifu_quality.outages import through_faults
from keifu_quality.settings import Settings
from keifu_quality.sweep_worker import RETRY_SECONDS, ChunkDone, SweepTask, work, work_in_process

POLL_SECONDS = 0.25
REPLACED_WORKERS = 2
"""Workers that are started anew in one sweep; more deaths have a cause that a restart does not remove."""

Result = TypeVar("Result")

Progress = Callable[[Sweep, SweepCounts], None]
"""Told how far a sweep has come, several times a second; counts are of all who work on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRequest:
    """What to sweep, and with how many processes.

    `is_full` diagnoses unchanged athletes too. `most_athletes` bounds the diagnoses, those that matter most first.
    One of `shards` equal parts may be swept alone. With one worker everything happens in the calling process.
    """

    triggered_by: TriggeredBy = "cli"
    is_full: bool = False
    most_athletes: int | None = None
    shard: int = 0
    shards: int = 1
    chunk_size: int = 1_000
    workers: int = 2
    dagster_run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """What a sweep came to, in athletes and findings; a sweep that was gone on with counts as a whole."""

    sweep: Sweep
    counts: SweepCounts
    seconds: float


def sweep_roster(
    settings: Settings,
    request: SweepRequest,
    *,
    progress: Progress | None = None,
    chunk_done: ChunkDone | None = None,
) -> SweepReport:
    """Diagnoses every athlete that is due, and enters all others as unchanged. Settles lost runs of athletes first.

    `chunk_done` is told of each chunk of this process after it is stored; it needs a single worker. Raises
    SweepInterrupted when the workers died, and what the databases raise when they cannot be reached.
    """
    if chunk_done is not None and request.workers != 1:
        raise ValueError("chunks are told of in the calling process only: ask for one worker")
    started = time.monotonic()
    with open_agent(settings) as agent:
        settle_lost_runs(settings, agent, clock=SystemClock())
        with open_business(settings) as business:
            plan = partial(_plan, settings, request, agent, business)
            sweep = _through_a_restart(plan, agent, business.engine)
        task = SweepTask(
            sweep_id=sweep.id,
            started_at=sweep.started_at,
            triggered_by=request.triggered_by,
            dagster_run_id=request.dagster_run_id,
        )
        told = progress or (lambda _sweep, _counts: None)
        planned = _counts(agent, sweep)
        told(sweep, planned)
        # A process takes longer to start than the calling one takes for a chunk.
        workers = min(request.workers, planned.open_chunks)
        if workers == 1:
            _work_here(settings, task, agent, sweep, told, chunk_done)
        elif workers > 1:
            _work_in_processes(settings, task, workers, agent, sweep, told)
        _through_a_restart(partial(finish_sweep, agent, sweep.id), agent)
        counts = _counts(agent, sweep)
        told(sweep, counts)
    return SweepReport(sweep=sweep, counts=counts, seconds=time.monotonic() - started)


def _plan(settings: Settings, request: SweepRequest, agent: Engine, business: Business) -> Sweep:
    configuration = rule_configuration(settings)
    plan = SweepPlan(
        rule_set_version=rule_set_version(configuration),
        graph_name=GRAPH_NAME,
        graph_version=GRAPH_VERSION,
        triggered_by=request.triggered_by,
        is_full=request.is_full,
        most_athletes=request.most_athletes,
        shard=request.shard,
        shards=request.shards,
        chunk_size=request.chunk_size,
        dagster_run_id=request.dagster_run_id,
    )
    open_index(business, agent).refresh()
    scope = digest_scope(settings, business)
    digests = ArchiveDigests(
        state=partial(archive_state, business.engine, scope.archive),
        open=partial(open_digests, business.engine, scope.archive),
        scope=scope.identity,
    )
    return plan_sweep(agent, plan, digests)


def _work_here(
    settings: Settings, task: SweepTask, agent: Engine, sweep: Sweep, told: Progress, chunk_done: ChunkDone | None
) -> None:
    def done(header: ChunkHeader, runs: Sequence[ChunkRun]) -> None:
        if chunk_done is not None:
            chunk_done(header, runs)
        told(sweep, _counts(agent, sweep))

    work(settings, task, chunk_done=done)


def _work_in_processes(
    settings: Settings, task: SweepTask, workers: int, agent: Engine, sweep: Sweep, told: Progress
) -> None:
    """Lets processes work on the chunks until none is open; one that dies is replaced, within bounds."""
    # Forked children would share connections and lose their traces.
    context = multiprocessing.get_context("spawn")

    def start() -> tuple[BaseProcess, Pipe]:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(
            target=work_in_process, args=(settings, task, sender), name="keifu sweep worker", daemon=True
        )
        process.start()
        sender.close()
        return process, receiver

    running = [start() for _ in range(workers)]
    replacements = 0
    reasons: list[str] = []
    try:
        while running:
            running[0][0].join(POLL_SECONDS)
            counts = _counts(agent, sweep)
            told(sweep, counts)
            for process, receiver in [pair for pair in running if not pair[0].is_alive()]:
                running.remove((process, receiver))
                if process.exitcode != 0:
                    reasons.append(_reason(process.exitcode, receiver))
                    if counts.open_chunks and replacements < REPLACED_WORKERS:
                        replacements += 1
                        running.append(start())
                receiver.close()
    finally:
        for process, _ in running:
            process.terminate()
    left = _counts(agent, sweep).open_chunks
    if left:
        raise SweepInterrupted(
            f"The sweep stopped with {left} chunks left: {'; '.join(dict.fromkeys(reasons))}. What is done is stored; "
            "give the same command again to go on."
        )


def _counts(agent: Engine, sweep: Sweep) -> SweepCounts:
    """How far the sweep has come."""

    def read() -> SweepCounts:
        with agent.begin() as connection:
            return sweep_counts(connection, sweep.id)

    return _through_a_restart(read, agent)


def _through_a_restart(call: Callable[[], Result], *engines: Engine) -> Result:
    """What the call gives; waits for a server that restarts, as the workers do. The call may be repeated."""

    def forget_connections(_error: Exception) -> None:
        for engine in engines:
            engine.dispose()

    return through_faults(call, pauses=RETRY_SECONDS, disturbed=forget_connections)


def _reason(exit_code: int | None, receiver: Pipe) -> str:
    try:
        if receiver.poll():
            return str(receiver.recv())
    except EOFError:
        pass
    killed = exit_code is not None and exit_code < 0
    return f"a worker was killed by signal {-exit_code}" if killed and exit_code else f"a worker ended with {exit_code}"
