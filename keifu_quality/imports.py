"""The watch over imports: what is new, what an operator should know, and whom to diagnose.

Belongs here: one look at the archive and the ledger together. Stays out: how a batch is read and kept
(`keifu_quality.db.imports`), when to look, and diagnosing. Times are aware and in UTC.

A run of a batch is new when the ledger does not have it, whatever its time. The clocks of maintainers' machines differ,
so that a mark of how far one has come would lose the runs of a clock that is late.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Connection, Engine

from graphs.ports import Clock
from keifu_quality.db.business.access import NO_FAULTS, Faults, Run, consistent_read, first_fault
from keifu_quality.db.imports import ledger, reader, statements
from keifu_quality.db.imports.events import AffectedPerson, ImportEvent, collapse
from keifu_quality.db.imports.hand_over import (
    HandOver,
    fail,
    finish,
    note_run,
    people_of,
    replace_gone,
    runs_of,
    take,
    take_back_abandoned,
)
from keifu_quality.db.imports.hints import TABLES as HINT_TABLES
from keifu_quality.db.imports.hints import Hints, read_hints
from keifu_quality.db.imports.ledger import WatchState
from keifu_quality.db.imports.merges import follow_merges
from keifu_quality.errors import KeifuError

_PRESENT = 'SELECT p.id, p.slug FROM "Person" p WHERE p.id = ANY(%(ids)s::text[])'


class ImportsUnreadable(KeifuError):
    """A table without which no import can be seen cannot be read; the message says which and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollResult:
    """What one look found: events that were not known, notices for an operator, and every athlete concerned once."""

    new_events: tuple[ImportEvent, ...] = ()
    notices: tuple[str, ...] = ()
    people: tuple[AffectedPerson, ...] = ()


class ImportWatch:
    """Sees what imports did and hands their athletes over, each exactly once. Any number may run at once."""

    def __init__(self, agent: Engine, business: Engine, *, clock: Clock, faults: Faults = NO_FAULTS) -> None:
        self._agent = agent
        self._business = business
        self._clock = clock
        self._faults = faults

    def poll(self) -> PollResult:
        """Enters what is new into the ledger. Takes two statements on the archive when nothing is.

        The first look takes all imports before it as known. Raises ImportsUnreadable.
        """
        self._require(statements.TABLES)
        now = self._clock.now()
        with self._agent.begin() as connection, consistent_read(self._business) as run:
            ledger.hold_ledger(connection)
            seen = reader.glance(run)
            state = ledger.watch_state(connection)
            if state is None:
                return _begin(connection, run, seen, now=now)
            notices: list[str] = []
            if state.last_seen is not None and (seen.alive_at is None or seen.alive_at < state.last_seen):
                notices.append(_note_older_archive(connection, seen, state, now=now))
            batches = list(reader.stuck_batches(run, now=now))
            if seen.digest != state.finished_digest:
                batches += reader.finished_batches(run)
            batches = ledger.unknown_batches(connection, batches)
            batch_ids = {batch.batch_id for batch in batches}
            known = ledger.last_completions(connection, batch_ids)
            seen_until = dict.fromkeys(batch_ids, state.watching_since) | dict(known)
            events = ledger.record_new(connection, reader.read_events(run, batches, seen_until=seen_until), seen_at=now)
            ledger.save_watch_state(connection, _state(seen, now=now, since=state.watching_since))
        notices += [event.notice for event in events if event.notice is not None]
        people = collapse(person for event in events for person in event.people)
        return PollResult(new_events=tuple(events), notices=tuple(notices), people=people)

    def hand_over(self, *, dagster_run_id: str | None = None) -> HandOver | None:
        """Everybody whom events concern that are ready, each once, or None when no event is.

        Athletes that are no longer there are skipped, and whom a merge left takes their place. A hand-over without
        athletes has nothing to be diagnosed; finish it all the same. Raises ImportsUnreadable.
        """
        self._require(("Person", "AuditLog"))
        now = self._clock.now()
        with self._agent.begin() as connection, consistent_read(self._business) as run:
            ledger.hold_ledger(connection)
            take_back_abandoned(connection, now=now)
            taken = take(connection, uuid4().hex, now=now, dagster_run_id=dagster_run_id)
            if taken is None:
                return None
            wanted = [person.person_id for person in taken.people]
            present = {person_id for person_id, _ in run(_PRESENT, {"ids": wanted})}
            gone = [person_id for person_id in wanted if person_id not in present]
            survivors = follow_merges(run, ids=gone) if gone else {}
            replace_gone(connection, taken.hand_over_id, {person_id: survivors.get(person_id) for person_id in gone})
            return HandOver(
                hand_over_id=taken.hand_over_id,
                attempt=taken.attempt,
                event_keys=taken.event_keys,
                people=people_of(connection, taken.hand_over_id),
            )

    def people(self, hand_over_id: str, *, shard: int = 0, shards: int = 1) -> tuple[AffectedPerson, ...]:
        """The athletes of one shard of a hand-over that are still to be diagnosed."""
        with self._agent.connect() as connection:
            return people_of(connection, hand_over_id, shard=shard, shards=shards)

    def started(self, hand_over_id: str, dagster_run_id: str) -> None:
        """Says which Dagster run works on a hand-over."""
        with self._agent.begin() as connection:
            note_run(connection, hand_over_id, dagster_run_id)

    def earlier_runs(self, hand_over_id: str) -> Sequence[str]:
        """The Dagster runs that diagnosed athletes of these events so far, for this hand-over or an earlier one."""
        with self._agent.connect() as connection:
            return runs_of(connection, hand_over_id)

    def finish(self, hand_over_id: str) -> int:
        """Closes the events whose athletes are all settled and gives the number of athletes that are not."""
        with self._agent.begin() as connection:
            return finish(connection, hand_over_id, now=self._clock.now())

    def fail(self, hand_over_id: str, message: str) -> None:
        """Makes what a hand-over did not close ready for another attempt, after a pause that grows."""
        with self._agent.begin() as connection:
            fail(connection, hand_over_id, message)

    def full_sweep_due(self) -> bool:
        """Whether the archive was set back, so that every athlete's digest is to be compared."""
        with self._agent.connect() as connection:
            return ledger.full_sweep_due(connection)

    def full_sweep_done(self, *, started_at: datetime) -> None:
        """A sweep that started then has compared every digest."""
        with self._agent.begin() as connection:
            ledger.full_sweep_done(connection, started_at=started_at)

    def hints(self, *, since: datetime) -> Hints:
        """Signs of changes without a batch since then. Raises ImportsUnreadable."""
        self._require(HINT_TABLES)
        with consistent_read(self._business) as run:
            return read_hints(run, since=since)

    def _require(self, tables: tuple[str, ...]) -> None:
        fault = first_fault(self._faults, tables)
        if fault is not None:
            raise ImportsUnreadable(f"Imports cannot be watched. {fault.message}")


def _begin(connection: Connection, run: Run, seen: reader.Glance, *, now: datetime) -> PollResult:
    batches = reader.finished_batches(run)
    ledger.record_known(connection, batches, seen_at=now)
    ledger.save_watch_state(connection, _state(seen, now=now, since=now))
    notice = f"The watch begins: {len(batches)} finished imports count as known. A sweep diagnoses what they brought."
    return PollResult(notices=(notice,))


def _note_older_archive(connection: Connection, seen: reader.Glance, state: WatchState, *, now: datetime) -> str:
    notice = (
        f"The archive is older than it was: its latest import is of {_told(seen.alive_at)}, "
        f"that of {_told(state.last_seen)} is gone. "
        "Was a backup restored? Every athlete will be compared by a full sweep."
    )
    ledger.note_reset(connection, notice, at=now)
    return notice


def _state(seen: reader.Glance, *, now: datetime, since: datetime) -> WatchState:
    # A completion in the future is a clock that is wrong; kept, it would make the next right one look like an old
    # archive.
    last_seen = None if seen.completed_at is None else min(seen.completed_at, now)
    return WatchState(watching_since=since, polled_at=now, last_seen=last_seen, finished_digest=seen.digest)


def _told(time: datetime | None) -> str:
    return "never" if time is None else time.isoformat(timespec="seconds")
