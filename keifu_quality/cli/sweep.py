"""`keifu sweep`."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from keifu_quality.db.sweeps import Sweep, SweepCounts
    from keifu_quality.sweep import SweepReport

SEVERITIES = ("critical", "error", "warning", "info")


def sweep(
    full: Annotated[bool, typer.Option("--full", help="Diagnose unchanged athletes too.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="At most so many diagnoses: namesakes first, then several current memberships, double bests."
        ),
    ] = None,
    shard: Annotated[int, typer.Option(min=0, help="Sweep this part of the roster only, counted from 0.")] = 0,
    shards: Annotated[int, typer.Option(min=1, max=256, help="Into how many parts the roster is divided.")] = 1,
    chunk: Annotated[int, typer.Option(min=1, max=5_000, help="Athletes that are read and stored at once.")] = 1_000,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that diagnose.")] = 2,
    triggered_by: Annotated[str, typer.Option(help="What the runs say started them: cli or schedule.")] = "cli",
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Diagnose every athlete whose record or rules changed since the last diagnosis.

    A sweep that was cut off goes on where it stopped when the same command is given again. Several may run at once,
    also on several machines: they share the work.

    Examples:

        keifu sweep

        keifu sweep --limit 500

        keifu sweep --full --workers 4 --json

        keifu sweep --shard 0 --shards 2

    Exit codes: 0 done, 1 an athlete failed or the sweep was cut off, 2 usage.
    """
    if shard >= shards:
        raise typer.BadParameter(f"--shard counts from 0, so with --shards {shards} the last one is {shards - 1}")
    if triggered_by not in ("cli", "schedule"):
        raise typer.BadParameter("--triggered-by is cli or schedule")
    from keifu_quality.cli.output import print_json  # noqa: PLC0415 keeps --help fast
    from keifu_quality.settings import load_settings  # noqa: PLC0415
    from keifu_quality.sweep import SweepRequest, sweep_roster  # noqa: PLC0415

    request = SweepRequest(
        triggered_by="schedule" if triggered_by == "schedule" else "cli",
        is_full=full,
        most_athletes=limit,
        shard=shard,
        shards=shards,
        chunk_size=chunk,
        workers=workers,
    )
    with _bar(Console(stderr=True)) as progress:
        task = progress.add_task("planning", total=None, speed="")

        def show(sweep: "Sweep", counts: "SweepCounts") -> None:
            done = counts.diagnosed + counts.failed
            elapsed = progress.tasks[0].elapsed or 0.0
            speed = f"{done / elapsed:,.0f} athletes/s" if elapsed >= 1 else ""
            progress.update(task, description="diagnosing", completed=done, total=sweep.due, speed=speed)

        report = sweep_roster(load_settings(), request, progress=show)
    if as_json:
        print_json(_as_json(report))
    else:
        _print(report, Console())
    raise typer.Exit(1 if report.counts.failed else 0)


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
    )


def _as_json(report: "SweepReport") -> dict[str, Any]:
    counts = asdict(report.counts)
    return {
        "sweepId": report.sweep.id,
        "wasGoneOnWith": report.sweep.is_joined,
        "diagnosed": report.counts.diagnosed,
        "incomplete": report.counts.incomplete,
        "failed": report.counts.failed,
        "unchanged": report.sweep.unchanged,
        "findings": {severity: counts[severity] for severity in SEVERITIES},
        "seconds": round(report.seconds, 3),
    }


def _print(report: "SweepReport", console: Console) -> None:
    counts = report.counts
    found = ", ".join(f"{number:,} {severity}" for severity in SEVERITIES if (number := getattr(counts, severity)))
    console.print(
        f"{counts.diagnosed:,} diagnosed, {report.sweep.unchanged:,} unchanged, {counts.failed:,} failed "
        f"in {report.seconds:,.1f} s",
        highlight=False,
    )
    console.print(f"findings: {found or 'none'}", highlight=False)
    if counts.incomplete:
        console.print(
            f"[bold red]{counts.incomplete:,} were not evaluated in full[/]; `keifu inspect` shows their runs",
            highlight=False,
        )
    if counts.failed:
        console.print("See why with: keifu inspect", style="dim", highlight=False)
