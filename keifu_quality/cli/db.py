"""`keifu db`: the embedded server and the agent database's schema."""

from typing import Annotated, Literal

import typer
from rich.console import Console

app = typer.Typer(
    help="Start and stop the embedded PostgreSQL, migrate the agent database, print connection URLs.",
    no_args_is_help=True,
)


@app.command()
def start() -> None:
    """Start the embedded PostgreSQL under KEIFU_HOME, unless it runs already.

    Example: keifu db start
    """
    from keifu_quality.app import embedded_server  # noqa: PLC0415 keeps --help fast

    status = embedded_server().start()
    Console().print(f"The embedded PostgreSQL runs (process {status.pid}).", highlight=False)


@app.command()
def stop() -> None:
    """Stop the embedded PostgreSQL.

    Example: keifu db stop
    """
    from keifu_quality.app import embedded_server  # noqa: PLC0415 keeps --help fast

    stopped = embedded_server().stop()
    Console().print("Stopped." if stopped else "The embedded PostgreSQL was not running.")


@app.command()
def status() -> None:
    """Say whether the embedded PostgreSQL runs.

    Example: keifu db status
    """
    from keifu_quality.app import embedded_server  # noqa: PLC0415 keeps --help fast

    found = embedded_server().status()
    if not found.running:
        Console().print("The embedded PostgreSQL does not run. Start it with: keifu db start")
        raise typer.Exit(1)
    Console().print(f"The embedded PostgreSQL runs (process {found.pid}).", highlight=False)


@app.command()
def migrate() -> None:
    """Bring the agent database to the newest schema. Safe to repeat, and from several processes.

    Example: keifu db migrate
    """
    from keifu_quality.db.migrate import upgrade  # noqa: PLC0415 keeps --help fast
    from keifu_quality.settings import load_settings  # noqa: PLC0415

    revision = upgrade(load_settings())
    Console().print(f"The agent database is at revision {revision}.", highlight=False)


@app.command()
def url(
    which: Annotated[
        Literal["business", "business-owner", "agent", "dagster"], typer.Argument(help="Whose URL.")
    ] = "business",
) -> None:
    """Print a connection URL of the embedded server, for psql and other tools.

    Example: psql "$(keifu db url agent)"
    """
    from keifu_quality.app import embedded_server  # noqa: PLC0415 keeps --help fast
    from keifu_quality.dsn import parse_dsn  # noqa: PLC0415

    server = embedded_server()
    server.start()
    urls = server.urls()
    chosen = {
        "business": urls.business,
        "business-owner": urls.business_owner,
        "agent": urls.agent,
        "dagster": urls.dagster,
    }[which]
    print(parse_dsn(chosen).libpq())


@app.command()
def roles(
    database: Annotated[str, typer.Option(help="The archive's database.")] = "tasuki_keifu",
    owner: Annotated[str, typer.Option(help="The role that owns the archive's tables.")] = "keifu_owner",
    schema: Annotated[str, typer.Option(help="The schema of the archive's tables.")] = "public",
) -> None:
    """Print the SQL that gives a server of your own the three roles; an administrator runs it with psql.

    Example: keifu db roles --database archive --owner archive_owner > roles.sql
    """
    from keifu_quality.db.roles import grant_statements  # noqa: PLC0415 keeps --help fast

    print(grant_statements(business_database=database, business_owner=owner, schema=schema))
