"""`keifu`: assembly of the commands and the border at which errors become messages and exit codes."""

import sys
from collections.abc import Sequence

import typer
from rich.console import Console
from rich.markup import escape

from keifu_quality.cli import (
    accuracy,
    db,
    demo,
    diagnose,
    doctor,
    inspect,
    judge,
    rehearse,
    resume,
    rules,
    sample,
    show,
    sweep,
    ui,
)
from keifu_quality.errors import KeifuError, RequestRefused, SettingsError
from keifu_quality.garbage import collect_seldom

EXIT_FAILED = 1
EXIT_USAGE = 2

app = typer.Typer(
    name="keifu",
    help="Data-quality diagnosis of the athletes of an ekiden archive. Reads the archive, never writes to it.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def prepare(context: typer.Context) -> None:
    """Sets up the logs of a command; not run for --help."""
    from keifu_quality.logs import configure_logs  # noqa: PLC0415 keeps --help fast
    from keifu_quality.settings import load_settings  # noqa: PLC0415

    try:
        configure_logs(load_settings())
    except SettingsError:
        # The doctor reports it in its own way, as JSON if asked to.
        if context.invoked_subcommand != "doctor":
            raise


app.command("diagnose")(diagnose.diagnose)
app.command("resume")(resume.resume)
app.command("show")(show.show)
app.command("inspect")(inspect.inspect)
app.command("judge")(judge.judge)
app.command("rules")(rules.rules)
app.command("rehearse")(rehearse.rehearse)
app.command("accuracy")(accuracy.accuracy)
app.command("doctor")(doctor.doctor)
app.command("demo")(demo.demo)
app.command("sweep")(sweep.sweep)
app.command("ui")(ui.ui)
app.add_typer(db.app, name="db")
app.add_typer(sample.app, name="sample")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits: 0 done, 1 failed, 2 usage, 3 not found, 4 needs clarification."""
    collect_seldom()
    try:
        app(args=list(arguments) if arguments is not None else None)
    except KeifuError as error:
        _explain(str(error), EXIT_USAGE if isinstance(error, RequestRefused) else EXIT_FAILED)
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("psycopg", "sqlalchemy"):
            raise
        _explain(_database_message(error), EXIT_FAILED)


def _explain(message: str, code: int) -> None:
    Console(stderr=True).print(f"[bold red]error:[/] {escape(message)}", highlight=False, soft_wrap=True)
    sys.exit(code)


def _database_message(error: Exception) -> str:
    """What a driver says, without the statement and its parameters. libpq never quotes a password."""
    original = getattr(error, "orig", None) or error
    text = str(original).strip() or type(original).__name__
    return f"{text}\nCheck the databases with: keifu doctor"


if __name__ == "__main__":
    main()
