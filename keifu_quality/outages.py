"""Calls that wait for a database to come back.

Belongs here: the one loop. Stays out: which faults pass by themselves (`graphs.retry`), and for how long who waits.
"""

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from graphs.retry import is_transient

Result = TypeVar("Result")


def through_faults(
    call: Callable[[], Result], *, pauses: Iterable[float], disturbed: Callable[[Exception], None]
) -> Result:
    """What the call gives, which may be repeated once after each of these pauses, in seconds.

    `disturbed` is told of each fault that may pass by itself, before the pause. The last such fault is raised, as is
    any other at once.
    """
    for pause in pauses:
        try:
            return call()
        except Exception as error:
            if not is_transient(error):
                raise
            disturbed(error)
            time.sleep(pause)
    return call()
