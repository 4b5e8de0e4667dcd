"""Reading import events from the business database.

Belongs here: which runs of batches there are and whom they touched. Stays out: which of them are new (the ledger), SQL.
Every function takes part in the caller's consistent read.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from keifu_quality.db.agent import ImportKind, ImportRole
from keifu_quality.db.business.access import Run
from keifu_quality.db.business.rows import instant_or_none
from keifu_quality.db.imports import statements
from keifu_quality.db.imports.events import AffectedPerson, Batch, ImportEvent, Reason, collapse
from keifu_quality.db.imports.merges import follow_merges

STUCK_AFTER = timedelta(minutes=30)
SILENT_FOR = timedelta(minutes=10)
"""A run is stuck that started so long ago and has written no audit row for so long."""

SLUGS_NAMED = 10
"""How many of the slugs that are nobody's a notice names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What one statement tells of all batches: whether any run completed (`digest`), the latest completion, and the
    latest start or completion."""

    digest: str
    completed_at: datetime | None
    alive_at: datetime | None


def glance(run: Run) -> Glance:
    """The state of all batches. An infinite time is the digest's concern alone."""
    [(digest, completed_at, alive_at)] = run(statements.GLANCE, {})
    return Glance(digest=digest, completed_at=instant_or_none(completed_at), alive_at=instant_or_none(alive_at))


def finished_batches(run: Run) -> Sequence[Batch]:
    """The latest run of every batch that completed or failed, in order of completion and id."""
    return [
        Batch(
            key=key,
            batch_id=batch_id,
            batch_key=name,
            kind=ImportKind(status),
            completed_at=instant_or_none(completed_at),
        )
        for key, batch_id, name, status, completed_at in run(statements.FINISHED_BATCHES, {})
    ]


def stuck_batches(run: Run, *, now: datetime) -> Sequence[Batch]:
    """The runs that started more than STUCK_AFTER ago and have written no audit row for SILENT_FOR."""
    bounds = {"started_before": _naive(now - STUCK_AFTER), "silent_since": _naive(now - SILENT_FOR)}
    return [
        Batch(key=key, batch_id=batch_id, batch_key=name, kind=ImportKind.STUCK)
        for key, batch_id, name in run(statements.STUCK_BATCHES, bounds)
    ]


def read_events(run: Run, batches: Sequence[Batch], *, seen_until: Mapping[str, datetime]) -> Sequence[ImportEvent]:
    """What these runs did. `seen_until` says by batch id until when its earlier runs have been seen.

    Takes two statements however many runs there are, and another when a payload names athletes that are not there.
    """
    if not batches:
        return ()
    batch_ids = [batch.batch_id for batch in batches]
    details = {row[0]: row[1:] for row in run(statements.BATCH_DETAILS, {"batch_ids": batch_ids})}
    rows = run(
        statements.PEOPLE,
        {
            "numbers": list(range(len(batches))),
            "batch_ids": batch_ids,
            "kinds": [batch.kind.value for batch in batches],
            "seen_until": [_naive(seen_until[batch_id]) for batch_id in batch_ids],
        },
    )
    people: defaultdict[int, list[AffectedPerson]] = defaultdict(list)
    nobody: defaultdict[int, list[str]] = defaultdict(list)
    survivors = follow_merges(run, slugs={slug for _, role, _, slug, _ in rows if role is None})
    for number, role, person_id, slug, reasons in rows:
        if role is not None:
            found = frozenset(map(Reason, reasons))
            people[number].append(AffectedPerson(person_id=person_id, slug=slug, role=ImportRole(role), reasons=found))
        elif slug in survivors:
            left = survivors[slug]
            found = frozenset({Reason.PAYLOAD, Reason.MERGE})
            people[number].append(
                AffectedPerson(person_id=left.person_id, slug=left.slug, role=ImportRole.TOUCHED, reasons=found)
            )
        else:
            nobody[number].append(slug)
    return [
        _event(batch, people[number], sorted(nobody[number]), *details[batch.batch_id])
        for number, batch in enumerate(batches)
    ]


def _event(
    batch: Batch,
    people: Sequence[AffectedPerson],
    unresolved: Sequence[str],
    error: str | None,
    payload_type: str,
    has_entries: bool,
) -> ImportEvent:
    event = ImportEvent(batch=batch, people=collapse(people), unresolved=tuple(unresolved))
    touched = len(event.touched())
    wrote = f"Athletes that it had touched: {touched}." if touched else "It had written nothing."
    told: list[str] = []
    if batch.kind is ImportKind.FAILED:
        told.append(f"The import {batch.batch_key} failed: {error or 'no error message'}. {wrote}")
    if batch.kind is ImportKind.STUCK:
        told.append(
            f"The import {batch.batch_key} is stuck: it still runs and has written no audit row for "
            f"{SILENT_FOR // timedelta(minutes=1)} minutes. {wrote}"
        )
    if not has_entries:
        shape = "has no list of entries" if payload_type == "object" else f"is {payload_type} and no object"
        told.append(f"The payload of {batch.batch_key} {shape}; only the rows that were written tell whom it touched.")
    if unresolved:
        named = ", ".join(unresolved[:SLUGS_NAMED]) + (", ..." if len(unresolved) > SLUGS_NAMED else "")
        told.append(f"The payload of {batch.batch_key} names athletes that are not there ({len(unresolved)}): {named}.")
    return ImportEvent(batch=batch, people=event.people, unresolved=event.unresolved, notice=" ".join(told) or None)


def _naive(time: datetime) -> datetime:
    return time.astimezone(UTC).replace(tzinfo=None)
