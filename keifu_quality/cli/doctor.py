"""`keifu doctor`."""

import typer
from rich.console import Console
from rich.markup import escape

from keifu_quality.cli.diagnose import JsonOption


def doctor(as_json: JsonOption = False) -> None:
    """Check settings, databases, privileges, schema and traces, and say what to do about each fault.

    Examples:

        keifu doctor

        keifu doctor --json

    Exit code 1 when something keeps a diagnosis from being complete.
    """
    from keifu_quality.cli.output import print_json  # noqa: PLC0415 keeps --help fast
    from keifu_quality.health import Grade, examine  # noqa: PLC0415

    checks = list(examine())
    broken = any(check.grade is Grade.FAILED for check in checks)
    if as_json:
        print_json(
            {
                "healthy": not broken,
                "checks": [{"name": c.name, "grade": c.grade.value, "message": c.message} for c in checks],
            }
        )
    else:
        console = Console()
        styles = {Grade.OK: "green", Grade.WARNING: "yellow", Grade.FAILED: "bold red"}
        for check in checks:
            grade = f"[{styles[check.grade]}]{check.grade.value:<7}[/]"
            console.print(f"{grade} {check.name}: {escape(check.message)}", highlight=False, soft_wrap=True)
    raise typer.Exit(1 if broken else 0)
