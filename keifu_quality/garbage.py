"""When Python looks for unreachable cycles.

Belongs here: the pause, and seldom looks. Stays out: what is made meanwhile.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 100_000
"""New objects between two looks; Python's own number is 700, with which a fifth of the time of imports is looking."""


def collect_seldom() -> None:
    """From now on few automatic collections, for a process that begins by importing thousands of objects for good."""
    gc.set_threshold(SELDOM, *gc.get_threshold()[1:])


@contextmanager
def collections_paused() -> Iterator[None]:
    """No automatic collections until the block ends.

    For work that makes tens of thousands of objects without cycles that stay alive to its end: collections walk them
    again and again and free none.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
