"""`keifu rehearse`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from keifu_quality.cli.diagnose import JsonOption

if TYPE_CHECKING:
    from keifu_quality.rehearsal import Rehearsal


def rehearse(
    baseline: Annotated[
        Path | None, typer.Option(help="Compare with this file of findings instead of the stored diagnoses.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write the present findings to this file.")] = None,
    examples: Annotated[int, typer.Option(min=0, help="Examples of each kind of change to show for a rule.")] = 3,
    as_json: JsonOption = False,
) -> None:
    """Show what the present rules and settings would change in the findings of the whole roster. Stores nothing.

    With --save alone nothing is compared. To see the effect of a change of rules and nothing else, save the findings
    right before it and compare with the file right after it; stored diagnoses also differ where facts changed since.

    Examples:

        keifu rehearse --save before.jsonl

        keifu rehearse --baseline before.jsonl

        KEIFU_RULES_FILE=draft.toml keifu rehearse --json
    """
    from keifu_quality.app import rehearser  # noqa: PLC0415 keeps --help fast
    from keifu_quality.cli.output import print_json  # noqa: PLC0415
    from keifu_quality.cli.sample import load_progress  # noqa: PLC0415

    compare = baseline is not None or save is None
    with load_progress(Console(stderr=True)) as bar:
        task = bar.add_task("reading names", total=None)
        with rehearser() as service:
            outcome = service.run(
                baseline=baseline,
                save=save,
                compare=compare,
                examples=examples,
                progress=lambda done, total: bar.update(
                    task, description="running the rules", completed=done, total=total
                ),
            )
    if as_json:
        print_json(outcome.as_json())
    else:
        _print(outcome, Console(), compare=compare)


def _print(outcome: "Rehearsal", console: Console, *, compare: bool) -> None:
    table = Table("code", "before", "now", "new", "gone", "changed")
    for column in table.columns[1:]:
        column.justify = "right"
    for code, changes in sorted(outcome.rules.items()):
        counts = (changes.before, changes.now, changes.new, changes.gone, changes.changed)
        same = not (changes.new or changes.gone or changes.changed)
        table.add_row(code, *(f"{count:,}" for count in counts), style="dim" if same and compare else None)
    console.print(table)
    told = [f"{outcome.athletes:,} athletes, rule set {outcome.version}"]
    if compare:
        versions = ", ".join(sorted(outcome.previous_versions)) or "none"
        told.append(f"{outcome.compared:,} compared with earlier findings (rule set {versions})")
        if outcome.gone_athletes:
            told.append(f"{outcome.gone_athletes:,} athletes with earlier findings are gone")
    console.print("; ".join(told), style="dim", highlight=False, soft_wrap=True)
    if compare and not outcome.compared and outcome.athletes:
        console.print(
            "Nothing to compare with: diagnose the roster first, or give a file of findings with --baseline.",
            style="yellow",
            soft_wrap=True,
        )
    for code, count in sorted(outcome.not_evaluated.items()):
        console.print(f"[bold red]not evaluated[/] {code} on {count:,} athletes, not compared", highlight=False)
    for code, changes in sorted(outcome.rules.items()):
        for kind, listed in changes.examples.items():
            for slug, what in listed:
                console.print(f"{code} {kind} {slug}: {escape(what)}", highlight=False, soft_wrap=True)
