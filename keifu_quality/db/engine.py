"""Connections to the business and the agent database, set up once for everybody.

What belongs here: which database is meant, the driver, session settings, pools, and the refusal of transaction
poolers. What stays out: every query of the product, and retries (`graphs.retry` lists the transient faults).

Session settings travel in the connection's start-up packet (libpq `options`), so that they cost no statement.
"""

from datetime import datetime
from importlib.metadata import version
from typing import Any

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format
from psycopg.rows import DictRow, dict_row
from sqlalchemy import Engine, create_engine, event

from keifu_quality.db.dialect import DRIVER_NAME
from keifu_quality.db.embedded import EmbeddedServer
from keifu_quality.dsn import Dsn, parse_dsn
from keifu_quality.errors import TransactionPoolerRefused
from keifu_quality.settings import Settings

CONNECT_TIMEOUT_SECONDS = 10
POOL_TIMEOUT_SECONDS = 10.0
POOL_RECYCLE_SECONDS = 1800
IDLE_IN_TRANSACTION_TIMEOUT_MS = 300_000
# Seconds of silence, seconds between probes and probes until a machine counts as dead, for the server and for us: two
# minutes. By most systems' own measure the locks of a dead machine, and waits for its answer, last for two hours.
KEEPALIVES = {"idle": 60, "interval": 15, "count": 4}
# Supabase's Supavisor and common PgBouncer set-ups serve transaction pooling there.
TRANSACTION_POOLER_PORT = 6543

# PostgreSQL knows `infinity`, years BC and years after 9999; Python's datetime does not. Such a timestamp is read
# as one of these two, which leave a day of room so that a shift between time zones stays inside datetime's range.
FAR_PAST = datetime(1, 1, 2)  # noqa: DTZ001
FAR_FUTURE = datetime(9999, 12, 30)  # noqa: DTZ001


class ClampedTimestampLoader(Loader):
    """Loads `timestamp without time zone`; what datetime cannot hold becomes FAR_PAST or FAR_FUTURE."""

    def __init__(self, oid: int, context: Any = None) -> None:
        super().__init__(oid, context)
        stock = psycopg.adapters.get_loader(oid, Format.TEXT)
        assert stock is not None, "psycopg has a loader for every built-in type"  # noqa: S101
        self._load = stock(oid, context).load

    def load(self, data: Buffer) -> datetime:
        try:
            return self._load(data)
        except psycopg.DataError:
            text = bytes(data)
            return FAR_PAST if text.startswith(b"-") or text.endswith(b"BC") else FAR_FUTURE


def business_dsn(settings: Settings) -> Dsn:
    """The business database: the one that the environment names, or the embedded one, which is started if need be."""
    return settings.business_dsn() or parse_dsn(_embedded(settings).urls().business)


def agent_dsn(settings: Settings) -> Dsn:
    """The agent database: the one that the environment names, or the embedded one, which is started if need be."""
    return settings.agent_dsn() or parse_dsn(_embedded(settings).urls().agent)


def dagster_url(settings: Settings) -> str:
    """The URL of Dagster's storage for SQLAlchemy with psycopg2; the embedded server is started if need be."""
    return (settings.dagster_dsn() or parse_dsn(_embedded(settings).urls().dagster)).for_psycopg2()


def business_engine(settings: Settings, *, pool_size: int = 2) -> Engine:
    """An engine of the business database: every transaction reads only, unqualified names mean the archive.

    It reads; it does not prove that the role cannot write (`keifu_quality.db.business_proof`).
    """
    dsn = business_dsn(settings)
    engine = _engine(
        dsn,
        _options(settings, search_path=dsn.schema or "public", default_transaction_read_only="on"),
        "business",
        pool_size,
    )

    @event.listens_for(engine, "connect")
    def _clamp_timestamps(connection: psycopg.Connection, _record: object) -> None:
        connection.adapters.register_loader("timestamp", ClampedTimestampLoader)

    return engine


def agent_engine(settings: Settings, *, pool_size: int = 2) -> Engine:
    """An engine of the agent database. Raises TransactionPoolerRefused, by the port now or at the first connection."""
    dsn = agent_dsn(settings)
    _refuse_declared_pooler(dsn)
    engine = _engine(dsn, _options(settings, search_path=dsn.schema or "public"), "agent", pool_size)

    @event.listens_for(engine, "first_connect", insert=True)
    def _probe(connection: psycopg.Connection, _record: object) -> None:
        connection.autocommit = True
        _refuse_answering_pooler(connection)
        connection.autocommit = False

    return engine


def connect_agent_psycopg(
    settings: Settings, *, purpose: str = "agent", search_path: str | None = None
) -> psycopg.Connection[DictRow]:
    """A connection of its own to the agent database, in autocommit: for checkpoints and advisory locks.

    `search_path` is one schema; unset it is that of `agent_engine`. The caller closes the connection. Raises
    TransactionPoolerRefused.
    """
    dsn = agent_dsn(settings)
    _refuse_declared_pooler(dsn)
    connection = psycopg.Connection[DictRow].connect(
        dsn.libpq(),
        autocommit=True,
        row_factory=dict_row,
        **_connect_arguments(dsn, _options(settings, search_path=search_path or dsn.schema or "public"), purpose),
    )
    try:
        _refuse_answering_pooler(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _embedded(settings: Settings) -> EmbeddedServer:
    server = EmbeddedServer(settings.home / "pg")
    server.start()
    return server


def _engine(dsn: Dsn, options: dict[str, str], purpose: str, pool_size: int) -> Engine:
    return create_engine(
        dsn.url.set(drivername=DRIVER_NAME),
        connect_args=_connect_arguments(dsn, options, purpose),
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=POOL_TIMEOUT_SECONDS,
        pool_recycle=POOL_RECYCLE_SECONDS,
        hide_parameters=True,
    )


def _connect_arguments(dsn: Dsn, options: dict[str, str], purpose: str) -> dict[str, Any]:
    given = dsn.url.query.get("options", "")
    ours = " ".join(f"-c {name}={_escape(value)}" for name, value in options.items())
    return {
        "options": f"{given} {ours}".strip(),
        "application_name": f"keifu-quality/{version('keifu-quality')} {purpose}",
        "client_encoding": "utf8",
        "connect_timeout": int(str(dsn.url.query.get("connect_timeout", CONNECT_TIMEOUT_SECONDS))),
        **{f"keepalives_{name}": value for name, value in KEEPALIVES.items()},
    }


def _options(settings: Settings, *, search_path: str, **more: str) -> dict[str, str]:
    return {
        "search_path": f'"{search_path}"',
        "TimeZone": "UTC",
        "DateStyle": "ISO",
        "standard_conforming_strings": "on",
        # Statements of milliseconds, most of which the server would spend compiling.
        "jit": "off",
        "default_transaction_isolation": "read committed",
        "statement_timeout": str(settings.statement_timeout_ms),
        "lock_timeout": str(settings.lock_timeout_ms),
        "idle_in_transaction_session_timeout": str(IDLE_IN_TRANSACTION_TIMEOUT_MS),
        **{f"tcp_keepalives_{name}": str(value) for name, value in KEEPALIVES.items()},
        **more,
    }


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


def _refuse_declared_pooler(dsn: Dsn) -> None:
    if dsn.declared_pooler or TRANSACTION_POOLER_PORT in dsn.ports():
        sign = "?pgbouncer=true" if dsn.declared_pooler else f"port {TRANSACTION_POOLER_PORT}"
        raise TransactionPoolerRefused(_pooler_message(sign))


def _refuse_answering_pooler(connection: psycopg.Connection[Any]) -> None:
    try:
        connection.execute("SHOW pool_mode")
    except psycopg.errors.UndefinedObject:
        return
    raise TransactionPoolerRefused(_pooler_message("the server answers SHOW pool_mode"))


def _pooler_message(sign: str) -> str:
    return (
        f"TASUKI_KEIFU_AGENT_DATABASE_URL points at a transaction pooler ({sign}). Checkpoints and advisory locks "
        "need a session of their own: give the direct address of the server, usually port 5432."
    )
