"""What may be found on an athlete besides what was planted.

Belongs here: the observations of severity info that a correct rule makes on ordinary rows (missing profile fields,
missing provenance, no relation cache ...). Stays out: defects, which the planted forms state themselves.
"""

from datetime import datetime, timedelta

from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.labels import Label
from keifu_quality.sample.relations import RelationBuilder
from keifu_quality.sample.rows import PlayerRelationCache
from keifu_quality.sample.workshop import Workshop

_MAIN_DISCIPLINES = {"m5000", "m10000", "half_marathon", "marathon"}
_READ_BEFORE_STAMPED = timedelta(seconds=5)
"""The site's builder reads its inputs this long, at most, before it stamps the cache."""


def newest_inputs(workshop: Workshop) -> dict[str, datetime]:
    """By race id and person id, the newest change of what the relation builder reads of it, in UTC."""
    competitions = {row.id: row.updated_at for row in workshop.calendar.competitions}
    newest = {
        event.race.id: max(
            event.race.updated_at,
            event.edition.updated_at,
            competitions[event.competition.id],
            *(max(row.created_at, row.updated_at) for row in event.results),
        )
        for event in workshop.calendar.events
        if event.results
    }
    for athlete in workshop.athletes:
        newest[athlete.person.id] = max((row.updated_at for row in athlete.memberships), default=workshop.created)
    return newest


def label_of(
    workshop: Workshop,
    athlete: Athlete,
    cache: PlayerRelationCache | None,
    builder: RelationBuilder,
    inputs: dict[str, datetime],
) -> Label:
    """The label of an athlete; its tolerated codes are worked out from the rows."""
    person = athlete.person
    tolerated = set(athlete.tolerated)
    needed = [person.birth_date, person.nationality, person.display_name_roman]
    if not athlete.name.is_foreign:
        needed += [person.hometown, person.display_name_kana]
    if None in needed:
        tolerated.add("PC01")
    if any(_tells_more(athlete, reference.metadata or {}) for reference in athlete.references):
        tolerated.add("PC02")
    if not athlete.memberships and not athlete.bests and len(athlete.results) <= 1:
        tolerated.add("PC04")
    tolerated |= _best_observations(athlete)
    if any(event.day is None for event in athlete.events):
        tolerated |= {"MT11", "MT12", "MT13"}
    if cache is None:
        if builder.shares_a_race(athlete):
            tolerated.add("RC01")
    elif _is_older_than_inputs(athlete, cache, inputs):
        tolerated.add("RC02")
    expected = tuple(athlete.expected)
    return Label(
        person.id,
        person.slug,
        athlete.form,
        expected,
        tuple(sorted(tolerated)),
        tuple(sorted(athlete.undecided)),
    )


def _tells_more(athlete: Athlete, metadata: dict[str, object]) -> bool:
    person = athlete.person
    return ("displayNameKana" in metadata and person.display_name_kana is None) or (
        "displayNameRoman" in metadata and person.display_name_roman is None
    )


def _best_observations(athlete: Athlete) -> set[str]:
    codes: set[str] = set()
    raced = {
        event.race.discipline
        for row, event in zip(athlete.results, athlete.events, strict=True)
        if row.mark_millis is not None
    }
    disciplines = [row.discipline for row in athlete.bests]
    if raced & _MAIN_DISCIPLINES - set(disciplines):
        codes.add("PB09")
    if len(set(disciplines)) < len(disciplines):
        codes.add("PB02")
    if any(
        row.source_id is None or not (row.achieved_on or row.competition_name or row.venue) for row in athlete.bests
    ):
        codes.add("PB10")
    return codes


def _is_older_than_inputs(athlete: Athlete, cache: PlayerRelationCache, inputs: dict[str, datetime]) -> bool:
    # A broken payload may be a list or lack its relations.
    payload = cache.payload if isinstance(cache.payload, dict) else {}
    relations = payload.get("topRelations")
    related = [
        str(entry["relatedPersonId"])
        for entry in (relations if isinstance(relations, list) else [])
        if isinstance(entry, dict) and "relatedPersonId" in entry
    ]
    watermark = max(
        athlete.person.updated_at,
        *(inputs[key] for key in (athlete.person.id, *related) if key in inputs),
        *(inputs[event.race.id] for event in athlete.events),
    )
    return watermark >= cache.generated_at - _READ_BEFORE_STAMPED
