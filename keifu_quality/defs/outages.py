"""What an op does when a database stays away for longer than its statements wait.

Belongs here: that one policy, for steps of an op that may be repeated. Stays out: the loop (`keifu_quality.outages`),
which faults pass by themselves (`graphs.retry`), the waits of a sweep (`keifu_quality.sweep_worker`), and runs whose
process died (`keifu_quality.dagster_launcher`).
"""

from collections.abc import Callable
from typing import TypeVar

import dagster as dg

from graphs.tools.failure import failure_of
from keifu_quality.outages import through_faults

MOST_RETRIES = 5
PAUSE_SECONDS = 30

Result = TypeVar("Result")


def through_an_outage(context: dg.OpExecutionContext, call: Callable[[], Result]) -> Result:
    """What the call gives. A fault that may pass by itself is waited for; the sixth is raised, as is any other.

    Dagster would not run an op again that failed, since `run_retries` is for lost processes; a retry of the whole op
    would do again what is done.
    """

    def warn(error: Exception) -> None:
        context.log.warning(f"a database is away; again in {PAUSE_SECONDS} seconds: {failure_of(error)[1]}")

    return through_faults(call, pauses=[PAUSE_SECONDS] * MOST_RETRIES, disturbed=warn)
