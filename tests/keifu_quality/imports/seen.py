"""What a watch sees, in the words of the tests."""

from keifu_quality.db.imports.events import AffectedPerson, ImportEvent
from keifu_quality.imports import ImportWatch
from tests.keifu_quality.imports.site import FixedClock


def reasons(event: ImportEvent) -> dict[str, set[str]]:
    """By slug, why an athlete counts as touched."""
    return {person.slug: {str(reason) for reason in person.reasons} for person in touched(event)}


def touched(event: ImportEvent) -> list[AffectedPerson]:
    return [person for person in event.people if person.person_id in event.touched()]


def slugs(event: ImportEvent) -> list[str]:
    return [person.slug for person in touched(event)]


def only_event(watch: ImportWatch, clock: FixedClock, minutes: float) -> ImportEvent:
    """The one event that a look at this minute finds; a second look finds none."""
    clock.minutes = minutes
    [event] = watch.poll().new_events
    assert watch.poll().new_events == ()
    return event


WHOLE = {"result", "audit", "source_reference"}
