"""The traces that the site's importer leaves.

Belongs here: one batch per race with its payload, audit rows of results, creation and change times of every row,
ranks. Stays out: what was imported. All times are UTC and lie before the as-of date.
"""

from datetime import datetime, time, timedelta

from keifu_quality.sample.calendar import Event
from keifu_quality.sample.rows import AuditLog, CacheInvalidation, ImportBatch
from keifu_quality.sample.workshop import Workshop

BATCH_SECONDS = 40
_ROWS_WRITTEN = timedelta(seconds=35)
_LONGEST_BACKLOG = timedelta(days=90)
_EARLIER_RUN = timedelta(days=2)
_SPACING = timedelta(minutes=2)


def import_everything(workshop: Workshop) -> tuple[list[ImportBatch], list[AuditLog]]:
    """Sets the times of all rows and returns the batches, in order of time, with the audit rows of their results."""
    people = {athlete.person.id: athlete for athlete in workshop.athletes}
    events = sorted(workshop.calendar.events, key=lambda event: (event.sort_day, event.race.slug))
    spacing = min(_SPACING, _LONGEST_BACKLOG / max(1, len(events)))
    batches: list[ImportBatch] = []
    audit: list[AuditLog] = []
    touched: dict[str, tuple[datetime, datetime]] = {}
    for number, event in enumerate(events):
        day_after = datetime.combine(event.sort_day, time()) + timedelta(days=1)
        started = max(workshop.created, day_after) + number * spacing
        if day_after > workshop.created:
            # Races since the backlog are imported on the day after, some minutes apart.
            started = day_after + timedelta(seconds=120 * (number % 500))
        started = started.replace(microsecond=0)
        written = started + _ROWS_WRITTEN
        batch = _batch(workshop, event, started)
        batches.append(batch)
        event.race.created_at = event.race.updated_at = written
        slugs: list[dict[str, object]] = []
        for row in event.results:
            if row.id in workshop.left_over:
                row.created_at = row.updated_at = started - _EARLIER_RUN
                continue
            row.created_at = row.updated_at = written
            audit.append(
                AuditLog(
                    workshop.new_id("audit"),
                    "RaceResult",
                    row.id,
                    "update",
                    "import",
                    row.source_id,
                    "import_script",
                    batch.id,
                    written,
                )
            )
            slugs.append({"slug": people[row.person_id].person.slug, "mark": row.mark})
            first, _last = touched.get(row.person_id, (written, written))
            touched[row.person_id] = (first, max(written, touched.get(row.person_id, (written, written))[1]))
        batch.payload = {"raceSlug": event.race.slug, "entries": slugs}
        _rank(event)
    for athlete in workshop.athletes:
        first, last = touched.get(athlete.person.id, (workshop.created, workshop.created))
        athlete.person.created_at, athlete.person.updated_at = first, last
        for row in (*athlete.memberships, *athlete.bests, *athlete.variants):
            row.created_at = row.updated_at = first
        for reference in athlete.references:
            reference.created_at, reference.updated_at = first, last
    return batches, audit


def invalidations(workshop: Workshop, batches: list[ImportBatch]) -> list[CacheInvalidation]:
    """The cache versions, bumped just before the last batch completed."""
    last = max((batch.completed_at for batch in batches if batch.completed_at), default=workshop.created)
    version = last - timedelta(seconds=1)
    return [
        CacheInvalidation(workshop.new_id("invalidation"), scope, version, workshop.created, version)
        for scope in ("player-detail", "competition-detail")
    ]


def _batch(workshop: Workshop, event: Event, started: datetime) -> ImportBatch:
    completed = started + timedelta(seconds=BATCH_SECONDS)
    return ImportBatch(
        workshop.new_id("batch"),
        event.race.slug,
        "race",
        "completed",
        event.race.source_id,
        None,
        started,
        completed,
        None,
        started,
        completed,
    )


def _rank(event: Event) -> None:
    finishers = sorted(
        (row for row in event.results if row.mark_millis is not None), key=lambda row: row.mark_millis or 0
    )
    for place, row in enumerate(finishers, start=1):
        row.rank = place
