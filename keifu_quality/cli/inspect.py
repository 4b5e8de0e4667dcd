"""`keifu inspect`."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from keifu_quality.cli.diagnose import JsonOption

if TYPE_CHECKING:
    from keifu_quality.db.runs import RunStore

PAYLOAD_SHOWN = 160
"""Characters of an event's payload in a table; --json has all of it."""


RUN_ID_WIDTH = 36
"""Characters of a run id, which is there to be copied."""


def inspect(
    run_id: Annotated[str | None, typer.Argument(help="Look inside this run: its events and checkpoints.")] = None,
    person_slug: Annotated[str | None, typer.Option(help="Only runs that looked at this athlete.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many runs to list.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the latest runs, or look inside one: what happened in which step, and where it stopped.

    Examples:

        keifu inspect

        keifu inspect --person-slug mihon-taro --limit 5

        keifu inspect 019a0b2c-... --json
    """
    from keifu_quality.app import agent_database  # noqa: PLC0415 keeps --help fast
    from keifu_quality.db.runs import RunStore  # noqa: PLC0415

    with agent_database() as engine:
        store = RunStore(engine)
        if run_id is None:
            _list_runs(store, person_slug, limit, as_json=as_json)
        else:
            _look_inside(store, run_id, as_json=as_json)


def _list_runs(store: "RunStore", person_slug: str | None, limit: int, *, as_json: bool) -> None:
    from keifu_quality.cli.output import print_json  # noqa: PLC0415

    rows = store.latest_runs(limit=limit, person_slug=person_slug)
    if as_json:
        print_json([_plain(row) for row in rows])
        return
    table = Table("run", "started (UTC)", "status", "outcome", "athlete", "by", "stopped at")
    table.columns[0].no_wrap, table.columns[0].min_width = True, RUN_ID_WIDTH
    for column in table.columns[1:]:
        column.overflow = "fold"
    for row in rows:
        table.add_row(
            row["run_id"],
            f"{row['started_at']:%Y-%m-%d %H:%M:%S}",
            row["status"],
            row["outcome"] or "",
            escape(row["person_slug"] or ""),
            row["triggered_by"],
            row["error_node"] or ("" if row["ended_at"] else row["current_node"] or ""),
        )
    Console().print(table if rows else "There are no runs yet. Start with: keifu diagnose --help")


def _look_inside(store: "RunStore", run_id: str, *, as_json: bool) -> None:
    from keifu_quality.cli.output import print_json  # noqa: PLC0415

    run, events, checkpoints = store.run(run_id), store.events(run_id), store.checkpoints(run_id)
    if as_json:
        print_json(
            {
                "run": _plain(run),
                "events": [_plain(event) for event in events],
                "checkpoints": [_plain(checkpoint) for checkpoint in checkpoints],
            }
        )
        return
    console = Console()
    for name, value in _plain(run).items():
        if value is not None:
            console.print(f"[dim]{name}[/] {escape(str(value))}", highlight=False)
    table = Table("time (UTC)", "step", "event", "payload", title="Events", title_justify="left")
    for event in events:
        payload = json.dumps(event["event_payload_json"], ensure_ascii=False)
        table.add_row(
            f"{event['created_at']:%H:%M:%S.%f}"[:-3],
            event["node"] or "",
            event["kind"],
            escape(payload[:PAYLOAD_SHOWN]),
        )
    console.print(table)
    steps = ", ".join(str(checkpoint["node_name"]) for checkpoint in checkpoints)
    console.print(f"[dim]{len(checkpoints)} checkpoints:[/] {escape(steps)}", highlight=False)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value.isoformat() if hasattr(value, "isoformat") else value for key, value in row.items() if key != "id"
    }
