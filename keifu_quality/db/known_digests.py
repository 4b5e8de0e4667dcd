"""The content digests of all athletes, kept from one plan of a sweep to the next.

Belongs here: their tables, and bringing them up to date where anything that they cover may have changed. What they are
based on is kept with them: the state of the archive, of the index of names and of the judgements. Stays out: what a
digest covers (`keifu_quality.db.content_digests`, `keifu_quality.db.digest_statements`), and who is due
(`keifu_quality.db.sweeps`). The digest of an athlete's last diagnosis is in the index of athletes.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from psycopg.abc import Buffer
from sqlalchemy import Boolean, CheckConstraint, Column, Connection, Integer, SmallInteger, Table, Text

from keifu_quality.db.agent import metadata
from keifu_quality.db.copying import copy_blocks
from keifu_quality.db.digest_statements import DIGESTS, INCOMING

athlete_digests = Table(
    "athlete_digests",
    metadata,
    Column("person_id", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("signals", Integer, nullable=False),
    Column("has_namesakes", Boolean, nullable=False),
)

athlete_digests_state = Table(
    "athlete_digests_state",
    metadata,
    Column("id", SmallInteger, primary_key=True, server_default="1"),
    Column("basis", Text, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

# An archive that was set back counts its transactions from there anew: what was known before says nothing.
BASIS = """
SELECT concat_ws(' | ', %(scope)s::text, %(archive)s::text,
    (SELECT names_digest FROM athlete_index_state),
    (SELECT sum(hash_record_extended(ROW(id, withdrawn_at IS NULL), 0)) FROM identity_judgements),
    (SELECT reset_at FROM import_watch))
"""
KNOWN = "SELECT EXISTS (SELECT FROM athlete_digests_state WHERE basis = %(basis)s)"

REMOVE_GONE = """
DELETE FROM athlete_digests d
WHERE NOT EXISTS (SELECT FROM computed_digests c WHERE c.person_id = d.person_id)
"""
TAKE_OVER = """
INSERT INTO athlete_digests (person_id, digest, signals, has_namesakes)
SELECT person_id, digest, signals, has_namesakes FROM computed_digests ORDER BY person_id
ON CONFLICT (person_id) DO UPDATE
SET digest = EXCLUDED.digest, signals = EXCLUDED.signals, has_namesakes = EXCLUDED.has_namesakes
WHERE (athlete_digests.digest, athlete_digests.signals, athlete_digests.has_namesakes)
    IS DISTINCT FROM (EXCLUDED.digest, EXCLUDED.signals, EXCLUDED.has_namesakes)
"""
FORGET_BASIS = "DELETE FROM athlete_digests_state"
NOTE_BASIS = "INSERT INTO athlete_digests_state (basis) VALUES (%(basis)s)"


@dataclass(frozen=True, slots=True)
class ArchiveDigests:
    """How to ask the archive: what state it is in (`keifu_quality.db.archive_state`), and the digests themselves as
    `keifu_quality.db.content_digests.open_digests` opens them. `scope` is that of `keifu_quality.digest_scope`."""

    state: Callable[[], str | None]
    open: Callable[[], AbstractContextManager[Iterator[Buffer]]]
    scope: str


def refresh_digests(connection: Connection, archive: ArchiveDigests) -> None:
    """Makes the known digests those of now, in the caller's transaction, which is the only one at it.

    Costs one look at the rows' places where nothing changed. The basis is read before the digests are, so whatever
    changes in between makes the next basis another one.
    """
    state = archive.state()
    basis = connection.exec_driver_sql(BASIS, {"scope": archive.scope, "archive": state}).scalar_one()
    if state is not None and connection.exec_driver_sql(KNOWN, {"basis": basis}).scalar_one():
        return
    connection.exec_driver_sql(INCOMING)
    with archive.open() as blocks:
        copy_blocks(connection, "incoming_digests", blocks)
    connection.exec_driver_sql("ANALYZE incoming_digests")
    connection.exec_driver_sql(DIGESTS, {"scope": archive.scope})
    connection.exec_driver_sql(REMOVE_GONE)
    connection.exec_driver_sql(TAKE_OVER)
    connection.exec_driver_sql(FORGET_BASIS)
    if state is not None:
        connection.exec_driver_sql(NOTE_BASIS, {"basis": basis})
