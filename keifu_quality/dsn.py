"""Reading of database URLs: the forms that are accepted and what is made of them.

What belongs here: pure text handling of one URL. What stays out: connecting (`keifu_quality.db.engine`) and the
environment (`keifu_quality.settings`).
"""

import re
from dataclasses import dataclass

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

PSYCOPG3 = "postgresql+psycopg"
PSYCOPG2 = "postgresql+psycopg2"

# https://www.prisma.io/docs/orm/overview/databases/postgresql#arguments: what only Prisma's own engine understands.
# libpq refuses an unknown parameter, so these are taken out; `schema` and `pgbouncer` are read first.
PRISMA_PARAMETERS = frozenset(
    {
        "schema",
        "pgbouncer",
        "connection_limit",
        "pool_timeout",
        "socket_timeout",
        "max_idle_connection_lifetime",
        "statement_cache_size",
        "single_use_connections",
        "sslaccept",
        "sslidentity",
    }
)

_SHAPE = (
    "is not a database URL of the form postgresql://USER:PASSWORD@HOST:PORT/DATABASE; "
    "special characters in the user name or password must be percent-encoded"
)
_HOST_AND_PORT = re.compile(r"[A-Za-z0-9.-]+:([0-9]+)")
_SCHEMES = frozenset({"postgres", "postgresql", PSYCOPG3, PSYCOPG2})


class MalformedDsn(ValueError):
    """The text is no usable PostgreSQL URL. The message never quotes the text, which may hold a password."""


@dataclass(frozen=True, slots=True)
class Dsn:
    """One database, ready to connect to.

    `url` names the driver psycopg 3 and holds only parameters that libpq knows. `schema` is Prisma's `?schema=`, or
    None. `declared_pooler` is true when the URL says `?pgbouncer=true`.
    """

    url: URL
    schema: str | None = None
    declared_pooler: bool = False

    def ports(self) -> frozenset[int]:
        """The ports that the URL names: that beside the host, unless the query has some, which libpq prefers.

        A query may list several hosts, and SQLAlchemy takes `host:port` there.
        """
        query = {key: str(value).split(",") for key, value in self.url.query.items()}
        beside = [found[1] for host in query.get("host", ()) if (found := _HOST_AND_PORT.fullmatch(host))]
        named = [int(port) for port in (*query.get("port", ()), *beside) if port]
        if not named and self.url.port is not None:
            named.append(self.url.port)
        return frozenset(named)

    def libpq(self) -> str:
        """The URL with its password, in the form that psycopg takes."""
        return render(self.url.set(drivername="postgresql"))

    def for_psycopg2(self) -> str:
        """The URL with its password for SQLAlchemy with psycopg2, which is what Dagster's storage needs.

        SQLAlchemy 2.1 takes a bare `postgresql://` for psycopg 3, with which Dagster's web server fails.
        """
        return render(self.url.set(drivername=PSYCOPG2))


def parse_dsn(text: str) -> Dsn:
    """Read a PostgreSQL URL as people and Prisma write it.

    Raises MalformedDsn when the text is no URL, is for another database, names no database, or carries a parameter
    that neither libpq nor Prisma knows.
    """
    try:
        url = make_url(text.strip())
    except (ArgumentError, ValueError):
        raise MalformedDsn(_SHAPE) from None
    if not _ends_where_it_seems(text, url) or _holds_nul(url):
        raise MalformedDsn(_SHAPE)
    if url.drivername not in _SCHEMES:
        raise MalformedDsn("must begin with postgresql:// or postgres://; other databases and proxies cannot be read")
    if not url.database:
        raise MalformedDsn("names no database; write postgresql://HOST:PORT/DATABASE")
    query = {key: _single(key, value) for key, value in url.query.items()}
    unknown = sorted(set(query) - PRISMA_PARAMETERS - _libpq_keywords())
    if unknown:
        raise MalformedDsn(f"has parameters that PostgreSQL does not know: {', '.join(unknown)}; remove them")
    if not re.fullmatch(r"([0-9]{1,5}(,|$))*", query.get("port", "")):
        raise MalformedDsn("has a port parameter that is no port number")
    if not query.get("connect_timeout", "0").isdecimal():
        raise MalformedDsn("has a connect_timeout that is no whole number of seconds")
    schema = query.get("schema") or None
    if schema is not None and '"' in schema:
        raise MalformedDsn("has a schema parameter with a quotation mark; name one existing schema")
    return Dsn(
        url=url.set(
            drivername=PSYCOPG3,
            query={key: value for key, value in query.items() if key not in PRISMA_PARAMETERS},
        ),
        schema=schema,
        declared_pooler=query.get("pgbouncer", "").lower() == "true",
    )


def render(url: URL) -> str:
    """The URL as text with its password, in a form that libpq reads too."""
    base, mark, query = url.render_as_string(hide_password=False).partition("?")
    # SQLAlchemy writes a space of the query as a plus sign, which libpq takes as it stands.
    return base + mark + query.replace("+", "%20")


def _ends_where_it_seems(text: str, url: URL) -> bool:
    # The rest of a password with an unescaped @ would be taken for a host, and error messages name hosts.
    _, at, rest = text.partition("://")[2].rpartition("@")
    return not at or rest.lstrip("[").startswith(url.host or "")


def _holds_nul(url: URL) -> bool:
    # libpq reads up to it and would connect to a server that nobody named.
    return any("\x00" in part for part in (url.username, url.password, url.host, url.database) if part is not None)


def _single(key: str, value: str | tuple[str, ...]) -> str:
    # Several `host` parameters are libpq's list of hosts; any other repetition is a slip of the pen.
    if isinstance(value, str):
        return value
    if key == "host":
        return ",".join(value)
    raise MalformedDsn(f"gives the parameter {key} more than once")


def _libpq_keywords() -> frozenset[str]:
    # psycopg loads libpq, which a process that never connects does not need.
    from psycopg.pq import Conninfo  # noqa: PLC0415

    return frozenset(option.keyword.decode() for option in Conninfo.get_defaults())
