"""A PostgreSQL of a test's own, for tests that stop it.

Belongs here: its start and its end. Stays out: the server that all other tests share (`tests.conftest`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from keifu_quality.db.embedded import EmbeddedServer


@contextmanager
def own_server(prefix: str) -> Iterator[tuple[EmbeddedServer, Path]]:
    """A running server, and a directory beside its data that goes with it."""
    # pytest withdraws other users' access to its own directories whenever it starts.
    directory = Path(mkdtemp(prefix=prefix))
    # Without fsync only: an immediate stop would lose what was committed asynchronously.
    server = EmbeddedServer(directory / "pg", server_settings={"fsync": "off"})
    try:
        server.start()
        yield server, directory
    finally:
        server.stop()
        rmtree(directory)
