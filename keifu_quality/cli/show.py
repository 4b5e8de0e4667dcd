"""`keifu show`."""

from typing import Annotated

import typer
from rich.console import Console

from keifu_quality.cli.diagnose import JsonOption


def show(
    run_id: Annotated[str, typer.Argument(help="The run, as diagnose or inspect printed it.")],
    as_json: JsonOption = False,
) -> None:
    """Show the stored report of a run.

    Examples:

        keifu show 019a0b2c-...

        keifu show 019a0b2c-... --json
    """
    from keifu_quality.app import agent_database  # noqa: PLC0415 keeps --help fast
    from keifu_quality.cli.output import print_json, print_report  # noqa: PLC0415
    from keifu_quality.db.runs import RunStore  # noqa: PLC0415
    from keifu_quality.report import report_of_run  # noqa: PLC0415

    with agent_database() as engine:
        store = RunStore(engine)
        report = report_of_run(store.run(run_id), store.result(run_id), store.candidates(run_id))
    if as_json:
        print_json(report.to_json())
    else:
        print_report(report, Console())
