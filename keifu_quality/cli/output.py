"""How the command line prints: JSON for scripts, tables for people. Stays out: what is printed."""

import json
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graphs.contracts import DiagnosisReport, PersonRef, Severity

STYLES = {
    Severity.CRITICAL: "bold white on red",
    Severity.ERROR: "bold red",
    Severity.WARNING: "yellow",
    Severity.INFO: "dim",
}


def print_json(value: Any) -> None:
    """One JSON document on standard output, text as it is, two blanks of indent."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def print_report(report: DiagnosisReport, console: Console) -> None:
    """A diagnosis for people: what was not evaluated first, then findings by severity, then what to do."""
    who = report.person.display_name_ja if report.person else report.target.person_slug
    if report.summary is None:
        _print_unfinished(report, console)
        return
    console.print(f"[bold]{escape(str(who))}[/]  {escape(report.target.person_slug or '')}", highlight=False)
    console.print(escape(report.summary.headline), style="bold", highlight=False)
    record = report.summary.record
    sizes = {
        "memberships": record.memberships,
        "personal bests": record.personal_bests,
        "results": record.race_results,
        "relation cache": record.relation_cache,
    }
    console.print(
        ", ".join(f"{name} {'unknown' if size is None else size}" for name, size in sizes.items()),
        style="dim",
        highlight=False,
    )
    for family in report.summary.families:
        for rule in family.not_evaluated:
            console.print(
                f"[bold red]not evaluated[/] {family.category.value} {rule.rule}: {escape(rule.message)}",
                highlight=False,
                soft_wrap=True,
            )
    if report.findings:
        console.print(findings_table(report))
    if report.actions:
        console.print(actions_table(report))
        _print_commands(report, console)
    if report.changes is not None:
        changes = report.changes
        console.print(
            f"since run {changes.run_id}: {len(changes.new)} new, {len(changes.gone)} gone",
            style="dim",
            highlight=False,
        )
    console.print(f"run {report.run_id}", style="dim", highlight=False)


def findings_table(report: DiagnosisReport) -> Table:
    """Findings, the worst first."""
    table = Table("severity", "code", "finding", "detail", title="Findings", title_justify="left", expand=False)
    for finding in sorted(report.findings, key=lambda f: (-f.severity.rank, f.code)):
        table.add_row(
            f"[{STYLES[finding.severity]}]{finding.severity.value}[/]",
            finding.code,
            escape(finding.title),
            escape(finding.detail),
        )
    return table


def actions_table(report: DiagnosisReport) -> Table:
    """Suggested actions in the order in which to take them."""
    table = Table("#", "action", "type", "risk", "reason", title="Suggested actions", title_justify="left")
    table.columns[1].overflow = "fold"
    for number, action in enumerate(report.actions, start=1):
        table.add_row(str(number), action.name, action.type.value, action.risk_level.value, escape(action.reason))
    return table


def _print_commands(report: DiagnosisReport, console: Console) -> None:
    """Commands on lines of their own, so that they can be copied whole."""
    for number, action in enumerate(report.actions, start=1):
        if action.command:
            console.print(f"#{number}  [cyan]{escape(action.command)}[/]", highlight=False, soft_wrap=True)


def candidates_table(candidates: tuple[PersonRef, ...]) -> Table:
    """People to choose from, the most likely first."""
    table = Table(title="Who is meant?")
    table.add_column("slug", no_wrap=True, min_width=max(len(person.person_slug) for person in candidates))
    for heading in ("name", "matched by", "organizations", "years", "born", "results"):
        table.add_column(heading, overflow="fold")
    for person in candidates:
        table.add_row(
            escape(person.person_slug),
            escape(person.display_name_ja),
            escape(person.matched_by or ""),
            escape(", ".join(person.organizations)),
            person.active_years or "",
            person.birth_date or "",
            "" if person.result_count is None else str(person.result_count),
        )
    return table


def _print_unfinished(report: DiagnosisReport, console: Console) -> None:
    named = report.input.person_slug or report.input.person_id or report.input.person_name
    if report.outcome == "not_found":
        console.print(f"Nobody in the archive is called [bold]{escape(str(named))}[/].", highlight=False)
        console.print("Look the slug up on the site, or try the name with --person-name.", style="dim")
    elif report.outcome == "ambiguous":
        console.print(candidates_table(report.candidates))
        console.print(
            f"{escape(str(named))} may be several people. Answer with:\n"
            f"  keifu resume {report.run_id} --person-slug SLUG",
            highlight=False,
            soft_wrap=True,
        )
    elif report.outcome == "unchanged":
        console.print(
            f"Nothing had changed since an earlier run. To see it: keifu inspect --person-slug {escape(str(named))}",
            highlight=False,
            soft_wrap=True,
        )
    elif report.error is not None:
        console.print(f"[bold red]failed:[/] {escape(report.error.message)}", highlight=False, soft_wrap=True)
        if report.error.code != "invalid_request":
            console.print(f"When the cause is gone: keifu resume {report.run_id}", style="dim", highlight=False)
    else:
        console.print(
            f"Run {report.run_id} is {report.status} and has no result yet. To let it go on if it was cut off: "
            f"keifu resume {report.run_id}",
            highlight=False,
            soft_wrap=True,
        )


def exit_code(report: DiagnosisReport) -> int:
    """0 completed, 1 failed or not evaluated in full, 3 not found, 4 needs clarification."""
    codes = {"completed": 0, "incomplete": 1, "failed": 1, "not_found": 3, "ambiguous": 4, "unchanged": 0}
    return codes[report.outcome] if report.outcome is not None else 1
