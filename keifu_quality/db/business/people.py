"""Whom a request means.

Belongs here: the search by id, slug and name, and what tells namesakes apart. Stays out: name keys and tiers
(`keifu_quality.db.athlete_index`).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Engine

from graphs.contracts import DiagnosisInput, PersonRef
from keifu_quality.db.athlete_index import AthleteIndex, NameMatch
from keifu_quality.db.business.access import Faults, Rows, first_fault, run_single
from keifu_quality.errors import RequestRefused

LONGEST_REQUEST = 200
"""Characters; the longest name of the archive has fewer than 60."""

BEARERS_NAMED = 3
"""People of whom a refusal says that the name is theirs."""

PEOPLE = """
WITH wanted AS (
    SELECT p.id, p.slug, p."displayNameJa" AS name, p."birthDate" AS born, race.results, race.first_year, race.last_year
    FROM "Person" p
    CROSS JOIN LATERAL ({race}) race
    WHERE p.id = ANY(%(ids)s::text[]) OR p.slug = ANY(%(slugs)s::text[])
), counted AS (
    SELECT wanted.*, count(*) OVER () AS people
    FROM wanted
    ORDER BY name = %(name)s DESC, results DESC NULLS LAST, slug
    LIMIT %(limit)s
)
SELECT counted.id, counted.slug, counted.name, counted.born, counted.results, counted.first_year, counted.last_year,
    team.names, counted.people
FROM counted
CROSS JOIN LATERAL ({team}) team
ORDER BY name = %(name)s DESC, results DESC NULLS LAST, slug
"""

RACES_OF_PERSON = """
SELECT count(*) AS results, min(e.year) AS first_year, max(e.year) AS last_year
FROM "RaceResult" r
JOIN "Race" a ON a.id = r."raceId"
JOIN "CompetitionEdition" e ON e.id = a."competitionEditionId"
WHERE r."personId" = p.id
"""
RACES_UNKNOWN = "SELECT NULL::bigint AS results, NULL::integer AS first_year, NULL::integer AS last_year"

# The newest year of a team is that of its newest race or of the stay's last known year, an open stay counting as now.
STAYS = """
    SELECT m."organizationId" AS id,
        COALESCE(date_part('year', m."endDate"), m."endYear",
            CASE WHEN m."startDate" IS NOT NULL OR m."startYear" IS NOT NULL THEN 9999 ELSE 0 END) AS year
    FROM "Membership" m
    WHERE m."personId" = counted.id
"""
STARTS = """
    SELECT r."organizationId", e.year
    FROM "RaceResult" r
    JOIN "Race" a ON a.id = r."raceId"
    JOIN "CompetitionEdition" e ON e.id = a."competitionEditionId"
    WHERE r."personId" = counted.id
"""
TEAMS_OF_PERSON = """
SELECT array_agg(latest.name ORDER BY latest.year DESC, latest.name) AS names
FROM (
    SELECT o."nameJa" AS name, max(seen.year) AS year
    FROM ({seen}) seen (id, year)
    JOIN "Organization" o ON o.id = seen.id
    GROUP BY o.id
    ORDER BY max(seen.year) DESC, o."nameJa"
    LIMIT 3
) latest
"""
TEAMS_UNKNOWN = "SELECT NULL::text[] AS names"


def require_usable(request: DiagnosisInput) -> None:
    """Raises RequestRefused when a part of the request cannot be kept as text, or is longer than any can be."""
    for kind, value in _given(request).items():
        if len(value) > LONGEST_REQUEST:
            raise RequestRefused(
                f"The {kind} has {len(value)} characters; at most {LONGEST_REQUEST} are looked for. "
                f"Give the {kind} alone."
            )
        if not _is_storable(value):
            raise RequestRefused(f"The {kind} holds what is no text: a NUL or broken UTF-8. Give the {kind} as UTF-8.")


def find_people(
    engine: Engine, index: AthleteIndex, request: DiagnosisInput, *, limit: int, faults: Faults
) -> tuple[Sequence[PersonRef], int]:
    """The people that a request may mean, best match first, only those of the best matching kind; and how many in all.

    Raises RequestRefused when id, slug and name do not mean one person, or one of them cannot mean anybody.
    """
    given = _given(request)
    require_usable(request)
    if not given:
        return (), 0
    matches = index.match_name(given["name"]) if "name" in given else ()
    if "id" in given or "slug" in given:
        return _find_named(engine, given, matches, limit=limit, faults=faults)
    if not matches:
        return (), 0
    best = matches[0]
    found = _read_people(engine, faults, ids=best.person_ids, slugs=(), name=given["name"], limit=limit)
    return [_person_ref(row, best.kind) for row in found], found[0][-1] if found else 0


def _given(request: DiagnosisInput) -> dict[str, str]:
    parts = {"id": request.person_id, "slug": request.person_slug, "name": request.person_name}
    return {kind: value.strip() for kind, value in parts.items() if value is not None and value.strip()}


def _find_named(
    engine: Engine, given: dict[str, str], matches: Sequence[NameMatch], *, limit: int, faults: Faults
) -> tuple[Sequence[PersonRef], int]:
    ids, slugs = ([given[kind]] if kind in given else [] for kind in ("id", "slug"))
    found = _read_people(engine, faults, ids=ids, slugs=slugs, name=given.get("name", ""), limit=max(limit, 2))
    if not found:
        return (), 0
    disagreements = list(_disagreements(given, found))
    if "name" in given and not any(found[0][0] in match.person_ids for match in matches):
        bearers = matches[0].person_ids if matches else ()
        named = _read_people(engine, faults, ids=bearers, slugs=(), name=given["name"], limit=BEARERS_NAMED)
        disagreements.append(_name_disagreement(given["name"], found[0], named, len(bearers)))
    if disagreements:
        raise RequestRefused(f"{' '.join(disagreements)} Give one of them alone, or correct the others.")
    return [_person_ref(found[0], "id" if "id" in given else "slug")], 1


def _disagreements(given: dict[str, str], found: Rows) -> Iterator[str]:
    for person_id, slug, name, *_ in found:
        if "id" in given and person_id != given["id"]:
            yield f"The slug {slug} is that of {name} (id {person_id}), not of the id {given['id']}."
        if "slug" in given and slug != given["slug"]:
            yield f"The id {person_id} is that of {name} (slug {slug}), not of the slug {given['slug']}."


def _name_disagreement(name: str, person: tuple[Any, ...], bearers: Rows, how_many: int) -> str:
    told = f"The athlete {person[1]} is called {person[2]}, which is not the name {name}"
    if not bearers:
        return f"{told}; nobody has that name."
    more = f" and {how_many - len(bearers)} more" if how_many > len(bearers) else ""
    return f"{told}; that is the name of {', '.join(bearer[1] for bearer in bearers)}{more}."


def _read_people(
    engine: Engine, faults: Faults, *, ids: Sequence[str], slugs: Sequence[str], name: str, limit: int
) -> Rows:
    starts_readable = first_fault(faults, ("RaceResult", "Race", "CompetitionEdition")) is None
    seen = [STARTS] if starts_readable else []
    seen += [STAYS] if first_fault(faults, ("Membership",)) is None else []
    teams_readable = bool(seen) and first_fault(faults, ("Organization",)) is None
    statement = PEOPLE.format(
        race=RACES_OF_PERSON if starts_readable else RACES_UNKNOWN,
        team=TEAMS_OF_PERSON.format(seen=" UNION ALL ".join(seen)) if teams_readable else TEAMS_UNKNOWN,
    )
    return run_single(engine, statement, {"ids": list(ids), "slugs": list(slugs), "name": name, "limit": limit})


def _person_ref(row: tuple[Any, ...], matched_by: str) -> PersonRef:
    person_id, slug, name, born, results, first_year, last_year, teams, _ = row
    return PersonRef.model_validate(
        {
            "person_id": person_id,
            "person_slug": slug,
            "display_name_ja": name,
            "matched_by": matched_by,
            "organizations": tuple(teams or ()),
            "active_years": None if first_year is None else _years(first_year, last_year),
            "birth_date": None if born is None else born.date().isoformat(),
            "result_count": results,
        }
    )


def _years(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _is_storable(value: str) -> bool:
    # PostgreSQL stores no NUL, and a lone surrogate is no text in UTF-8: neither can be anybody's.
    return "\x00" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
