"""The site's importer as far as it leaves traces, over an invented archive.

Belongs here: the rows that one run of a batch writes, in its order: person, source reference, result, audit row. Times
are UTC, naive as stored, counted in minutes from START.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg.types.json import Jsonb

from tests.keifu_quality.db.archive import Archive

START = datetime(2026, 8, 1, 10, 0)  # noqa: DTZ001 as the archive stores it
SECOND = 1 / 60
SOURCE = "s1"


def at(minutes: float) -> datetime:
    """So many minutes after START, as the archive stores it."""
    return START + timedelta(minutes=minutes)


@dataclass
class FixedClock:
    """A clock that a test sets, in minutes from START."""

    minutes: float = 0

    def now(self) -> datetime:
        return at(self.minutes).replace(tzinfo=UTC)


@dataclass
class Site:
    """Runs imports against an archive. An athlete's id is `p-` and the slug, a race's slug is `slug-` and the id."""

    archive: Archive
    written: int = field(default=0)

    def prepare(self, *races: str) -> None:
        """The source, and races without results."""
        self.archive.source(SOURCE)
        for race in races:
            self.archive.race(race)

    def start(self, batch: str, minutes: float, payload: Any, *, key: str | None = None) -> None:
        """A batch runs, for the first time or again."""
        self.archive.execute(
            """
            INSERT INTO "ImportBatch" (id, key, type, status, "sourceId", payload, "startedAt", "createdAt",
                "updatedAt")
            VALUES (%(id)s, %(key)s, 'race', 'running', %(source)s, %(payload)s, %(at)s, %(at)s, %(at)s)
            ON CONFLICT (id) DO UPDATE SET status = 'running', payload = EXCLUDED.payload, "completedAt" = NULL,
                "startedAt" = EXCLUDED."startedAt", "updatedAt" = EXCLUDED."updatedAt", "errorMessage" = NULL
            """,
            id=batch,
            key=key or f"key-{batch}",
            source=SOURCE,
            payload=None if payload is None else Jsonb(payload),
            at=at(minutes),
        )

    def end(self, batch: str, minutes: float, *, error: str | None = None) -> None:
        """A batch completes, or fails with a message."""
        self.archive.execute(
            """
            UPDATE "ImportBatch" SET status = %(status)s, "completedAt" = %(at)s, "updatedAt" = %(at)s,
                "errorMessage" = %(error)s
            WHERE id = %(id)s
            """,
            id=batch,
            status="failed" if error else "completed",
            error=error,
            at=at(minutes),
        )

    def write_person(self, slug: str, minutes: float) -> str:
        """The first half of an entry: the person."""
        self.archive.execute(
            """
            INSERT INTO "Person" (id, slug, "displayNameJa", "createdAt", "updatedAt")
            VALUES (%(id)s, %(slug)s, %(slug)s, %(at)s, %(at)s)
            ON CONFLICT (slug) DO UPDATE SET "updatedAt" = EXCLUDED."updatedAt"
            """,
            id=f"p-{slug}",
            slug=slug,
            at=at(minutes),
        )
        return f"p-{slug}"

    def write_reference(self, slug: str, minutes: float) -> None:
        """What the source printed of a person."""
        self.archive.execute(
            """
            INSERT INTO "SourceReference" (id, "sourceId", "sourceEntityType", "sourceEntityKey", "personId",
                "updatedAt")
            VALUES (%(id)s, %(source)s, 'person', %(id)s, %(person)s, %(at)s)
            ON CONFLICT (id) DO UPDATE SET "updatedAt" = EXCLUDED."updatedAt"
            """,
            id=f"f-{slug}",
            source=SOURCE,
            person=f"p-{slug}",
            at=at(minutes),
        )

    def write_result(self, race: str, slug: str, minutes: float) -> str:
        """A result, in place of the one from an earlier run."""
        self.archive.execute(
            'DELETE FROM "RaceResult" WHERE "raceId" = %(race)s AND "personId" = %(person)s',
            race=race,
            person=f"p-{slug}",
        )
        self.written += 1
        time = at(minutes)
        identifier = f"x{self.written}"
        return self.archive.result(identifier, f"p-{slug}", race, sourceId=SOURCE, createdAt=time, updatedAt=time)

    def audit(self, batch: str | None, entity: str, minutes: float, kind: str = "RaceResult") -> None:
        """The audit row that ends an entry."""
        self.written += 1
        row = {"action": "update", "reasonType": "import", "actorType": "import_script"}
        self.archive.audit(f"a{self.written}", entity, kind, batchId=batch, createdAt=at(minutes), **row)

    def entry(self, batch: str, race: str, slug: str, minutes: float) -> None:
        """One whole entry of a payload."""
        self.write_person(slug, minutes)
        self.write_reference(slug, minutes)
        self.audit(batch, self.write_result(race, slug, minutes), minutes)

    def run(self, batch: str, race: str, slugs: Sequence[str], *, start: float, minutes: float = 1) -> None:
        """A run from beginning to end; the entries come one second after the other."""
        self.start(batch, start, payload(race, slugs))
        for number, slug in enumerate(slugs, start=1):
            self.entry(batch, race, slug, start + number * SECOND)
        self.end(batch, start + minutes)


def payload(race: str, slugs: Sequence[str]) -> dict[str, Any]:
    """A payload of the site: the race and its entries."""
    return {"raceSlug": f"slug-{race}", "entries": [{"slug": slug} for slug in slugs]}
