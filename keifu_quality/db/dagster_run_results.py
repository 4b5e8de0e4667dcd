"""What the runs of a Dagster run found.

Belongs here: that one read of the agent database. Stays out: single runs (`keifu_quality.db.runs`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine

from keifu_quality.db.business.access import run_single, text_array

_RESULTS = """
SELECT d.person_slug, r.run_id, r.outcome, d.summary_json ->> 'headline',
    ARRAY[d.info_count, d.warning_count, d.error_count, d.critical_count]
FROM agent_runs r
JOIN diagnosis_results d ON d.run_id = r.run_id
WHERE r.dagster_run_id = ANY(%(runs)s::text[])
ORDER BY d.id
"""


@dataclass(frozen=True, slots=True)
class ResultGist:
    """One athlete's result in brief; `counts` from info to critical."""

    person_slug: str
    run_id: str
    outcome: str
    headline: str
    counts: Sequence[int]


def results_of_dagster_runs(agent: Engine, dagster_run_ids: Sequence[str]) -> Iterator[ResultGist]:
    """The results that these Dagster runs stored, in that order."""
    for row in run_single(agent, _RESULTS, {"runs": text_array(dagster_run_ids)}):
        yield ResultGist(*row)
