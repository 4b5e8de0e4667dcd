"""`keifu resume`."""

from typing import Annotated

import typer
from rich.console import Console

from keifu_quality.cli.diagnose import JsonOption


def resume(
    run_id: Annotated[str, typer.Argument(help="The run, as diagnose printed it.")],
    person_slug: Annotated[str | None, typer.Option(help="The athlete that was meant.")] = None,
    person_id: Annotated[str | None, typer.Option(help="The same by id.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a run that waits for clarification, or let a run go on that was cut off.

    Finished steps are not repeated, whichever process did them.

    Examples:

        keifu resume 019a0b2c-... --person-slug mihon-taro-2

        keifu resume 019a0b2c-...
    """
    from graphs.contracts import DiagnosisInput  # noqa: PLC0415 keeps --help fast
    from keifu_quality.app import diagnostician  # noqa: PLC0415
    from keifu_quality.cli.output import exit_code, print_json, print_report  # noqa: PLC0415

    answer = DiagnosisInput(person_slug=person_slug, person_id=person_id) if person_slug or person_id else None
    with diagnostician() as service:
        report = service.resume(run_id, answer=answer)
    if as_json:
        print_json(report.to_json())
    else:
        print_report(report, Console())
    raise typer.Exit(exit_code(report))
