"""Hand-overs that somebody took and nobody closed.

Belongs here: that one read of the ledger. Stays out: taking and closing (`keifu_quality.db.imports.hand_over`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Engine, text

_REQUESTED = text("""
SELECT e.hand_over_id, max(e.attempt) AS attempt, count(DISTINCT p.person_id) AS athletes
FROM import_events e
LEFT JOIN import_event_people p ON p.event_key = e.event_key AND p.outcome IS NULL
WHERE e.status = 'requested'
GROUP BY e.hand_over_id
ORDER BY min(e.requested_at), e.hand_over_id
""")


@dataclass(frozen=True, slots=True)
class RequestedHandOver:
    """A hand-over that nobody closed, with the number of athletes still to be diagnosed; `attempt` counts from 0."""

    hand_over_id: str
    attempt: int
    athletes: int


def requested_hand_overs(agent: Engine) -> Sequence[RequestedHandOver]:
    """The open hand-overs, the oldest first."""
    with agent.connect() as connection:
        return [RequestedHandOver(*row) for row in connection.execute(_REQUESTED)]
