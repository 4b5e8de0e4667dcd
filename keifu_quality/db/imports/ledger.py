"""The ledger of import events in the agent database.

Belongs here: which events are known, entering new ones once, and the state of the watch. Stays out: handing athletes
over (`keifu_quality.db.imports.hand_over`). Every function takes part in the caller's transaction, which holds
`hold_ledger` if it writes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from keifu_quality.db.agent import ImportStatus, import_event_people, import_events, import_watch
from keifu_quality.db.business.access import text_array
from keifu_quality.db.imports.events import AffectedPerson, Batch, ImportEvent

ADVISORY_LOCK = 0x6B65_6966_0003
"""`keif` and a number: one writer of the ledger at a time, whatever process it runs in."""

_UNKNOWN = text(
    "SELECT given.key FROM unnest(CAST(:keys AS text[])) AS given (key)"
    " WHERE NOT EXISTS (SELECT 1 FROM import_events e WHERE e.event_key = given.key)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchState:
    """Until where the watch has looked: since when, when last, the latest completion then, and the digest of all."""

    watching_since: datetime
    polled_at: datetime
    last_seen: datetime | None
    finished_digest: str


def hold_ledger(connection: Connection) -> None:
    """Waits until no other transaction writes the ledger, and keeps others waiting until this one ends."""
    connection.execute(select(func.pg_advisory_xact_lock(ADVISORY_LOCK)))


def watch_state(connection: Connection) -> WatchState | None:
    """The state of the watch, or None before its first look."""
    columns = (import_watch.c[name] for name in ("watching_since", "polled_at", "last_seen", "finished_digest"))
    row = connection.execute(select(*columns)).mappings().one_or_none()
    return None if row is None else WatchState(**row)


def save_watch_state(connection: Connection, state: WatchState) -> None:
    """Keeps where the watch stands."""
    values = {
        "watching_since": state.watching_since,
        "polled_at": state.polled_at,
        "last_seen": state.last_seen,
        "finished_digest": state.finished_digest,
    }
    statement = upsert(import_watch).values(id=1, **values)
    connection.execute(statement.on_conflict_do_update(index_elements=["id"], set_=values))


def note_reset(connection: Connection, notice: str, *, at: datetime) -> None:
    """Keeps why the watch began anew, and that every athlete's digest is to be compared."""
    connection.execute(update(import_watch).values(reset_at=at, reset_notice=notice, full_sweep_due=True))


def full_sweep_due(connection: Connection) -> bool:
    """Whether a sweep has to compare the digest of every athlete."""
    return bool(connection.execute(select(import_watch.c.full_sweep_due)).scalar())


def full_sweep_done(connection: Connection, *, started_at: datetime) -> None:
    """A sweep that started then has compared every digest; a reset after that still asks for another."""
    connection.execute(update(import_watch).where(import_watch.c.reset_at <= started_at).values(full_sweep_due=False))


def unknown_batches(connection: Connection, batches: Sequence[Batch]) -> Sequence[Batch]:
    """Those of these runs that the ledger does not have, in the given order."""
    keys = connection.execute(_UNKNOWN, {"keys": text_array(batch.key for batch in batches)}).scalars().all()
    unknown = frozenset(keys)
    return [batch for batch in batches if batch.key in unknown]


def last_completions(connection: Connection, batch_ids: Iterable[str]) -> Mapping[str, datetime]:
    """By batch id, when the latest run that the ledger has was completed."""
    query = (
        select(import_events.c.batch_id, func.max(import_events.c.completed_at))
        .where(import_events.c.batch_id.in_(list(batch_ids)), import_events.c.completed_at.is_not(None))
        .group_by(import_events.c.batch_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def record_new(connection: Connection, events: Sequence[ImportEvent], *, seen_at: datetime) -> Sequence[ImportEvent]:
    """Enters events with their athletes and gives those that were not there yet. May be repeated."""
    inserted = _insert_events(connection, [_event_row(event, seen_at) for event in events])
    new = [event for event in events if event.batch.key in inserted]
    people = [_person_row(event.batch.key, person) for event in new for person in event.people]
    if people:
        connection.execute(insert(import_event_people), people)
    return new


def record_known(connection: Connection, batches: Sequence[Batch], *, seen_at: datetime) -> None:
    """Enters runs that are no concern of the watch, such as those from before it began."""
    _insert_events(connection, [_batch_row(batch, seen_at) | {"status": ImportStatus.SKIPPED} for batch in batches])


def _insert_events(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    if not rows:
        return frozenset()
    statement = upsert(import_events).on_conflict_do_nothing().returning(import_events.c.event_key)
    return frozenset(connection.execute(statement, rows).scalars())


def _event_row(event: ImportEvent, seen_at: datetime) -> Mapping[str, Any]:
    return _batch_row(event.batch, seen_at) | {
        "status": ImportStatus.PENDING if event.people else ImportStatus.NO_ATHLETES,
        "touched_count": len(event.touched()),
        "opponent_count": len(event.opponents()),
        "unresolved_json": list(event.unresolved),
        "notice": event.notice,
    }


def _batch_row(batch: Batch, seen_at: datetime) -> dict[str, Any]:
    return {
        "event_key": batch.key,
        "batch_id": batch.batch_id,
        "batch_key": batch.batch_key,
        "kind": batch.kind,
        "completed_at": batch.completed_at,
        "seen_at": seen_at,
    }


def _person_row(event_key: str, person: AffectedPerson) -> Mapping[str, Any]:
    return {
        "event_key": event_key,
        "person_id": person.person_id,
        "person_slug": person.slug,
        "role": person.role,
        "reasons_json": sorted(person.reasons),
    }
