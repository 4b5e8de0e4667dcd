"""Assembly of a roster.

Belongs here: how many athletes of which sort there are, the order of the steps, and the labels. Stays out: making
athletes, and the database.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import cycle

from keifu_quality.garbage import collections_paused
from keifu_quality.sample import demo, imports
from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.careers import CareerMaker
from keifu_quality.sample.expectations import label_of, newest_inputs
from keifu_quality.sample.faults import registry
from keifu_quality.sample.faults.form import Form
from keifu_quality.sample.labels import Label
from keifu_quality.sample.profiles import cohort_of, fill_in
from keifu_quality.sample.relations import RelationBuilder
from keifu_quality.sample.rows import (
    LOAD_ORDER,
    AuditLog,
    CacheInvalidation,
    Competition,
    CompetitionEdition,
    ImportBatch,
    Membership,
    NameVariant,
    Organization,
    Person,
    PersonalBest,
    PlayerRelationCache,
    Race,
    RaceResult,
    Row,
    Source,
    SourceReference,
)
from keifu_quality.sample.workshop import Workshop

DEFAULT_AS_OF = date(2026, 11, 1)
DEMO_FROM_SIZE = 50
"""Smallest roster that holds the athletes of the demonstration."""
_CACHED_SHARE, _CACHED_SHARE_OF_MANY, _MANY = 0.4, 0.25, 3000
"""Share of athletes whose relations the site has cached: it caches those whose page was viewed."""
_SPECIAL_CLEAN_SHARE = 0.08


@dataclass(frozen=True, slots=True)
class Roster:
    """A generated roster: rows by table, every table of `LOAD_ORDER` present, and one label per athlete."""

    size: int
    seed: int
    as_of: date
    tables: dict[type[Row], list[Row]]
    labels: list[Label]


def generate(size: int, *, seed: int = 1, as_of: date = DEFAULT_AS_OF) -> Roster:
    """A roster of `size` invented athletes.

    The same size, seed and as-of date give the same rows, byte for byte. The labels hold from the as-of date for a
    year. Raises ValueError for a size below 1.
    """
    if size < 1:
        raise ValueError(f"a roster needs at least one athlete, not {size}")
    # Walking the rows over and over takes a quarter of the time.
    with collections_paused():
        return _generate(size, seed, as_of)


def _generate(size: int, seed: int, as_of: date) -> Roster:
    w = Workshop(size, seed, as_of)
    careers = CareerMaker(w, size)
    if size >= DEMO_FROM_SIZE:
        demo.plant(w)
    fault_share = 0.28 if size < 1500 else 0.2 if size < 20_000 else 0.1
    _plant(w, registry.fault_forms(), int(size * fault_share))
    _plant(w, registry.clean_forms(), int(size * _SPECIAL_CLEAN_SHARE))
    while len(w.athletes) < size:
        athlete = careers.ordinary()
        has_status = any(row.mark_millis is None for row in athlete.results)
        complete = athlete.name.roman_is_unique and not has_status and w.rng.random() < 0.06
        fill_in(
            w,
            athlete,
            cohort_of(w, athlete),
            complete=complete and not athlete.name.is_foreign,
        )
    batches, audit = imports.import_everything(w)
    for step in w.after_import:
        step()
    builder = RelationBuilder(w.athletes, w.calendar.events, w.organization_types)
    caches = _caches(w, builder)
    for step in w.after_caches:
        step(caches)
    inputs = newest_inputs(w)
    labels = [label_of(w, athlete, caches.get(athlete.person.id), builder, inputs) for athlete in w.athletes]
    tables = _tables(w, batches, [*audit, *w.audit_records], list(caches.values()))
    tables[CacheInvalidation] = list(imports.invalidations(w, batches))
    return Roster(size, seed, as_of, tables, labels)


def _plant(workshop: Workshop, forms: list[Form], budget: int) -> None:
    """Plants the forms in turn, over and over, until the next one would go beyond the budget."""
    if not forms:
        return
    left = budget
    for form in cycle(forms):
        if form.people > left:
            return
        form.plant(workshop)
        left -= form.people


def _caches(workshop: Workshop, builder: RelationBuilder) -> dict[str, PlayerRelationCache]:
    midnight = datetime.combine(workshop.as_of, time())
    caches: dict[str, PlayerRelationCache] = {}
    share = _CACHED_SHARE if len(workshop.athletes) < _MANY else _CACHED_SHARE_OF_MANY
    for athlete in workshop.athletes:
        chance = workshop.rng.random() < share
        if not (chance if athlete.wants_cache is None else athlete.wants_cache):
            continue
        generated = midnight - timedelta(milliseconds=workshop.rng.randrange(3_600_000, 72_000_000))
        caches[athlete.person.id] = PlayerRelationCache(
            workshop.new_id("cache"),
            athlete.person.id,
            builder.payload(athlete, generated),
            generated,
            generated,
            generated,
        )
    return caches


def _tables(
    workshop: Workshop, batches: list[ImportBatch], audit: list[AuditLog], caches: list[PlayerRelationCache]
) -> dict[type[Row], list[Row]]:
    people: list[Athlete] = workshop.athletes
    calendar = workshop.calendar
    tables: dict[type[Row], list[Row]] = {row_type: [] for row_type in LOAD_ORDER}
    tables[Source] = list(workshop.sources.values())
    tables[Competition] = list(calendar.competitions)
    tables[CompetitionEdition] = list(calendar.editions)
    tables[ImportBatch] = list(batches)
    tables[Organization] = [*workshop.organizations.everything(), *workshop.extra_organizations]
    tables[Race] = [event.race for event in calendar.events]
    tables[Person] = [athlete.person for athlete in people]
    tables[Membership] = [row for athlete in people for row in athlete.memberships]
    tables[PersonalBest] = [row for athlete in people for row in athlete.bests]
    tables[RaceResult] = [row for athlete in people for row in athlete.results]
    tables[NameVariant] = [
        *(row for athlete in people for row in athlete.variants),
        *workshop.organization_variants,
    ]
    tables[SourceReference] = [row for athlete in people for row in athlete.references]
    tables[AuditLog] = list(audit)
    tables[PlayerRelationCache] = list(caches)
    return tables
