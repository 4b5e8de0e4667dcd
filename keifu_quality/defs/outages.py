"""What an op does when a database stays away for longer than its statements wait.

Belongs here: that one policy, for ops that go on where they stopped. Stays out: which faults pass by themselves
(`graphs.retry`), the waits of a sweep (`keifu_quality.sweep_worker`), and runs whose process died
(`keifu_quality.dagster_launcher`).
"""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from graphs.retry import is_transient

MOST_RETRIES = 5
PAUSE_SECONDS = 30


@contextmanager
def again_after_an_outage() -> Iterator[None]:
    """Asks Dagster to run the op again, in the same process after a pause, when the block ends with such a fault.

    Run retries leave out runs whose op failed; without this a restart of PostgreSQL would end a sweep until the next
    night.
    """
    try:
        yield
    except Exception as error:
        if is_transient(error):
            raise dg.RetryRequested(max_retries=MOST_RETRIES, seconds_to_wait=PAUSE_SECONDS) from error
        raise
