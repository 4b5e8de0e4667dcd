"""The content digests of some athletes, equal to those that a sweep computes for all.

Belongs here: who has to be looked at besides these athletes, and the call of the statements that sweeps use. Stays out:
what a digest covers (`keifu_quality.db.content_digests`, `keifu_quality.db.digest_statements`).

Everything is read before the caller reads any facts, so that a stored digest is never newer than what was diagnosed: a
change in between makes the digest of the next sweep another one.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager

from psycopg.abc import Buffer
from sqlalchemy import Engine

from keifu_quality.db.business.access import text_array
from keifu_quality.db.copying import copy_blocks
from keifu_quality.db.digest_statements import DIGESTS, HAS_READABLE_SLUG, INCOMING, TURNED_SLUG

OpenDigests = Callable[[Collection[str]], AbstractContextManager[Iterator[Buffer]]]
"""Opens the archive's digests of athletes given by id, as `keifu_quality.db.content_digests.open_digests` does."""

# Whoever shares a key with one of them that `DIGESTS` sums over.
_CONCERNED = f"""
WITH mine AS MATERIALIZED (
    SELECT person_slug, loose_key, roman_key, foreign_key
    FROM athlete_index
    WHERE person_id = ANY(%(ids)s::text[]) AND NOT is_placeholder
), slugs AS MATERIALIZED (
    SELECT person_id, person_slug, {TURNED_SLUG} AS key
    FROM athlete_index
    WHERE {HAS_READABLE_SLUG}
)
SELECT person_id FROM athlete_index WHERE person_id = ANY(%(ids)s::text[])
UNION
SELECT o.person_id FROM mine m JOIN athlete_index o ON o.loose_key = m.loose_key
UNION
SELECT o.person_id FROM mine m JOIN athlete_index o ON o.roman_key = m.roman_key
UNION
SELECT o.person_id
FROM athlete_index o
WHERE string_to_array(o.foreign_key, ' ') && ARRAY(
    SELECT DISTINCT unnest(string_to_array(m.foreign_key, ' ')) FROM mine m WHERE m.foreign_key IS NOT NULL)
UNION
SELECT s.person_id
FROM slugs s
WHERE s.key IN (SELECT own.key FROM slugs own JOIN mine m ON m.person_slug = own.person_slug)
"""

_DIGESTS_OF = "SELECT person_id, digest FROM computed_digests WHERE person_id = ANY(%(ids)s::text[])"


def digests_of(
    agent: Engine, person_ids: Collection[str], open_digests: OpenDigests, *, scope: str
) -> Mapping[str, str]:
    """By id, the digest of each of these athletes that the archive and the index of athletes have.

    Refresh the index before. `scope` is that of `keifu_quality.digest_scope`.
    """
    if not person_ids:
        return {}
    ids = {"ids": text_array(person_ids)}
    with agent.begin() as connection:
        concerned = connection.exec_driver_sql(_CONCERNED, ids).scalars().all()
        connection.exec_driver_sql(INCOMING)
        with open_digests(concerned) as blocks:
            copy_blocks(connection, "incoming_digests", blocks)
        connection.exec_driver_sql(DIGESTS, {"scope": scope})
        return {row[0]: row[1] for row in connection.exec_driver_sql(_DIGESTS_OF, ids)}
