"""One process at a time in a run.

Belongs here: the advisory lock that a run holds while it works, so that two answers at once are one answer and one
clear error. The lock is a session's: it goes with the process, whatever ends it.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.rows import DictRow

from keifu_quality.errors import RunBusy

_NAMESPACE = "keifu-quality run "


@contextmanager
def run_lock(connection: psycopg.Connection[DictRow], run_id: str) -> Iterator[None]:
    """Holds a run for the block, by a session in autocommit. Raises RunBusy when another session has the run."""
    key = int.from_bytes(hashlib.sha256((_NAMESPACE + run_id).encode()).digest()[:8], "big", signed=True)
    row = connection.execute("SELECT pg_try_advisory_lock(%s) AS locked", (key,)).fetchone()
    if not (row and row["locked"]):
        raise RunBusy(
            f"Run {run_id} is being worked on by another process; its answer counts. "
            f"See how it ended: keifu show {run_id}"
        )
    try:
        yield
    finally:
        # A lost session has lost its lock with it; the fault that took it is already on its way up.
        if not connection.closed:
            connection.execute("SELECT pg_advisory_unlock(%s)", (key,))
