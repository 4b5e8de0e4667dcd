"""One process that works on a sweep, chunk after chunk, until none is left.

Belongs here: taking a chunk, diagnosing it and storing it in one transaction, and what to do when a database goes away.
Stays out: planning and the other processes (`keifu_quality.sweep`).
"""

import gc
import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from multiprocessing.connection import Connection as Pipe

import structlog
from sqlalchemy import Engine

from graphs.contracts import DiagnosisInput, TriggeredBy
from graphs.retry import is_transient
from graphs.tools.failure import failure_of
from keifu_quality.app import open_agent, open_business, open_index, open_reader, rule_configuration
from keifu_quality.db.agent import RunOutcome
from keifu_quality.db.business.race_memory import RaceMemory
from keifu_quality.db.chunk_results import ChunkHeader, ChunkRun, lock_athletes, write_chunk
from keifu_quality.db.sweeps import SweepCounts, claim_chunk, finish_chunk, sweep_counts
from keifu_quality.logs import configure_logs
from keifu_quality.roster import RosterDiagnostician
from keifu_quality.settings import Settings

WAIT_SECONDS = 0.2
"""Between two looks whether a chunk that somebody else works on has become free."""

RETRY_SECONDS = (0.5, 1, 2, 4, 8, 8, 8, 8)
"""Pauses after faults that may pass by themselves, some forty seconds in all: a server restarts in less."""

ChunkDone = Callable[[ChunkHeader, Sequence[ChunkRun]], None]
"""Told of the runs of a chunk once they are stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepTask:
    """What a worker has to know of a sweep."""

    sweep_id: int
    started_at: datetime
    triggered_by: TriggeredBy
    dagster_run_id: str | None


class Turn(Enum):
    """What came of looking for a chunk."""

    WORKED = auto()
    ALL_TAKEN = auto()
    ALL_DONE = auto()


def work(settings: Settings, task: SweepTask, *, chunk_done: ChunkDone | None = None) -> None:
    """Works until every chunk of the sweep is done, those of others that died included.

    Raises what the databases raise when they stay away.
    """
    log = structlog.get_logger("keifu.sweep")
    faults = 0

    def turn_taken() -> None:
        nonlocal faults
        faults = 0

    while True:
        try:
            _work_while_connected(settings, task, chunk_done, turn_taken)
        except Exception as error:
            if not is_transient(error) or faults == len(RETRY_SECONDS):
                raise
            code, message = failure_of(error)
            log.warning("sweep_disturbed", code=code, message=message, pause_seconds=RETRY_SECONDS[faults])
            time.sleep(RETRY_SECONDS[faults])
            faults += 1
        else:
            return


def _work_while_connected(
    settings: Settings, task: SweepTask, chunk_done: ChunkDone | None, turn_taken: Callable[[], None]
) -> None:
    """Opens both databases and works until every chunk is done, or raises what takes a connection away."""
    with open_agent(settings) as agent, open_business(settings) as business:
        configuration = rule_configuration(settings)
        # All that is read is newer than the digests, so a race that changes for good brings its athletes back.
        reader = open_reader(settings, business, agent, open_index(business, agent), races=RaceMemory())
        with RosterDiagnostician(settings, reader=reader, configuration=configuration) as roster:
            while not _is_orphaned():
                turn = _take_turn(roster, agent, task, chunk_done)
                turn_taken()
                if turn is Turn.ALL_DONE:
                    return
                if turn is Turn.ALL_TAKEN:
                    time.sleep(WAIT_SECONDS)


def work_in_process(settings: Settings, task: SweepTask, sender: Pipe) -> None:
    """The main function of a worker process; says through `sender` why it could not go on."""
    # A key press at the terminal reaches the whole group; the parent ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    configure_logs(settings)
    # What was imported stays: no collection needs to look at it.
    gc.collect()
    gc.freeze()
    try:
        work(settings, task)
    except Exception as error:
        sender.send(failure_of(error)[1])
        raise SystemExit(1) from error


def _is_orphaned() -> bool:
    parent = multiprocessing.parent_process()
    return parent is not None and not parent.is_alive()


def _take_turn(roster: RosterDiagnostician, agent: Engine, task: SweepTask, chunk_done: ChunkDone | None) -> Turn:
    with agent.begin() as connection:
        chunk = claim_chunk(connection, task.sweep_id)
        if chunk is None:
            return Turn.ALL_TAKEN if sweep_counts(connection, task.sweep_id).open_chunks else Turn.ALL_DONE
        requests = [DiagnosisInput(person_id=i, triggered_by=task.triggered_by) for i in chunk.person_ids]
        header, runs = roster.diagnose(requests, triggered_by=task.triggered_by, dagster_run_id=task.dagster_run_id)
        done_meanwhile = lock_athletes(
            connection,
            chunk.person_ids,
            chunk.digests,
            rule_set_version=header.rule_set_version,
            since=task.started_at,
        )
        kept = [pair for pair in zip(runs, chunk.digests, strict=True) if pair[0].asked_id not in done_meanwhile]
        stored = [run for run, _ in kept]
        write_chunk(connection, header, stored, [digest for _, digest in kept])
        finish_chunk(connection, chunk.id, _counts(stored))
    if chunk_done is not None:
        chunk_done(header, stored)
    return Turn.WORKED


def _counts(runs: Sequence[ChunkRun]) -> SweepCounts:
    found = [run.result.counts for run in runs if run.result is not None]
    info, warning, error, critical = (sum(column) for column in zip(*found, strict=True)) if found else (0, 0, 0, 0)
    failed = sum(run.outcome is RunOutcome.FAILED for run in runs)
    return SweepCounts(
        diagnosed=len(runs) - failed,
        incomplete=sum(run.outcome is RunOutcome.INCOMPLETE for run in runs),
        failed=failed,
        info=info,
        warning=warning,
        error=error,
        critical=critical,
    )
