"""Handing the athletes of import events over for diagnosis, each exactly once.

Belongs here: which events are ready, who of them is still to be diagnosed, and what came of it. Stays out: entering
events (`keifu_quality.db.imports.ledger`) and diagnosing. Every function takes part in the caller's transaction.

An event is pending, then requested under the id of a hand-over, then done, or pending again with another attempt. What
was settled for an athlete before a failure stays settled, so that the next attempt goes on with the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, text

from keifu_quality.db.agent import ImportOutcome, ImportRole
from keifu_quality.db.business.access import text_array
from keifu_quality.db.imports.events import AffectedPerson, Reason
from keifu_quality.db.imports.merges import Survivor

COLLAPSE_WITHIN = timedelta(minutes=3)
"""An event waits so long, counted from when it was seen, if one of its athletes was handed over so recently: an import
that is corrected and run again at once is one diagnosis more, not one for each run."""

ABANDONED_AFTER = timedelta(hours=6)
"""A hand-over that nobody settled for so long is taken back; the longest sweep takes minutes."""

# A failed hand-over is repeated after 1, 2, 4 ... minutes, at most an hour.
_TAKE = text("""
UPDATE import_events
SET status = 'requested', hand_over_id = :hand_over_id, dagster_run_id = :dagster_run_id, requested_at = :now
WHERE event_key IN (
    SELECT e.event_key
    FROM import_events e
    WHERE e.status = 'pending'
        AND (e.attempt = 0 OR e.requested_at
            <= :now - LEAST(interval '1 minute' * power(2, LEAST(e.attempt, 7) - 1), interval '1 hour'))
        AND (e.seen_at <= :recently OR NOT EXISTS (
            SELECT 1
            FROM import_events other
            JOIN import_event_people theirs ON theirs.event_key = other.event_key AND theirs.role = 'touched'
            JOIN import_event_people ours ON ours.person_id = theirs.person_id AND ours.role = 'touched'
            WHERE other.requested_at > :recently AND other.event_key <> e.event_key AND ours.event_key = e.event_key
        ))
)
RETURNING event_key, attempt
""")

_PEOPLE = text("""
SELECT p.person_id, max(p.person_slug) AS slug, bool_or(p.role = 'touched') AS touched,
    jsonb_agg(p.reasons_json) AS reasons
FROM import_events e
JOIN import_event_people p ON p.event_key = e.event_key
WHERE e.hand_over_id = :hand_over_id AND e.status = 'requested' AND p.outcome IS NULL
    AND abs(hashtextextended(p.person_id, 0) % :shards) = :shard
GROUP BY p.person_id
ORDER BY p.person_id
""")

_STARTED = text(
    "UPDATE import_events SET dagster_run_id = :dagster_run_id"
    " WHERE hand_over_id = :hand_over_id AND status = 'requested'"
)

_SETTLE = text("""
UPDATE import_event_people p
SET outcome = told.outcome
FROM import_events e, unnest(CAST(:ids AS text[]), CAST(:outcomes AS text[])) AS told (person_id, outcome)
WHERE e.hand_over_id = :hand_over_id AND e.status = 'requested' AND p.event_key = e.event_key
    AND p.person_id = told.person_id AND p.outcome IS NULL
""")

# `touched` sorts after `opponent`, so the greater role is the one that asks for more.
_INSERT_SURVIVORS = text("""
INSERT INTO import_event_people (event_key, person_id, person_slug, role, reasons_json)
SELECT p.event_key, told.survivor_id, max(told.survivor_slug), max(p.role), '["merge"]'
FROM import_events e
JOIN import_event_people p ON p.event_key = e.event_key AND p.outcome IS NULL
JOIN unnest(CAST(:ids AS text[]), CAST(:survivors AS text[]), CAST(:slugs AS text[]))
    AS told (person_id, survivor_id, survivor_slug) ON told.person_id = p.person_id
WHERE e.hand_over_id = :hand_over_id AND e.status = 'requested' AND told.survivor_id <> ''
GROUP BY p.event_key, told.survivor_id
ON CONFLICT (event_key, person_id) DO UPDATE
SET role = GREATEST(import_event_people.role, EXCLUDED.role),
    reasons_json = import_event_people.reasons_json || EXCLUDED.reasons_json
""")

_SKIP_GONE = text("""
UPDATE import_event_people p
SET outcome = 'skipped', replaced_by = NULLIF(told.survivor_id, '')
FROM import_events e, unnest(CAST(:ids AS text[]), CAST(:survivors AS text[])) AS told (person_id, survivor_id)
WHERE e.hand_over_id = :hand_over_id AND e.status = 'requested' AND p.event_key = e.event_key
    AND p.person_id = told.person_id AND p.outcome IS NULL
""")

_FINISH = text("""
UPDATE import_events e
SET settled_at = :now, error_message = NULL,
    status = CASE WHEN EXISTS (
        SELECT 1 FROM import_event_people p WHERE p.event_key = e.event_key AND p.outcome <> 'skipped'
    ) THEN 'done' ELSE 'skipped' END
WHERE e.hand_over_id = :hand_over_id AND e.status = 'requested'
    AND NOT EXISTS (SELECT 1 FROM import_event_people p WHERE p.event_key = e.event_key AND p.outcome IS NULL)
""")

# The clocks of the machines that look for imports and that diagnose may differ.
_RUNS = text("""
SELECT DISTINCT r.dagster_run_id
FROM import_events e
JOIN import_event_people p ON p.event_key = e.event_key AND p.outcome = 'diagnosed'
JOIN agent_runs r ON r.person_id = p.person_id AND r.started_at > e.seen_at - interval '10 minutes'
WHERE e.hand_over_id = :hand_over_id AND r.triggered_by = 'import_sensor' AND r.dagster_run_id IS NOT NULL
    AND r.status <> 'unchanged'
ORDER BY r.dagster_run_id
""")

_REMAINING = text("""
SELECT count(DISTINCT p.person_id)
FROM import_events e
JOIN import_event_people p ON p.event_key = e.event_key
WHERE e.hand_over_id = :hand_over_id AND e.status = 'requested' AND p.outcome IS NULL
""")

_TAKE_BACK = """
UPDATE import_events
SET status = 'pending', attempt = attempt + 1, hand_over_id = NULL, dagster_run_id = NULL, error_message = :message
WHERE status = 'requested' AND {which}
"""
_FAIL = text(_TAKE_BACK.format(which="hand_over_id = :hand_over_id"))
_ABANDON = text(_TAKE_BACK.format(which="requested_at <= :before"))


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOver:
    """Athletes to be diagnosed together. `attempt` counts from 0; with the id it makes a key that never repeats."""

    hand_over_id: str
    attempt: int
    event_keys: tuple[str, ...]
    people: tuple[AffectedPerson, ...]


def take(
    connection: Connection, hand_over_id: str, *, now: datetime, dagster_run_id: str | None = None
) -> HandOver | None:
    """Takes every event that is ready under a new id, or gives None when none is. Hold the ledger."""
    rows = connection.execute(
        _TAKE,
        {
            "hand_over_id": hand_over_id,
            "dagster_run_id": dagster_run_id,
            "now": now,
            "recently": now - COLLAPSE_WITHIN,
        },
    ).all()
    if not rows:
        return None
    return HandOver(
        hand_over_id=hand_over_id,
        attempt=max(row.attempt for row in rows),
        event_keys=tuple(sorted(row.event_key for row in rows)),
        people=people_of(connection, hand_over_id),
    )


def people_of(
    connection: Connection, hand_over_id: str, *, shard: int = 0, shards: int = 1
) -> tuple[AffectedPerson, ...]:
    """The athletes of one shard of a hand-over that are still to be diagnosed, each once, by id."""
    rows = connection.execute(_PEOPLE, {"hand_over_id": hand_over_id, "shard": shard, "shards": shards})
    return tuple(_person(*row) for row in rows)


def note_run(connection: Connection, hand_over_id: str, dagster_run_id: str) -> None:
    """Says which Dagster run works on a hand-over."""
    connection.execute(_STARTED, {"hand_over_id": hand_over_id, "dagster_run_id": dagster_run_id})


def replace_gone(connection: Connection, hand_over_id: str, gone: Mapping[str, Survivor | None]) -> None:
    """Skips athletes that are no longer there; whom a merge left of them takes their place."""
    if not gone:
        return
    parameters = {
        "hand_over_id": hand_over_id,
        "ids": text_array(gone),
        "survivors": text_array(left.person_id if left else "" for left in gone.values()),
        "slugs": text_array(left.slug if left else "" for left in gone.values()),
    }
    connection.execute(_INSERT_SURVIVORS, parameters)
    connection.execute(_SKIP_GONE, parameters)


def settle_people(connection: Connection, hand_over_id: str, outcomes: Mapping[str, ImportOutcome]) -> None:
    """Says by id what came of athletes of a hand-over. May be repeated; the first word counts.

    Belongs into the transaction that stores their results, so that nobody is diagnosed again whose result is kept.
    """
    parameters = {
        "hand_over_id": hand_over_id,
        "ids": text_array(outcomes),
        "outcomes": text_array(outcome.value for outcome in outcomes.values()),
    }
    connection.execute(_SETTLE, parameters)


def runs_of(connection: Connection, hand_over_id: str) -> Sequence[str]:
    """The Dagster runs that diagnosed athletes of the events of a hand-over, earlier attempts included."""
    return connection.execute(_RUNS, {"hand_over_id": hand_over_id}).scalars().all()


def finish(connection: Connection, hand_over_id: str, *, now: datetime) -> int:
    """Closes the events whose athletes are all settled and gives the number of athletes that are not."""
    connection.execute(_FINISH, {"hand_over_id": hand_over_id, "now": now})
    return connection.execute(_REMAINING, {"hand_over_id": hand_over_id}).scalar_one()


def fail(connection: Connection, hand_over_id: str, message: str) -> None:
    """Makes what a hand-over did not close ready for another attempt, and keeps why."""
    connection.execute(_FAIL, {"hand_over_id": hand_over_id, "message": message})


def take_back_abandoned(connection: Connection, *, now: datetime) -> int:
    """Makes events of hand-overs that nobody settled ready again and gives their number."""
    message = f"Nobody settled the hand-over within {ABANDONED_AFTER // timedelta(hours=1)} hours."
    return connection.execute(_ABANDON, {"before": now - ABANDONED_AFTER, "message": message}).rowcount


def _person(person_id: str, slug: str, touched: bool, reasons: Sequence[Sequence[Any]]) -> AffectedPerson:
    return AffectedPerson(
        person_id=person_id,
        slug=slug,
        role=ImportRole.TOUCHED if touched else ImportRole.OPPONENT,
        reasons=frozenset(Reason(reason) for listed in reasons for reason in listed),
    )
