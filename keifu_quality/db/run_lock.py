"""One process at a time in a run.

Belongs here: the advisory lock that a run holds while it works, so that two answers at once are one answer and one
clear error. The lock is a session's: it goes with the process, whatever ends it.
"""

import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager

from keifu_quality.db.engine import connect_agent_psycopg
from keifu_quality.errors import RunBusy
from keifu_quality.settings import Settings

_NAMESPACE = "keifu-quality run "


@contextmanager
def run_lock(settings: Settings, run_id: str) -> Iterator[None]:
    """Holds a run for the block. Raises RunBusy when another process has it."""
    key = int.from_bytes(hashlib.sha256((_NAMESPACE + run_id).encode()).digest()[:8], "big", signed=True)
    with closing(connect_agent_psycopg(settings, purpose="run lock")) as connection:
        row = connection.execute("SELECT pg_try_advisory_lock(%s) AS locked", (key,)).fetchone()
        if not (row and row["locked"]):
            raise RunBusy(
                f"Run {run_id} is being worked on by another process; its answer counts. "
                f"See how it ended: keifu show {run_id}"
            )
        yield
