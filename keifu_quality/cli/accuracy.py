"""`keifu accuracy`."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from keifu_quality.cli.diagnose import JsonOption

if TYPE_CHECKING:
    from keifu_quality.accuracy import Accuracy


def accuracy(
    size: Annotated[int, typer.Option(min=1, help="How many athletes to invent.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The same size and seed give the same athletes.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Measure the rules on invented athletes whose faults are known.

    Works in databases of its own on the embedded server and drops them afterwards. Rules run at their defaults.

    Examples:

        keifu accuracy

        keifu accuracy --size 2000 --seed 7 --json

    Exit code 1 when a rule misses or invents a fault; rules of judgement may be wrong in one case of twenty.
    """
    from keifu_quality.accuracy import measure  # noqa: PLC0415 keeps --help fast
    from keifu_quality.app import embedded_server  # noqa: PLC0415
    from keifu_quality.cli.output import print_json  # noqa: PLC0415
    from keifu_quality.cli.sample import load_progress  # noqa: PLC0415
    from keifu_quality.settings import load_settings  # noqa: PLC0415

    with load_progress(Console(stderr=True)) as bar:
        task = bar.add_task("starting", total=None)
        measured = measure(
            load_settings(),
            embedded_server(),
            size=size,
            seed=seed,
            progress=lambda what, done, total: bar.update(task, description=what, completed=done, total=total),
        )
    if as_json:
        print_json(measured.as_json())
    else:
        _print(measured, Console())
    raise typer.Exit(0 if measured.passes else 1)


def _print(measured: "Accuracy", console: Console) -> None:
    table = Table("code", "planted", "found", "missed", "false alarms", "precision", "recall", "")
    for column in table.columns[1:-1]:
        column.justify = "right"
    for score in measured.scores:
        table.add_row(
            score.rule.code + (" *" if score.rule.judgement else ""),
            *(f"{count:,}" for count in (score.planted, score.found, score.missed, score.false_alarms)),
            _share(score.precision),
            _share(score.recall),
            "[green]ok[/]" if score.passes else "[bold red]below the bar[/]",
        )
    console.print(table)
    console.print(
        f"{measured.athletes:,} athletes, seed {measured.seed}. * a judgement: 0.95 is enough. –: nothing to measure.",
        style="dim",
        highlight=False,
    )
    for score in measured.scores:
        for slug, what in score.examples:
            console.print(f"{score.rule.code} {slug}: {escape(what)}", highlight=False, soft_wrap=True)
    for (rule, message), count in measured.not_evaluated.items():
        console.print(f"[bold red]not evaluated[/] {rule} on {count:,}: {escape(message)}", highlight=False)


def _share(value: float | None) -> str:
    # Rounded down, so that only what is right throughout reads 1.000.
    return "–" if value is None else f"{int(value * 1000) / 1000:.3f}"
