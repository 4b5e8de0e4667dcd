"""SQLAlchemy's psycopg dialect without the statements that it sends on its first connection.

Belongs here: what the archive's connections know from the handshake or from their own settings instead. A diagnosis is
one short process; on a busy archive the nine statements of the stock dialect are most of what such a process would ask.
"""

from typing import TYPE_CHECKING, Any

from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

if TYPE_CHECKING:
    from sqlalchemy import Connection

DRIVER_NAME = "postgresql+keifu"


class QuietDialect(PGDialect_psycopg):
    """Takes the server's version from libpq and the rest from the start-up options of `keifu_quality.db.engine`.

    Those set the search path, standard conforming strings and the isolation level, so there is nothing to ask for.
    """

    supports_statement_cache = True

    def initialize(self, connection: "Connection") -> None:
        """Fills in what the stock dialect reads with statements; sends none."""
        driver: Any = connection.connection.driver_connection
        major, minor = divmod(driver.info.server_version, 10_000)
        self.server_version_info = (major, minor)
        self.default_schema_name = None
        self.default_isolation_level = "READ COMMITTED"
        self._backslash_escapes = False


registry.register("postgresql.keifu", __name__, QuietDialect.__name__)
