"""What an op does when a database stays away for longer than its statements wait.

Belongs here: that one policy, for steps of an op that may be repeated. Stays out: which faults pass by themselves
(`graphs.retry`), the waits of a sweep (`keifu_quality.sweep_worker`), and runs whose process died
(`keifu_quality.dagster_launcher`).
"""

import time
from collections.abc import Callable
from typing import TypeVar

import dagster as dg

from graphs.retry import is_transient
from graphs.tools.failure import failure_of

MOST_RETRIES = 5
PAUSE_SECONDS = 30

Result = TypeVar("Result")


def through_an_outage(context: dg.OpExecutionContext, call: Callable[[], Result]) -> Result:
    """What the call gives. A fault that may pass by itself is waited for; the sixth is raised, as is any other.

    Dagster would not run an op again that failed, since `run_retries` is for lost processes; a retry of the whole op
    would do again what is done.
    """
    for _ in range(MOST_RETRIES):
        try:
            return call()
        except Exception as error:
            if not is_transient(error):
                raise
            context.log.warning(f"a database is away; again in {PAUSE_SECONDS} seconds: {failure_of(error)[1]}")
            time.sleep(PAUSE_SECONDS)
    return call()
