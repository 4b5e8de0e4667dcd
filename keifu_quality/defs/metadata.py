"""A diagnosis as Dagster metadata: tables, counts and links that the UI shows. Pure functions of a report."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from graphs.contracts import DiagnosisReport, Severity

FINDING_COLUMNS = ("severity", "code", "title", "detail")
ACTION_COLUMNS = ("order", "type", "name", "risk", "reason", "command")
CELL_LIMIT = 1_000
"""Characters of one table cell; the agent database keeps the whole."""


def report_metadata(report: DiagnosisReport, *, trace_url: str | None) -> Mapping[str, dg.MetadataValue]:
    """What a finished diagnosis shows: headline and counts first, since Dagster keeps the order; then the tables."""
    metadata: dict[str, dg.MetadataValue] = {}
    if report.summary is not None:
        metadata["headline"] = dg.MetadataValue.text(report.summary.headline)
        for severity in reversed(Severity):
            count = report.summary.severity_counts.get(severity, 0)
            metadata[f"{severity.value}_count"] = dg.MetadataValue.int(count)
    metadata["findings"] = _findings_table(report)
    metadata["actions"] = _actions_table(report)
    if report.summary is not None:
        metadata["summary"] = dg.MetadataValue.md("\n".join(f"- {line}" for line in report.summary.lines))
    if report.changes is not None:
        metadata["new_findings"] = dg.MetadataValue.int(len(report.changes.new))
        metadata["gone_findings"] = dg.MetadataValue.int(len(report.changes.gone))
        metadata["compared_with_run"] = dg.MetadataValue.text(report.changes.run_id)
    metadata["outcome"] = dg.MetadataValue.text(str(report.outcome))
    metadata["run_id"] = dg.MetadataValue.text(report.run_id)
    metadata["rule_set_version"] = dg.MetadataValue.text(report.rule_set_version)
    if report.trace_id is not None:
        metadata["trace_id"] = dg.MetadataValue.text(report.trace_id)
    if trace_url is not None:
        metadata["trace"] = dg.MetadataValue.url(trace_url)
    metadata["evidence"] = dg.MetadataValue.json(
        {f"{finding.code} {finding.fingerprint}": finding.evidence for finding in report.findings}
    )
    return metadata


def candidates_metadata(report: DiagnosisReport) -> dg.MetadataValue:
    """The people that an ambiguous request may mean, as a table."""
    columns = ("slug", "name", "organizations", "years", "results")
    records = [
        {
            "slug": c.person_slug,
            "name": c.display_name_ja,
            "organizations": ", ".join(c.organizations),
            "years": c.active_years or "",
            "results": str(c.result_count if c.result_count is not None else ""),
        }
        for c in report.candidates
    ]
    return _table(columns, records)


def _findings_table(report: DiagnosisReport) -> dg.MetadataValue:
    worst_first = sorted(report.findings, key=lambda finding: (-finding.severity.rank, finding.code))
    records = [
        {
            "severity": finding.severity.value,
            "code": finding.code,
            "title": finding.title,
            "detail": finding.detail,
        }
        for finding in worst_first
    ]
    return _table(FINDING_COLUMNS, records)


def _actions_table(report: DiagnosisReport) -> dg.MetadataValue:
    records = [
        {
            "order": str(number),
            "type": action.type.value,
            "name": action.name,
            "risk": action.risk_level.value,
            "reason": action.reason,
            "command": action.command or "",
        }
        for number, action in enumerate(report.actions, start=1)
    ]
    return _table(ACTION_COLUMNS, records)


def _table(columns: tuple[str, ...], records: list[dict[str, Any]]) -> dg.MetadataValue:
    # A schema of its own, since a table without records has none to infer.
    return dg.MetadataValue.table(
        records=[dg.TableRecord({key: value[:CELL_LIMIT] for key, value in record.items()}) for record in records],
        schema=dg.TableSchema(columns=[dg.TableColumn(name) for name in columns]),
    )
