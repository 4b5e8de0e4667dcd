"""`load_person_snapshot_tool`: the facts of one athlete."""

from graphs.contracts import ToolResult
from graphs.facts import Snapshot
from graphs.ports import BusinessReader
from graphs.retry import is_transient
from graphs.tools.failure import failure_of

LOADED = ToolResult[Snapshot]


def load_person_snapshot_tool(person_id: str, reader: BusinessReader) -> ToolResult[Snapshot]:
    """Profile, memberships, personal bests, results, names, references and relation cache of an athlete.

    Raises what the database raises when the fault may pass by itself; any other fault is an error result. An
    athlete that has gone since it was resolved is the error `person_gone`.
    """
    try:
        snapshots = reader.load_snapshots([person_id])
    except Exception as error:
        if is_transient(error):
            raise
        return LOADED.failure(*failure_of(error))
    snapshot = snapshots.get(person_id)
    if snapshot is None:
        return LOADED.failure(
            "person_gone", f"the athlete {person_id} is no longer in the database; it may have been merged or deleted"
        )
    return LOADED.success(snapshot)
