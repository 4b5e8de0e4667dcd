"""The databases of a benchmark, which nothing else uses.

Belongs here: an embedded server in a directory that goes with it, and an environment that names no other databases.
Stays out: what a benchmark puts there.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer

OTHERS = ("TASUKI_KEIFU_", "DAGSTER_", "LANGSMITH_")
"""Variables by which the environment might name other databases than those of the benchmark."""


@contextmanager
def own_home() -> Iterator[tuple[Path, DatabaseUrls]]:
    """A fresh KEIFU_HOME with a running server; the environment stays without other databases afterwards."""
    for name in [name for name in os.environ if name.startswith(OTHERS)]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="keifu-bench-") as directory:
        os.environ["KEIFU_HOME"] = directory
        home = Path(directory)
        server = EmbeddedServer(home / "pg")
        server.start()
        try:
            yield home, server.urls()
        finally:
            server.stop()
