"""When Python looks for unreachable cycles.

Belongs here: the pause. Stays out: what is made meanwhile.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
