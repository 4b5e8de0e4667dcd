"""`keifu diagnose`."""

from typing import Annotated

import typer
from rich.console import Console

JsonOption = Annotated[bool, typer.Option("--json", help="Print the published JSON report instead of tables.")]


def diagnose(
    person_slug: Annotated[str | None, typer.Option(help="The athlete's slug, as in the site's address.")] = None,
    person_id: Annotated[str | None, typer.Option(help="The athlete's id in the database.")] = None,
    person_name: Annotated[
        str | None, typer.Option(help="The athlete's name: written, reading or romanised, in any width.")
    ] = None,
    clarification: Annotated[
        str | None, typer.Option(help="The slug to take should the name mean several people.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Diagnose one athlete.

    Examples:

        keifu diagnose --person-slug mihon-taro

        keifu diagnose --person-name "見本 太郎"

        keifu diagnose --person-name "見本 太郎" --clarification mihon-taro-2 --json

    Exit codes: 0 completed, 1 failed or not evaluated in full, 2 usage, 3 not found, 4 needs clarification.
    """
    given = [value for value in (person_slug, person_id, person_name) if value and value.strip()]
    if not given:
        raise typer.BadParameter("name an athlete with --person-slug, --person-id or --person-name")
    from graphs.contracts import DiagnosisInput  # noqa: PLC0415 keeps --help fast
    from keifu_quality.app import diagnostician  # noqa: PLC0415
    from keifu_quality.cli.output import exit_code, print_json, print_report  # noqa: PLC0415

    request = DiagnosisInput(
        person_slug=person_slug or None,
        person_id=person_id or None,
        person_name=person_name or None,
        triggered_by="cli",
    )
    with diagnostician() as service:
        report = service.diagnose(request, clarification=clarification)
    if as_json:
        print_json(report.to_json())
    else:
        print_report(report, Console())
    raise typer.Exit(exit_code(report))
