"""Old entries of unchanged athletes go from the run ledger."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text

from keifu_quality.db.unchanged_purge import purge_unchanged_runs

ENTRIES = """
INSERT INTO agent_runs (run_id, graph_name, graph_version, rule_set_version, status, outcome, triggered_by, input_json,
    started_at)
SELECT kind || number, 'g', '1', '1', kind, kind, 'schedule', '{}', now() - number * interval '1 day'
FROM unnest(ARRAY['unchanged', 'completed']) kind, generate_series(1, 7) number
"""


@pytest.mark.postgres
def test_old_entries_go_in_batches_and_diagnoses_stay(agent: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keifu_quality.db.unchanged_purge.BATCH", 2)
    with agent.begin() as connection:
        connection.execute(text(ENTRIES))
    before = datetime.now(UTC) - timedelta(days=2, hours=12)
    assert purge_unchanged_runs(agent, before=before) == 5
    assert purge_unchanged_runs(agent, before=before) == 0
    with agent.connect() as connection:
        kept = connection.execute(text("SELECT status, count(*) FROM agent_runs GROUP BY 1 ORDER BY 1")).all()
    assert [tuple(row) for row in kept] == [("completed", 7), ("unchanged", 2)]
