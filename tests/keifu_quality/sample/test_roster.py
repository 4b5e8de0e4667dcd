from collections import Counter
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import TypeVar, cast

import pytest

from keifu_quality.sample import demo
from keifu_quality.sample.copy_text import blocks
from keifu_quality.sample.faults import registry
from keifu_quality.sample.labels import Label
from keifu_quality.sample.roster import DEFAULT_AS_OF, Roster, generate
from keifu_quality.sample.rows import (
    AuditLog,
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

RowT = TypeVar("RowT", bound=Row)
CODES = {
    *(f"PC{number:02d}" for number in range(1, 8)),
    *(f"MT{number:02d}" for number in range(1, 19)),
    *(f"PN{number:02d}" for number in range(1, 17)),
    *(f"PB{number:02d}" for number in range(1, 14)),
    *(f"RC{number:02d}" for number in range(1, 6)),
}


@pytest.fixture(scope="module")
def roster() -> Roster:
    """Large enough for every form to be planted."""
    return generate(2200, seed=5)


def rows(roster: Roster, row_type: type[RowT]) -> list[RowT]:
    return cast("list[RowT]", roster.tables[row_type])


def by_person(roster: Roster, row_type: type[RowT]) -> dict[str, list[RowT]]:
    grouped: dict[str, list[RowT]] = {}
    for row in rows(roster, row_type):
        grouped.setdefault(getattr(row, "person_id"), []).append(row)  # noqa: B009 the base has no person
    return grouped


def is_clean(label: Label) -> bool:
    return not label.undecided and all(item.severities == ("info",) for item in label.expected)


def ordinary(roster: Roster) -> list[Label]:
    return [label for label in roster.labels if label.form is None]


def serialised(roster: Roster) -> dict[str, bytes]:
    return {row_type.table: b"".join(blocks(row_type, table)) for row_type, table in roster.tables.items()}


def test_size_seed_and_day_decide_every_byte() -> None:
    first, again = generate(120, seed=4), generate(120, seed=4)

    assert serialised(first) == serialised(again)
    assert first.labels == again.labels
    assert serialised(first) != serialised(generate(120, seed=5))
    assert serialised(first) != serialised(generate(120, seed=4, as_of=date(2026, 12, 1)))


@pytest.mark.parametrize("size", [1, 2, 17, 50, 51, 333])
def test_a_roster_has_as_many_athletes_as_asked_for(size: int) -> None:
    made = generate(size)

    assert len(made.tables[Person]) == len(made.labels) == size


def test_a_roster_of_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        generate(0)


@pytest.mark.parametrize("size", [50, 300])
def test_the_demonstration_is_in_every_roster_that_is_large_enough(size: int) -> None:
    made = generate(size, seed=size)
    labels = {label.slug: label for label in made.labels}
    names = Counter(person.display_name_ja for person in rows(made, Person))

    assert labels[demo.DEMO_CLEAN_SLUG].expected == ()
    families = {item.code[:2] for item in labels[demo.DEMO_FAULTY_SLUG].expected}
    assert families == {"PC", "MT", "PN", "PB", "RC"}
    assert names[demo.DEMO_AMBIGUOUS_NAME] == 2
    assert demo.DEMO_AMBIGUOUS_SLUG in labels


def test_every_label_belongs_to_one_person(roster: Roster) -> None:
    people = {(person.id, person.slug) for person in rows(roster, Person)}

    assert {(label.person_id, label.slug) for label in roster.labels} == people
    assert len({label.slug for label in roster.labels}) == len(roster.labels)


def test_every_form_of_every_rule_is_planted(roster: Roster) -> None:
    planted = {label.form for label in roster.labels}
    forms = {f"{form.code}/{form.name}" for form in registry.fault_forms() + registry.clean_forms()}
    expected = {item.code for label in roster.labels for item in label.expected}

    assert forms <= planted
    assert expected == CODES


def test_a_form_expects_its_own_rule_of_somebody(roster: Roster) -> None:
    told: dict[str, set[str]] = {}
    for label in roster.labels:
        if label.form and not label.form.startswith(("clean/", "demonstration/")):
            told.setdefault(label.form, set()).update({*(item.code for item in label.expected), *label.undecided})

    assert {form for form, codes in told.items() if form.split("/")[0] not in codes} == set()


@pytest.mark.parametrize("size", [50, 300, 2200])
def test_most_athletes_are_clean(size: int) -> None:
    labels = generate(size).labels

    assert sum(is_clean(label) for label in labels) >= 0.7 * size


def test_every_reference_between_rows_holds(roster: Roster) -> None:
    ids = {row_type: {getattr(row, "id") for row in table} for row_type, table in roster.tables.items()}  # noqa: B009
    batches = ids[ImportBatch]

    assert {row.person_id for row in rows(roster, Membership)} <= ids[Person]
    assert {row.organization_id for row in rows(roster, Membership)} <= ids[Organization]
    assert {row.race_id for row in rows(roster, RaceResult)} <= ids[Race]
    assert {row.competition_edition_id for row in rows(roster, Race)} <= ids[CompetitionEdition]
    assert {row.source_id for row in rows(roster, SourceReference)} <= ids[Source]
    assert {row.entity_id for row in rows(roster, AuditLog) if row.entity_type == "RaceResult"} <= ids[RaceResult]
    assert {row.batch_id for row in rows(roster, AuditLog) if row.entity_type == "RaceResult"} == batches
    assert all((row.person_id is None) != (row.organization_id is None) for row in rows(roster, NameVariant))


def test_every_race_was_imported_by_a_batch_of_its_own(roster: Roster) -> None:
    races = {race.slug: race for race in rows(roster, Race)}
    batches = {batch.key: batch for batch in rows(roster, ImportBatch)}
    slugs = {person.id: person.slug for person in rows(roster, Person)}
    entered: dict[str, list[str]] = {}
    for result in rows(roster, RaceResult):
        entered.setdefault(result.race_id, []).append(slugs[result.person_id])

    assert races.keys() == batches.keys()
    for slug, batch in batches.items():
        assert batch.started_at is not None
        assert batch.completed_at is not None
        assert batch.started_at < races[slug].created_at < batch.completed_at
        listed = [entry["slug"] for entry in batch.payload["entries"]]
        left_over = Counter(entered[races[slug].id]) - Counter(listed)
        assert left_over.total() <= 1
    assert max(batch.completed_at or datetime.min for batch in batches.values()) < _midnight(DEFAULT_AS_OF)  # noqa: DTZ901


def test_ordinary_athletes_have_names_that_nobody_shares(roster: Roster) -> None:
    names = Counter(person.display_name_ja_search for person in rows(roster, Person))
    romans = Counter(
        tuple(sorted(person.display_name_roman.lower().split()))
        for person in rows(roster, Person)
        if person.display_name_roman
    )
    ids = {label.person_id for label in ordinary(roster)}

    for person in rows(roster, Person):
        if person.id in ids:
            assert names[person.display_name_ja_search] == 1
            assert (
                not person.display_name_roman or romans[tuple(sorted(person.display_name_roman.lower().split()))] == 1
            )


@pytest.mark.parametrize("days", [0, 183, 365])
def test_ordinary_athletes_are_at_one_place_at_a_time(roster: Roster, days: int) -> None:
    today = _midnight(DEFAULT_AS_OF + timedelta(days=days))
    memberships = by_person(roster, Membership)

    for label in ordinary(roster):
        stays = sorted(memberships[label.person_id], key=lambda row: row.start_date or today)
        for earlier, later in pairwise(stays):
            assert earlier.end_date is not None
            assert later.start_date is not None
            assert earlier.end_date < later.start_date
        current = [
            row
            for row in stays
            if row.start_date and row.start_date <= today and not (row.end_date and row.end_date < today)
        ]
        assert len(current) <= 1


def test_results_of_ordinary_athletes_fit_their_stays(roster: Roster) -> None:
    races = {race.id: race for race in rows(roster, Race)}
    editions = {edition.id: edition for edition in rows(roster, CompetitionEdition)}
    types = {row.id: row.type for row in rows(roster, Organization)}
    memberships, results = by_person(roster, Membership), by_person(roster, RaceResult)
    asked_for = {"junior_high_school", "high_school", "university", "corporate_team"}

    for label in ordinary(roster):
        for result in results.get(label.person_id, []):
            race = races[result.race_id]
            day = race.starts_at or editions[race.competition_edition_id].starts_on
            if day is None or types[result.organization_id or ""] not in asked_for:
                continue
            stays = [
                row
                for row in memberships[label.person_id]
                if row.organization_id == result.organization_id
                and row.start_date
                and row.start_date <= day
                and (row.end_date is None or day <= row.end_date)
            ]
            assert stays
            if result.grade_at_race is not None and stays[0].start_date:
                school_year = day.year - (day.month < 4)
                assert result.grade_at_race == school_year - stays[0].start_date.year + 1


def test_bests_of_ordinary_athletes_are_no_slower_than_their_results(roster: Roster) -> None:
    races = {race.id: race for race in rows(roster, Race)}
    bests, results = by_person(roster, PersonalBest), by_person(roster, RaceResult)

    for label in ordinary(roster):
        fastest = {
            best.discipline: min(
                row.mark_millis or 0 for row in bests[label.person_id] if row.discipline == best.discipline
            )
            for best in bests.get(label.person_id, [])
        }
        for result in results.get(label.person_id, []):
            discipline = races[result.race_id].discipline
            if result.mark_millis is not None and discipline in fastest:
                assert fastest[discipline] <= result.mark_millis
            if result.mark_millis is not None and discipline == "ekiden_leg":
                assert result.mark_millis not in fastest.values()


def test_relation_caches_of_ordinary_athletes_are_as_the_builder_makes_them(roster: Roster) -> None:
    ids = {label.person_id for label in ordinary(roster)}
    people = {person.id for person in rows(roster, Person)}
    caches = [cache for cache in rows(roster, PlayerRelationCache) if cache.person_id in ids]

    assert any(cache.payload["topRelations"] for cache in caches)
    for cache in caches:
        entries = cache.payload["topRelations"]
        keys = [(-entry["rawScore"], -entry["matchupCount"]) for entry in entries]
        assert keys == sorted(keys)
        assert {entry["relatedPersonId"] for entry in entries} <= people - {cache.person_id}
        assert all(entry["rawScore"] >= 15 for entry in entries)
        assert cache.generated_at < _midnight(DEFAULT_AS_OF)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 the archive's times are naive UTC
