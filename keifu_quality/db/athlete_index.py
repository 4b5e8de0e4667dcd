"""The index of athletes: who has which name, in every form that identity is judged by.

Belongs here: the search for a name and the recall of possible doubles, both on the agent database alone. Stays out:
what a shared key means (`graphs.rules.person_normalization`), and keeping the index up to date
(`keifu_quality.db.index_refresh`).
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Engine

from graphs.text.names import (
    foreign_forms_compatible,
    foreign_tokens,
    has_kanji,
    kana_key,
    kana_loose_key,
    lost_character_pattern,
    name_keys,
    roman_key,
)
from keifu_quality.db.business.access import NO_FAULTS, Faults, run_single, text_array
from keifu_quality.db.index_refresh import IndexRefresh, Progress, refresh_index
from keifu_quality.db.index_rows import turned_slugs

MOST_CANDIDATES = 40
"""Possible doubles kept of one athlete, those of the same written name first; more say that something else is
wrong."""

SHARED_KEYS = ("strict", "variant", "loose", "roman", "foreign", "slug", "lost_character")

# Ways in which a name may be somebody's, best first. A search answers with the first that finds anybody.
TIERS = """
SELECT 'written_name', person_id, NULL FROM athlete_index WHERE strict_key = %(strict)s
UNION ALL
SELECT 'recorded_name', person_id, NULL FROM athlete_names WHERE kind = 'variant' AND strict_key = %(strict)s
UNION ALL
SELECT 'glyph_variant', person_id, NULL FROM athlete_names
WHERE kind IN ('display', 'variant') AND variant_key = %(variant)s
UNION ALL
SELECT 'reading', person_id, NULL FROM athlete_names WHERE kind IN ('kana', 'variant') AND kana_key = %(kana)s
UNION ALL
SELECT 'loose_reading', person_id, NULL FROM athlete_names WHERE kind = 'kana' AND loose_key = %(kana_loose)s
UNION ALL
SELECT 'romanised_name', person_id, NULL FROM athlete_names
WHERE kind IN ('roman', 'english', 'variant') AND roman_key = %(roman)s
UNION ALL
SELECT 'foreign_language_name', person_id, NULL FROM athlete_names
WHERE kind IN ('english', 'chinese') AND strict_key = %(strict)s
UNION ALL
SELECT 'foreign', person_id, value FROM athlete_names
WHERE foreign_key IS NOT NULL AND string_to_array(foreign_key, ' ') && %(tokens)s::text[]
UNION ALL
SELECT 'loose_name', person_id, NULL FROM athlete_names WHERE kind IN ('display', 'variant') AND loose_key = %(loose)s
"""
TIER_ORDER = (
    "written_name",
    "recorded_name",
    "glyph_variant",
    "reading",
    "loose_reading",
    "romanised_name",
    "foreign_language_name",
    "foreign_form",
    "foreign_initials",
    "loose_name",
)
FOREIGN_TIERS = {"same": "foreign_form", "initial": "foreign_initials"}

NAMES_OF_ATHLETES = """
SELECT person_id, person_slug, strict_key, (SELECT names_digest FROM athlete_index_state)
FROM athlete_index
WHERE person_id = ANY(%(ids)s::text[]) AND strict_key IS NOT NULL AND NOT is_placeholder
"""

NAMES_WITH_LOST_CHARACTERS = """
SELECT person_id, display_name_ja
FROM athlete_index
WHERE strict_key ~ '[?〓□■●○◯▯☐\ufffd\ufffc]' AND NOT is_placeholder
"""

ALIKE = """
WITH mine AS MATERIALIZED (
    SELECT person_id, strict_key, variant_key, loose_key, roman_key, foreign_key
    FROM athlete_index
    WHERE person_id = ANY(%(ids)s::text[]) AND NOT is_placeholder
), pairs AS (
    SELECT m.person_id, o.person_id AS other_id, m.strict_key = o.strict_key AS strict,
        m.variant_key = o.variant_key AS variant, true AS loose, false AS roman, false AS "foreign", false AS slug,
        false AS lost_character
    FROM mine m
    JOIN athlete_index o ON o.loose_key = m.loose_key AND NOT o.is_placeholder
    UNION ALL
    SELECT m.person_id, o.person_id, false, false, false, true, false, false, false
    FROM mine m
    JOIN athlete_index o ON o.roman_key = m.roman_key AND NOT o.is_placeholder
    UNION ALL
    SELECT m.person_id, o.person_id, false, false, false, false, true, false, false
    FROM mine m
    JOIN athlete_index o ON string_to_array(o.foreign_key, ' ') && string_to_array(m.foreign_key, ' ')
    WHERE m.foreign_key IS NOT NULL AND o.foreign_key IS NOT NULL AND NOT o.is_placeholder
    UNION ALL
    SELECT t.person_id, o.person_id, false, false, false, false, false, true, false
    FROM unnest(%(turned_people)s::text[], %(turned_slugs)s::text[]) AS t (person_id, slug)
    JOIN athlete_index o ON o.person_slug = t.slug AND NOT o.is_placeholder
    UNION ALL
    SELECT l.person_id, o.person_id, false, false, false, false, false, false, true
    FROM unnest(%(lost_people)s::text[], %(lost_patterns)s::text[]) AS l (person_id, pattern)
    JOIN athlete_index o ON o.strict_key ~ l.pattern AND NOT o.is_placeholder
    UNION ALL
    SELECT f.person_id, f.other_id, false, false, false, false, false, false, true
    FROM unnest(%(fitting_people)s::text[], %(fitting_others)s::text[]) AS f (person_id, other_id)
), merged AS (
    SELECT p.person_id, p.other_id, bool_or(p.strict) AS strict, bool_or(p.variant) AS variant,
        bool_or(p.loose) AS loose, bool_or(p.roman) AS roman, bool_or(p."foreign") AS "foreign",
        bool_or(p.slug) AS slug, bool_or(p.lost_character) AS lost_character
    FROM pairs p
    WHERE p.other_id <> p.person_id
    GROUP BY p.person_id, p.other_id
), ranked AS (
    SELECT merged.*, count(*) FILTER (WHERE strict) OVER (PARTITION BY person_id) AS strict_count,
        row_number() OVER (
            PARTITION BY person_id
            ORDER BY strict DESC, variant DESC, loose DESC, slug DESC, lost_character DESC, roman DESC, other_id
        ) AS place
    FROM merged
)
SELECT person_id, other_id, strict_count, strict, variant, loose, roman, "foreign", slug, lost_character
FROM ranked
WHERE place <= %(most)s
ORDER BY person_id, place
"""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """The athletes who have a name in one way: `kind` is one of `TIER_ORDER`."""

    kind: str
    person_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NamedAlike:
    """Possible doubles of an athlete by id, each with the keys that it shares (`graphs.facts.Candidate`).

    `strict_count` counts everybody of the same written name, those who were left out included.
    """

    shared_keys: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    strict_count: int = 0


class AthleteIndex:
    """Names of all athletes, kept in the agent database."""

    def __init__(self, agent: Engine, business: Engine, *, faults: Faults = NO_FAULTS) -> None:
        """`faults` are the tables of the archive that cannot be read; without name variants it does with the rest."""
        self._agent = agent
        self._business = business
        self._faults = faults
        self._patterns: tuple[str | None, Mapping[str, re.Pattern[str]]] = (None, {})
        self._any_lost_character_pattern: re.Pattern[str] | None = None

    def refresh(self, *, progress: Progress | None = None) -> IndexRefresh:
        """Makes the index equal to the names of the archive and says what changed, in athletes.

        Costs one statement on the archive when nothing did.
        """
        return refresh_index(self._agent, self._business, faults=self._faults, progress=progress)

    def slugs(self) -> Sequence[str]:
        """The slugs of all athletes as of the last refresh, sorted."""
        return [row[0] for row in run_single(self._agent, "SELECT person_slug FROM athlete_index ORDER BY 1", {})]

    def people(self) -> Sequence[tuple[str, str]]:
        """Id and slug of all athletes as of the last refresh."""
        return [
            (row[0], row[1]) for row in run_single(self._agent, "SELECT person_id, person_slug FROM athlete_index", {})
        ]

    def match_name(self, name: str) -> Sequence[NameMatch]:
        """Whose name this may be, by every way that finds anybody, the best first; nobody's without a letter in it."""
        written = name_keys(name)
        if not written.strict:
            return ()
        japanese = has_kanji(name)
        keys = {
            "strict": written.strict,
            "variant": written.variant,
            "loose": written.loose,
            "kana": None if japanese else kana_key(name) or None,
            "kana_loose": None if japanese else kana_loose_key(name) or None,
            "roman": None if japanese else roman_key(name) or None,
            "tokens": [] if japanese else sorted(foreign_tokens(name).tokens),
        }
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for tier, person_id, value in run_single(self._agent, TIERS, keys):
            kind = tier if value is None else FOREIGN_TIERS.get(foreign_forms_compatible(value, name))
            if kind is not None:
                found[kind][person_id] = None
        return [NameMatch(kind, tuple(found[kind])) for kind in TIER_ORDER if kind in found]

    def candidates_for(self, person_ids: Sequence[str]) -> Mapping[str, NamedAlike]:
        """Possible doubles of these athletes; those without any are left out. However many they are, it
        takes two statements, and a third when the index has changed.

        Readings alone bring nobody in, and placeholder names and empty keys neither bring anybody in nor are brought
        in.
        """
        ids = text_array(person_ids)
        names = run_single(self._agent, NAMES_OF_ATHLETES, {"ids": ids})
        if not names:
            return {}
        patterns = self._lost_character_patterns(digest=names[0][-1])
        turned = [(person_id, other) for person_id, slug, *_ in names for other in turned_slugs(slug)]
        lost = [(row[0], f"^(?:{patterns[row[0]].pattern})$") for row in names if row[0] in patterns]
        any_pattern = self._any_lost_character_pattern
        fitting = [
            (person_id, other)
            for person_id, _, strict, _ in names
            if any_pattern is not None and any_pattern.fullmatch(strict)
            for other, pattern in patterns.items()
            if pattern.fullmatch(strict)
        ]
        parameters: dict[str, Any] = {"ids": ids, "most": MOST_CANDIDATES}
        for pairs, first, second in (
            (turned, "turned_people", "turned_slugs"),
            (lost, "lost_people", "lost_patterns"),
            (fitting, "fitting_people", "fitting_others"),
        ):
            parameters[first] = text_array(pair[0] for pair in pairs)
            parameters[second] = text_array(pair[1] for pair in pairs)
        return _collect(run_single(self._agent, ALIKE, parameters))

    def _lost_character_patterns(self, digest: str) -> Mapping[str, re.Pattern[str]]:
        # They are few, but finding them takes a look at every name, so once for each state of the index.
        if self._patterns[0] != digest:
            names = run_single(self._agent, NAMES_WITH_LOST_CHARACTERS, {})
            found = ((person_id, lost_character_pattern(name)) for person_id, name in names)
            self._patterns = (digest, {person_id: pattern for person_id, pattern in found if pattern is not None})
            every = {f"(?:{pattern.pattern})" for pattern in self._patterns[1].values()}
            self._any_lost_character_pattern = re.compile("|".join(sorted(every))) if every else None
        return self._patterns[1]


def _collect(rows: Sequence[tuple[Any, ...]]) -> Mapping[str, NamedAlike]:
    shared: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    strict_counts: dict[str, int] = {}
    for person_id, other_id, strict_count, *flags in rows:
        shared[person_id][other_id] = frozenset(key for key, equal in zip(SHARED_KEYS, flags, strict=True) if equal)
        strict_counts[person_id] = strict_count
    return {person_id: NamedAlike(keys, strict_counts[person_id]) for person_id, keys in shared.items()}
