"""`keifu sample`: the invented roster, or one from files, in the embedded business database."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

app = typer.Typer(help="Load a roster of invented athletes, or one from files.", no_args_is_help=True)


@app.callback()
def sample() -> None:
    """Load a roster of invented athletes, or one from files."""


@app.command()
def load(
    size: Annotated[int, typer.Option(min=1, help="How many athletes to invent.")] = 300,
    seed: Annotated[int, typer.Option(help="The same size and seed give the same roster.")] = 1,
    directory: Annotated[
        Path | None,
        typer.Option("--from", help="Load this directory or tar file of tab-separated tables instead of inventing."),
    ] = None,
    replace: Annotated[bool, typer.Option(help="Replace a roster that was loaded before.")] = False,
    labels: Annotated[
        Path | None, typer.Option(help="Write which athlete has which planted fault to this JSON file.")
    ] = None,
) -> None:
    """Fill the embedded business database, as its owner. Never touches a database that the environment names.

    Examples:

        keifu sample load

        keifu sample load --size 10000 --seed 7 --replace --labels labels.json

        keifu sample load --from roster.tar.xz --replace
    """
    from keifu_quality.errors import SettingsError  # noqa: PLC0415 keeps --help fast
    from keifu_quality.settings import load_settings  # noqa: PLC0415

    if load_settings().business_database_url is not None:
        raise SettingsError(
            "A sample is loaded into the embedded server only, and TASUKI_KEIFU_BUSINESS_DATABASE_URL names another "
            "database. Unset it first."
        )
    if directory is not None and labels is not None:
        raise typer.BadParameter("--labels is known for an invented roster only, not for --from")
    console = Console()
    with load_progress(console) as progress:
        counts = _load(progress, size=size, seed=seed, directory=directory, replace=replace, labels=labels)
    listed = ", ".join(f"{rows:,} {table}" for table, rows in counts if rows)
    console.print(f"Loaded {listed}.", highlight=False)


def load_progress(console: Console) -> Progress:
    """The bar of a load."""
    return Progress(
        TextColumn("{task.description:<24}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), console=console
    )


def _load(
    progress: Progress, *, size: int, seed: int, directory: Path | None, replace: bool, labels: Path | None
) -> list[tuple[str, int]]:
    from keifu_quality.app import embedded_server  # noqa: PLC0415 keeps --help fast
    from keifu_quality.sample.archive import write_labels  # noqa: PLC0415
    from keifu_quality.sample.load import load_directory, load_roster  # noqa: PLC0415
    from keifu_quality.sample.roster import generate  # noqa: PLC0415

    server = embedded_server()
    server.start()
    url = server.urls().business_owner
    task = progress.add_task("loading", total=None)

    def show(table: str, done: int, total: int) -> None:
        progress.update(task, description=table, completed=done, total=total)

    if directory is not None:
        loaded = load_directory(directory, url, replace=replace, progress=show)
    else:
        progress.update(task, description=f"inventing {size:,} athletes")
        roster = generate(size, seed=seed)
        loaded = load_roster(roster, url, replace=replace, progress=show)
        if labels is not None:
            write_labels(roster, labels)
    return [(table.table, table.rows) for table in loaded]
