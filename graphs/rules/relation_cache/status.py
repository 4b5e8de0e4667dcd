"""Whether a relation cache is fresh, stale, missing or invalid.

Belongs here: what the clock, the inputs of the builder and the archive's people say of a cached row. Stays out: the
shape of the payload (`graphs.rules.relation_cache.payload`). A cache older than the half hour for which the site
serves it is not stale: nearly all are, and the page rebuilds them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from graphs.contracts import CacheStatus
from graphs.facts import FactsUnavailableError, RelationCache, RelationInputs
from graphs.rules.athlete import Athlete
from graphs.rules.relation_cache.drift import relation_differences
from graphs.rules.relation_cache.instants import milliseconds
from graphs.rules.relation_cache.payload import Defect, PayloadReason, related_person_ids
from graphs.rules.rule import RuleContext

PROFILE_INPUT = "profile"
"""The input that every import touches: alone it hardly says that relations changed."""


def cache_status(athlete: Athlete, context: RuleContext) -> CacheStatus:
    """The state of an athlete's relation cache.

    Raises FactsUnavailableError where the row, its payload or what it is compared with could not be read.
    """
    cache = athlete.relation_cache
    if cache is None:
        return "missing"
    if cache_defects(athlete, cache, context) or dangling_person_ids(athlete, cache):
        return "invalid"
    if newer_inputs(athlete, cache, context) or relation_differences(athlete, context):
        return "stale"
    return "fresh"


def cache_defects(athlete: Athlete, cache: RelationCache, context: RuleContext) -> Sequence[Defect]:
    """Everything that makes the row unusable, except people it names that are gone."""
    reading = athlete.relation_payload
    defects = list(reading.defects) if reading is not None else []
    skew = timedelta(seconds=context.configuration.relation_cache.clock_skew_seconds)
    if cache.generated_at > context.now + skew:
        message = f"lies in the future: {cache.generated_at.isoformat()}"
        defects.append(Defect(PayloadReason.CLOCK, "generatedAt", message))
    return defects


def dangling_person_ids(athlete: Athlete, cache: RelationCache) -> Sequence[str]:
    """Ids that the payload names and that no longer exist, in order."""
    if athlete.relation_payload is None:
        return ()
    named = related_person_ids(cache.payload)
    return sorted(named - inputs_of(athlete).existing_person_ids) if named else ()


def newer_inputs(athlete: Athlete, cache: RelationCache, context: RuleContext) -> Mapping[str, datetime]:
    """The builder's inputs that changed after the cache was generated, or too shortly before, with their times in UTC.

    Times are compared as milliseconds. An input of the very millisecond of the cache is not newer: the cache was
    stamped with a copy of that time, cut to milliseconds.
    """
    inputs = inputs_of(athlete)
    generated = milliseconds(cache.generated_at)
    margin = round(context.configuration.relation_cache.write_margin_seconds * 1000)
    changes = {
        "own_results": inputs.own_results,
        "other_results": inputs.other_results,
        "races": inputs.races,
        "memberships": inputs.memberships,
        PROFILE_INPUT: inputs.profile,
    }
    return {
        name: changed
        for name, changed in changes.items()
        if changed is not None and milliseconds(changed) >= generated - margin and milliseconds(changed) != generated
    }


def inputs_of(athlete: Athlete) -> RelationInputs:
    """The times of the builder's inputs; raises FactsUnavailableError when a cache was read without them."""
    inputs = athlete.relation_inputs
    if inputs is None:
        message = "the times of the relation builder's inputs were not read"
        raise FactsUnavailableError("PlayerRelationCache", "relation_inputs_missing", message)
    return inputs
