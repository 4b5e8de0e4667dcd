"""Diagnosing athletes that somebody named, many at once: those of an import, or a range of partitions.

Belongs here: chunks of given athletes, each stored in one transaction. Stays out: who is due
(`keifu_quality.sweep`), Dagster. Digests of the athletes are taken before their facts are read and stored with the
results, so that the next sweep leaves out whoever did not change after that.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial

import structlog
from psycopg.abc import Buffer
from sqlalchemy import Connection, Engine

from graphs.contracts import DiagnosisInput, TriggeredBy
from graphs.tools.failure import failure_of
from keifu_quality.app import Business, open_index, open_reader, rule_configuration
from keifu_quality.db.athlete_digests import digests_of
from keifu_quality.db.chunk_results import ChunkHeader, ChunkRun, has_run, lock_athletes, write_chunk
from keifu_quality.db.content_digests import open_digests
from keifu_quality.db.latest_results import latest_results_within
from keifu_quality.digest_scope import digest_scope
from keifu_quality.outages import through_faults
from keifu_quality.relation_checks import made_whole, relation_check
from keifu_quality.roster import RosterDiagnostician
from keifu_quality.settings import Settings
from keifu_quality.sweep_worker import RETRY_SECONDS, ChunkDone

CHUNK_SIZE = 500

Settle = Callable[[Connection, Sequence[ChunkRun]], None]
"""Told of a chunk's runs in the transaction that stores them, so that both are kept or neither."""


def diagnose_athletes(
    settings: Settings,
    business: Business,
    agent: Engine,
    person_ids: Collection[str],
    *,
    relations_only: Collection[str] = (),
    triggered_by: TriggeredBy,
    dagster_run_id: str | None,
    chunk_done: ChunkDone,
    settle: Settle | None = None,
) -> None:
    """Diagnoses these athletes, by id, and tells `chunk_done` of each chunk after it is stored.

    Of `relations_only` among them the relation cache alone is checked. Refresh the index of names before. Every athlete
    has a run, whatever its end; but where chunks are settled, somebody else's diagnosis of the same content, stored
    meanwhile, stands for the athlete's. Waits for databases that go away, as a sweep does, and raises what they raise
    when they stay away; chunks that were told of stay stored.
    """
    scope = digest_scope(settings, business)
    reader = open_reader(settings, business, agent, open_index(business, agent))
    partly = frozenset(relations_only)

    def open_some(some: Collection[str]) -> AbstractContextManager[Iterator[Buffer]]:
        return open_digests(business.engine, scope.archive, person_ids=some)

    def request(person_id: str) -> DiagnosisInput:
        if person_id in partly:
            return relation_check(person_id, triggered_by=triggered_by)
        return DiagnosisInput(person_id=person_id, triggered_by=triggered_by)

    log = structlog.get_logger("keifu.roster")
    written: list[tuple[ChunkHeader, Sequence[ChunkRun]]] = []

    def diagnose(chunk: Sequence[str]) -> tuple[ChunkHeader, Sequence[ChunkRun]]:
        # An attempt whose commit was not answered may be stored all the same.
        if written and has_run(agent, [run.run_id for run in written[-1][1]]):
            return written[-1]
        found = digests_of(agent, [i for i in chunk if i not in partly], open_some, scope=scope.identity)
        digests: Sequence[str] = [found.get(person_id, "") for person_id in chunk]
        requests = [request(person_id) for person_id in chunk]
        header, runs = roster.diagnose(requests, triggered_by=triggered_by, dagster_run_id=dagster_run_id)
        with agent.begin() as connection:
            # Rows of the index are taken in the order of ids, as sweeps take them.
            done_meanwhile = lock_athletes(
                connection, chunk, digests, rule_set_version=header.rule_set_version, since=header.started_at
            )
            checked = [person_id for person_id in chunk if person_id in partly]
            earlier = {stored.person_id: stored for stored in latest_results_within(connection, checked)}
            runs = made_whole(runs, earlier)
            if settle is not None:
                settle(connection, runs)
                runs, digests = _without(done_meanwhile, runs, digests)
            write_chunk(connection, header, runs, digests)
            written.append((header, runs))
        return header, runs

    def disturbed(error: Exception) -> None:
        code, message = failure_of(error)
        log.warning("diagnosis_disturbed", code=code, message=message)
        business.engine.dispose()
        agent.dispose()

    ordered = sorted(set(person_ids))
    with RosterDiagnostician(settings, reader=reader, configuration=rule_configuration(settings)) as roster:
        for start in range(0, len(ordered), CHUNK_SIZE):
            written.clear()
            chunk = ordered[start : start + CHUNK_SIZE]
            header, runs = through_faults(partial(diagnose, chunk), pauses=RETRY_SECONDS, disturbed=disturbed)
            chunk_done(header, runs)


def _without(
    people: Collection[str], runs: Sequence[ChunkRun], digests: Sequence[str]
) -> tuple[Sequence[ChunkRun], Sequence[str]]:
    kept = [pair for pair in zip(runs, digests, strict=True) if pair[0].asked_id not in people]
    return [run for run, _ in kept], [digest for _, digest in kept]
