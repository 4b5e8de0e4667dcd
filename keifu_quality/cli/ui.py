"""`keifu ui`."""

import os
from typing import Annotated

import typer
from rich.console import Console


def ui(
    host: Annotated[str, typer.Option(help="Address to listen on; anything but loopback is reachable by others.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 3000,
) -> None:
    """Start the Dagster UI and daemon, on the embedded PostgreSQL unless the environment names another.

    Dagster runs in DAGSTER_HOME, so a relative path inside a database URL means a file there.

    Example: keifu ui --port 3001
    """
    from keifu_quality.dagster_home import prepare_dagster_home, workspace_file  # noqa: PLC0415 keeps --help fast
    from keifu_quality.dagster_server import require_free, serve  # noqa: PLC0415
    from keifu_quality.db.migrate import upgrade  # noqa: PLC0415
    from keifu_quality.settings import load_settings  # noqa: PLC0415

    require_free(host, port)
    settings = load_settings()
    upgrade(settings)
    environment = {**os.environ, **prepare_dagster_home(settings)}
    Console().print(f"Dagster UI: http://{host}:{port}  (Ctrl-C stops it)", highlight=False)
    code = serve(workspace_file(), host, port, environment)
    if code:
        Console(stderr=True).print("[bold red]error:[/] Dagster ended by itself; its last lines above say why.")
    raise typer.Exit(code)
