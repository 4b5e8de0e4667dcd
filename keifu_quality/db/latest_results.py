"""The newest stored findings of many athletes at once.

Belongs here: that one read of the agent database. Stays out: single runs (`keifu_quality.db.runs`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine

from keifu_quality.db.business.access import run_single, text_array

_LATEST = """
SELECT asked.person_id, latest.findings_json, latest.summary_json -> 'families', latest.rule_set_version, latest.run_id
FROM unnest(%(ids)s::text[]) AS asked (person_id)
CROSS JOIN LATERAL (
    SELECT d.findings_json, d.summary_json, r.rule_set_version, d.run_id
    FROM diagnosis_results d
    JOIN agent_runs r ON r.run_id = d.run_id
    WHERE d.person_id = asked.person_id
    ORDER BY d.id DESC
    LIMIT 1
) latest
"""


@dataclass(frozen=True, slots=True)
class StoredResult:
    """What the newest diagnosis of an athlete found: findings and family reports in their published JSON shapes."""

    person_id: str
    findings: Sequence[dict[str, Any]]
    families: Sequence[dict[str, Any]]
    rule_set_version: str
    run_id: str


def latest_results(agent: Engine, person_ids: Sequence[str]) -> Iterator[StoredResult]:
    """The newest result of each of these athletes that has one, in one statement."""
    return _stored(run_single(agent, _LATEST, {"ids": text_array(person_ids)}))


def latest_results_within(connection: Connection, person_ids: Sequence[str]) -> Iterator[StoredResult]:
    """The same in the caller's transaction, which may hold the athletes."""
    return _stored(connection.exec_driver_sql(_LATEST, {"ids": text_array(person_ids)}))


def _stored(rows: Iterable[Sequence[Any]]) -> Iterator[StoredResult]:
    for person_id, findings, families, version, run_id in rows:
        yield StoredResult(person_id, findings, families or (), version, run_id)
