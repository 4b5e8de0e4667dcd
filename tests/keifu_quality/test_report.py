"""Reports out of rows of the ledger that no diagnosis in this process wrote."""

from datetime import UTC, datetime
from typing import Any

from rich.console import Console

from keifu_quality.cli.output import exit_code, print_report
from keifu_quality.report import report_of_run

ROW: dict[str, Any] = {
    "run_id": "r",
    "status": "unchanged",
    "outcome": "unchanged",
    "graph_version": "1",
    "rule_set_version": "0",
    "input_json": {"personSlug": "mihon-taro", "triggeredBy": "schedule"},
    "person_id": "p",
    "person_slug": "mihon-taro",
    "trace_id": None,
    "started_at": datetime(2026, 7, 1, tzinfo=UTC),
    "ended_at": datetime(2026, 7, 1, tzinfo=UTC),
    "error_code": None,
    "error_message": None,
}


def test_a_run_that_had_nothing_to_do_can_be_shown() -> None:
    report = report_of_run(ROW, None, [])
    assert (report.status, report.outcome, exit_code(report)) == ("completed", "unchanged", 0)
    console = Console(width=200, record=True)
    print_report(report, console)
    assert "keifu inspect --person-slug mihon-taro" in console.export_text()
