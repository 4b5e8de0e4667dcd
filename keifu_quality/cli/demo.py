"""`keifu demo`: the main job on a sample roster, in one command."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from keifu_quality.diagnosis import Diagnostician

DEMO_SIZE = 300


def demo(
    size: Annotated[int, typer.Option(min=50, help="How many athletes the sample roster has.")] = DEMO_SIZE,
) -> None:
    """Start the embedded databases, load a sample roster and diagnose three athletes.

    One is clean, one has findings in several families, and one name means two people: the run asks whom, and is
    answered. Needs no other database; run it as often as you like.

    Example: keifu demo
    """
    from keifu_quality.app import diagnostician, embedded_server  # noqa: PLC0415 keeps --help fast
    from keifu_quality.cli.sample import load_progress  # noqa: PLC0415
    from keifu_quality.db.migrate import upgrade  # noqa: PLC0415
    from keifu_quality.errors import SettingsError  # noqa: PLC0415
    from keifu_quality.sample.load import load_roster  # noqa: PLC0415
    from keifu_quality.sample.roster import generate  # noqa: PLC0415
    from keifu_quality.settings import load_settings  # noqa: PLC0415

    settings = load_settings()
    if settings.business_database_url is not None or settings.agent_database_url is not None:
        raise SettingsError(
            "The demonstration works on the embedded server only. Unset TASUKI_KEIFU_BUSINESS_DATABASE_URL and "
            "TASUKI_KEIFU_AGENT_DATABASE_URL, or diagnose your own athletes with: keifu diagnose --help"
        )
    console = Console()
    console.rule("1. Embedded PostgreSQL and a sample roster")
    server = embedded_server()
    server.start()
    upgrade(settings)
    with load_progress(console) as progress:
        task = progress.add_task(f"inventing {size} athletes", total=None)
        roster = generate(size)
        load_roster(
            roster,
            server.urls().business_owner,
            replace=True,
            progress=lambda table, done, total: progress.update(task, description=table, completed=done, total=total),
        )
    with diagnostician() as service:
        _diagnose_three(service, console)


def _diagnose_three(service: "Diagnostician", console: Console) -> None:
    from graphs.contracts import DiagnosisInput  # noqa: PLC0415 keeps --help fast
    from keifu_quality.cli.output import print_report  # noqa: PLC0415
    from keifu_quality.sample import demo as athletes  # noqa: PLC0415

    console.rule("2. An athlete whose record is clean")
    clean = service.diagnose(DiagnosisInput(person_slug=athletes.DEMO_CLEAN_SLUG))
    print_report(clean, console)

    console.rule("3. An athlete with faults in several families")
    faulty = service.diagnose(DiagnosisInput(person_slug=athletes.DEMO_FAULTY_SLUG))
    print_report(faulty, console)

    console.rule("4. A name that means two people")
    asked = service.diagnose(DiagnosisInput(person_name=athletes.DEMO_AMBIGUOUS_NAME))
    print_report(asked, console)
    console.print(f"\nAnswering: {athletes.DEMO_AMBIGUOUS_SLUG}", style="bold")
    answered = service.resume(asked.run_id, answer=DiagnosisInput(person_slug=athletes.DEMO_AMBIGUOUS_SLUG))
    print_report(answered, console)

    console.rule("Summary")
    for report in (clean, faulty, answered):
        headline = report.summary.headline if report.summary else report.outcome
        console.print(f"{report.target.person_slug or report.input.person_slug}: {headline}", highlight=False)
    console.print(
        "\nWhat to do next:\n"
        f"  keifu show {faulty.run_id}          the stored report of a run\n"
        f"  keifu inspect {faulty.run_id}       its steps and events\n"
        "  keifu rules                         what is checked; keifu rules MT01 explains one rule\n"
        "  make ui                             the same in Dagster: http://127.0.0.1:3000\n"
        "  README.md                           how to point it at a real database",
        highlight=False,
        soft_wrap=True,
    )
    if any(report.summary is None for report in (clean, faulty, answered)):
        raise typer.Exit(1)
