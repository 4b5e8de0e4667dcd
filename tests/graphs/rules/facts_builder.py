"""Builds snapshots out of the short form that the YAML cases use.

Belongs here: defaults, so that a case says only what matters. Every key that a case uses must be a field of the
fact it builds; a misspelt key is an error, never ignored. Ids that a case leaves out are numbered by position.
"""

from dataclasses import MISSING, fields
from datetime import UTC, date, datetime, timedelta
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from graphs.facts import (
    BirthDayPeers,
    Candidate,
    Judgement,
    Membership,
    MergeRecord,
    NameVariant,
    Opponent,
    Organization,
    OrganizationName,
    PayloadBest,
    Person,
    PersonalBest,
    Race,
    RaceResult,
    RelationCache,
    RelationInputs,
    Snapshot,
    Source,
    SourceReference,
    TeamMove,
    Unavailable,
)
from graphs.text.names import site_key

CREATED = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


def _moment(value: Any) -> Any:
    """An instant from YAML: a date is its midnight UTC, a time without zone is UTC."""
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return value


def _is_optional(hint: Any) -> bool:
    return get_origin(hint) in (Union, UnionType) and type(None) in get_args(hint)


def _fill(kind: type[Any], given: dict[str, Any], **defaults: Any) -> Any:
    """An instance of a fact: given values, then defaults, then None where the fact allows it."""
    names = {f.name for f in fields(kind)}
    unknown = set(given) - names
    if unknown:
        raise KeyError(f"{kind.__name__} has no {sorted(unknown)}; it has {sorted(names)}")
    hints = get_type_hints(kind)
    values: dict[str, Any] = {}
    for f in fields(kind):
        if f.name in given:
            value = given[f.name]
        elif f.name in defaults:
            value = defaults[f.name]
        elif f.default is not MISSING:
            value = f.default
        elif f.default_factory is not MISSING:
            value = f.default_factory()
        elif _is_optional(hints[f.name]):
            value = None
        else:
            raise KeyError(f"{kind.__name__} needs {f.name}")
        hint = hints[f.name]
        if hint is datetime or (_is_optional(hint) and datetime in get_args(hint)):
            value = _moment(value)
        values[f.name] = value
    return kind(**values)


def build_source(given: dict[str, Any] | int | None) -> Source | None:
    """A source; a bare number is its reliability."""
    if given is None:
        return None
    if isinstance(given, int):
        given = {"id": f"source-{given}", "reliability": given}
    return _fill(Source, given, id="source-3", name="例出典", type="data_site", reliability=3, created_at=CREATED)


def build_organization(given: dict[str, Any] | str) -> Organization:
    """An organization; text `type:name` or `type:name@prefecture`, or fields with `names: {type: value}`."""
    if isinstance(given, str):
        kind, _, name = given.partition(":")
        name, _, prefecture = name.partition("@")
        given = {"type": kind, "name_ja": name, "prefecture": prefecture or None}
    given = dict(given)
    names = tuple(
        OrganizationName(value=value, type=kind)
        for kind, values in (given.pop("names", None) or {}).items()
        for value in ([values] if isinstance(values, str) else values)
    )
    key = f"{given['type']}-{given['name_ja']}-{given.get('prefecture') or ''}"
    return _fill(Organization, {**given, "names": names}, id=f"org-{key}", slug=f"org-{key}")


def build_person(given: dict[str, Any]) -> Person:
    """A profile with everything known, so that only what a case says is missing."""
    name = given.get("name_ja", "例見 太郎")
    return _fill(
        Person,
        given,
        id="person-under-test",
        slug="reimi-taro",
        name_ja=name,
        search_key=site_key(name),
        kana="レイミ タロウ",
        roman="Taro Reimi",
        birth_date=date(2003, 6, 15),
        hometown="長野県",
        nationality="JPN",
        type="athlete",
        status="pending",
        created_at=CREATED,
        updated_at=CREATED,
    )


def build_membership(given: dict[str, Any], number: int) -> Membership:
    """A membership; `organization` and `source` in their short forms."""
    given = dict(given)
    organization = build_organization(given.pop("organization"))
    source = build_source(given.pop("source", 3))
    kind = "affiliated" if organization.type in ("corporate_team", "company", "club") else "enrolled"
    return _fill(
        Membership,
        {**given, "organization": organization, "source": source},
        id=f"m{number}",
        type=kind,
        role="athlete",
        status="pending",
        created_at=CREATED,
        updated_at=CREATED,
    )


def build_best(given: dict[str, Any], number: int) -> PersonalBest:
    """A personal best with full provenance."""
    given = dict(given)
    source = build_source(given.pop("source", 3))
    return _fill(
        PersonalBest,
        {**given, "source": source},
        id=f"pb{number}",
        organization_exists=True,
        is_high_school_pb=False,
        is_college_pb=False,
        status="pending",
        achieved_on=date(2023, 5, 1),
        competition_name="例示記録会",
        venue="例示競技場",
        created_at=CREATED,
        updated_at=CREATED,
    )


def build_race(given: dict[str, Any]) -> Race:
    """A race; `edition` and `competition` name their slugs, `on` is the edition's first day."""
    given = dict(given)
    on = _moment(given.pop("on", None))
    year = given.pop("year", on.year if on else None)
    edition = given.pop("edition", None)
    competition = given.pop("competition", "reiji-ekiden")
    edition = edition or f"{competition}-{year}"
    leg = given.get("leg")
    slug = given.get("slug") or f"{edition}-{given.get('name') or (f'leg-{leg}' if leg else 'race')}"
    return _fill(
        Race,
        given,
        id=f"race-{slug}",
        slug=slug,
        name=f"{leg}区" if leg else "決勝",
        discipline="ekiden_leg" if leg else "m5000",
        edition_id=f"edition-{edition}",
        edition_slug=edition,
        edition_name=edition,
        edition_year=year,
        edition_starts_on=on,
        competition_id=f"competition-{competition}",
        competition_slug=competition,
        competition_name=competition,
        competition_type="university_ekiden" if leg else "track_meet",
        updated_at=CREATED - timedelta(days=1),
    )


def build_result(given: dict[str, Any], number: int) -> RaceResult:
    """A result; `race` in its short form, `organization` in its short form or absent."""
    given = dict(given)
    race = build_race(given.pop("race"))
    organization = given.pop("organization", None)
    return _fill(
        RaceResult,
        {**given, "race": race, "organization": build_organization(organization) if organization else None},
        id=f"r{number}",
        is_entry=True,
        is_starter=True,
        status="pending",
        source_id="source-3",
        created_at=CREATED,
        updated_at=CREATED,
    )


def build_variant(given: dict[str, Any], number: int) -> NameVariant:
    """Another name of the athlete."""
    given = dict(given)
    source = build_source(given.pop("source", 3))
    return _fill(NameVariant, {**given, "source": source}, id=f"v{number}", type="official")


def build_reference(given: dict[str, Any], number: int) -> SourceReference:
    """What a source printed."""
    given = dict(given)
    source = build_source(given.pop("source", 3))
    return _fill(
        SourceReference,
        {**given, "source": source},
        id=f"ref{number}",
        entity_type="person",
        entity_key=f"key-{number}",
        updated_at=CREATED,
    )


def build_cache(given: dict[str, Any]) -> RelationCache:
    """The relation cache row."""
    return _fill(
        RelationCache,
        given,
        id="cache-1",
        payload_bytes=100,
        too_large=False,
        generated_at=CREATED,
        updated_at=CREATED,
    )


def build_candidate(given: dict[str, Any], number: int) -> Candidate:
    """Another athlete with a similar name; `person` and the same lists as the athlete."""
    given = dict(given)
    person = {
        "id": f"other-{number}",
        "slug": f"other-{number}",
        "kana": None,
        "roman": None,
        "birth_date": None,
        "hometown": None,
        "nationality": None,
        **given.pop("person"),
    }
    keys = given.pop("shared_keys", ["strict", "variant", "loose"])
    lists = _lists(given, prefix=f"c{number}-")
    if given:
        raise KeyError(f"a candidate has no {sorted(given)}")
    return Candidate(person=build_person(person), shared_keys=frozenset(keys), **lists)


def _lists(given: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    builders = {
        "memberships": build_membership,
        "personal_bests": build_best,
        "results": build_result,
        "name_variants": build_variant,
        "source_references": build_reference,
    }
    built: dict[str, Any] = {}
    for name, builder in builders.items():
        rows = given.pop(name, None) or []
        if rows == "unavailable":
            built[name] = Unavailable(table=name, code="permission_denied", message=f"cannot read {name}")
            continue
        built[name] = tuple(builder({"id": f"{prefix}{name}-{i}", **row}, i) for i, row in enumerate(rows, start=1))
    return built


def build_snapshot(given: dict[str, Any]) -> Snapshot:
    """A snapshot from the `athlete` part of a case."""
    given = dict(given)
    person = build_person(given.pop("person", None) or {})
    lists = _lists(given)
    cache = given.pop("relation_cache", None)
    inputs = given.pop("relation_inputs", None)
    candidates = given.pop("candidates", None) or []
    opponents = given.pop("opponents", None) or []
    merges = given.pop("merge_records", None) or []
    judgements = given.pop("judgements", None) or []
    strict_candidate_count = given.pop("strict_candidate_count", None)
    birth_date_sharers = given.pop("birth_date_sharers", None)
    birth_day_peers = given.pop("birth_day_peers", None)
    team_moves = given.pop("team_moves", None) or []
    payload_bests = given.pop("payload_bests", None) or []
    if given:
        raise KeyError(f"an athlete has no {sorted(given)}")
    return Snapshot(
        person=person,
        **lists,
        relation_caches=(build_cache(cache),) if cache else (),
        relation_inputs=(
            (_fill(RelationInputs, {**inputs, "existing_person_ids": frozenset(inputs["existing_person_ids"])}),)
            if inputs
            else ()
        ),
        candidates=tuple(build_candidate(c, i) for i, c in enumerate(candidates, start=1)),
        strict_candidate_count=strict_candidate_count,
        opponents=tuple(
            _fill(
                Opponent,
                {**o, "stages": tuple(o.get("stages", ("university",)))},
                dated_matchups=o["matchups"],
            )
            for o in opponents
        ),
        merge_records=tuple(
            _fill(MergeRecord, m, audit_id=f"audit-{i}", created_at=CREATED) for i, m in enumerate(merges, start=1)
        ),
        judgements=tuple(
            _fill(
                Judgement,
                {**j, "person_ids": tuple(sorted(j["person_ids"]))},
                decided_by="maintainer",
                decided_at=CREATED,
            )
            for j in judgements
        ),
        birth_date_sharers=birth_date_sharers,
        birth_day_peers=_fill(BirthDayPeers, birth_day_peers) if birth_day_peers else None,
        team_moves=tuple(_fill(TeamMove, move) for move in team_moves),
        payload_bests=tuple(
            _fill(PayloadBest, best, name_ja=person.name_ja, source_id="source-3", file_name=f"payload-{i}.json")
            for i, best in enumerate(payload_bests, start=1)
        ),
    )
