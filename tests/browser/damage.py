"""An athlete whose record cannot be read: one of its rows is damaged, as a bad block of a disk leaves it.

Belongs here: the imitation of the damage in the archive. PostgreSQL keeps sound whatever a test writes, so a view takes
the place of the table and raises PostgreSQL's own error when a diagnosis asks for the row. Digests, which are read in
another isolation level, are spared; else a sweep would end before its first athlete.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.dagster.instance import Deployment

MESSAGE = "missing chunk number 0 for toast value 16425"

FUNCTION = f"""
CREATE FUNCTION unless_damaged(person text, mark text) RETURNS text STABLE LANGUAGE plpgsql AS $$
BEGIN
    IF person = (SELECT id FROM "Person" WHERE notes = 'damaged')
            AND current_setting('transaction_isolation') = 'repeatable read' THEN
        RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'data_corrupted';
    END IF;
    RETURN mark;
END $$
"""
COLUMNS = """
SELECT string_agg(CASE attname WHEN 'mark' THEN 'unless_damaged("personId", mark) AS mark'
    ELSE quote_ident(attname) END, ', ' ORDER BY attnum)
FROM pg_attribute
WHERE attrelid = '"PersonalBestRows"'::regclass AND attnum > 0 AND NOT attisdropped
"""


@contextmanager
def damaged_bests(deployed: Deployment, slug: str) -> Iterator[None]:
    """Until the end of the context, the personal bests of this athlete cannot be read."""
    archive = deployed.archive
    archive("UPDATE \"Person\" SET notes = 'damaged' WHERE slug = :slug", slug=slug)
    archive(FUNCTION)
    archive('ALTER TABLE "PersonalBest" RENAME TO "PersonalBestRows"')
    [(columns,)] = archive(COLUMNS)
    archive(f'CREATE VIEW "PersonalBest" AS SELECT {columns} FROM "PersonalBestRows"')
    archive('GRANT SELECT ON "PersonalBest" TO keifu_reader')
    try:
        yield
    finally:
        archive('DROP VIEW "PersonalBest"')
        archive('ALTER TABLE "PersonalBestRows" RENAME TO "PersonalBest"')
        archive("DROP FUNCTION unless_damaged")
        archive("UPDATE \"Person\" SET notes = NULL WHERE notes = 'damaged'")
