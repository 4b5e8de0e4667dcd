"""`keifu judge`: what a maintainer decides about two athletes of one name."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from keifu_quality.cli.diagnose import JsonOption

if TYPE_CHECKING:
    from keifu_quality.db.judgements import RecordedJudgement


class VerdictArgument(StrEnum):
    """The verdicts as the command line takes them."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


def judge(
    one: Annotated[str, typer.Argument(help="The slug of one athlete.")],
    other: Annotated[str, typer.Argument(help="The slug of the other.")],
    verdict: Annotated[
        VerdictArgument | None, typer.Argument(help="Leave it out to see what was decided so far.")
    ] = None,
    note: Annotated[str | None, typer.Option(help="Why; for whoever reads it later.")] = None,
    by: Annotated[str | None, typer.Option(help="Who decides; your login name if left out.")] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Take the present judgement back.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Record whether two athletes are the same person; rules heed it from the next diagnosis on.

    `different` ends the matter, `same` asks for a merge until it is done, `unsure` keeps it open. Earlier judgements
    on the pair are kept as history.

    Examples:

        keifu judge mihon-taro mihon-taro-2 different --note "both ran leg 2 in 2024"

        keifu judge mihon-taro mihon-taro-2

        keifu judge mihon-taro mihon-taro-2 --withdraw
    """
    if verdict is not None and withdraw:
        raise typer.BadParameter("give a verdict or --withdraw, not both")
    if verdict is None and note is not None:
        raise typer.BadParameter("--note belongs to a verdict")
    from keifu_quality.app import judging  # noqa: PLC0415 keeps --help fast
    from keifu_quality.cli.output import print_json  # noqa: PLC0415

    pair = (one, other)
    with judging() as service:
        if verdict is not None:
            service.judge(pair, verdict.value, note=note, by=by or _login_name())
        elif withdraw:
            service.withdraw(pair, by=by or _login_name())
        history = service.history(pair)
    if as_json:
        print_json([judgement.as_json() for judgement in history])
    else:
        _print(history, pair, Console())


def _login_name() -> str:
    import getpass  # noqa: PLC0415

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise typer.BadParameter("this system has no name for you; say who decides with --by") from None


def _print(history: "Sequence[RecordedJudgement]", pair: tuple[str, str], console: Console) -> None:
    if not history:
        console.print(f"Nothing was decided about {pair[0]} and {pair[1]}.", highlight=False)
        return
    table = Table("verdict", "note", "decided", "by", "withdrawn", title=f"{pair[0]} and {pair[1]}")
    for judgement in history:
        ended = f"{judgement.withdrawn_at:%Y-%m-%d %H:%M} {judgement.withdrawn_by}" if judgement.withdrawn_at else ""
        table.add_row(
            judgement.verdict,
            escape(judgement.note or ""),
            f"{judgement.decided_at:%Y-%m-%d %H:%M}",
            escape(judgement.decided_by),
            escape(ended),
            style="dim" if ended else None,
        )
    console.print(table)
