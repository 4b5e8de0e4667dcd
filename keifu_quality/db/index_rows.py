"""The rows of the index of athletes, as pure functions of what the archive says.

Belongs here: which keys a name gets by where it was written. Stays out: the keys themselves (`graphs.text.names`),
SQL.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import permutations

from graphs.text.names import (
    foreign_tokens,
    has_kanji,
    is_placeholder_name,
    kana_key,
    kana_loose_key,
    name_keys,
    roman_key,
)
from keifu_quality.db.agent import NameKind

LONGEST_INDEXED_NAME = 200
"""Characters; a longer text is no name, and PostgreSQL's B-tree takes no entry of more than 2,704 bytes."""

LONGEST_KEY_BYTES = 2_000

TEMPORARY_SLUG_PREFIX = "person-"
"""Slugs that the importer makes up when it has no romanised name."""

MOST_SLUG_TOKENS = 4

NameRow = tuple[str | None, ...]
"""Person id, kind, value, and the keys in the order of `keifu_quality.db.agent.KEY_COLUMNS`."""


@dataclass(frozen=True, slots=True)
class ArchivePerson:
    """A person's names as the business database holds them; `names` are those beside the display name."""

    person_id: str
    slug: str
    display_name: str
    names: frozenset[tuple[NameKind, str]]

    def all_names(self) -> frozenset[tuple[NameKind, str]]:
        """Every name that is short enough to be one, with where it was written."""
        named = self.names | {(NameKind.DISPLAY, self.display_name)}
        return frozenset((kind, value) for kind, value in named if value and len(value) <= LONGEST_INDEXED_NAME)


def person_row(person: ArchivePerson) -> tuple[str | bool | None, ...]:
    """The row of `athlete_index`: id, slug, display name, keys, placeholder. Keys of the display columns alone."""
    site, strict, variant, loose, _, _, foreign = _keys(NameKind.DISPLAY, person.display_name)
    kana = [_keys(kind, value)[4] for kind, value in person.names if kind is NameKind.KANA]
    roman = [_keys(kind, value)[5] for kind, value in person.names if kind is NameKind.ROMAN]
    placeholder = is_placeholder_name(person.display_name)
    keys = (site, strict, variant, loose, next(iter(kana), None), next(iter(roman), None), foreign)
    return (person.person_id, person.slug, person.display_name, *keys, placeholder)


def name_rows(person: ArchivePerson) -> Iterator[NameRow]:
    """The rows of `athlete_names` of a person, sorted."""
    for kind, value in sorted(person.all_names()):
        yield (person.person_id, kind.value, value, *_keys(kind, value))


def foreign_key(name: str) -> str | None:
    """The foreign tokens of a name without kanji, sorted and joined by a space; None where there are none."""
    if has_kanji(name):
        return None
    return _bounded(" ".join(sorted(foreign_tokens(name).tokens)))


def turned_slugs(slug: str) -> frozenset[str]:
    """The slugs that hold the same tokens in another order; none for temporary slugs and those of many tokens."""
    tokens = slug.split("-")
    if slug.startswith(TEMPORARY_SLUG_PREFIX) or not 2 <= len(tokens) <= MOST_SLUG_TOKENS or not all(tokens):
        return frozenset()
    return frozenset("-".join(turned) for turned in permutations(tokens)) - {slug}


@lru_cache(maxsize=1)
def keys_version() -> str:
    """Identity of the code that makes keys; when it changes, every key is made anew. 12 hex digits."""
    digest = hashlib.sha256()
    sources = [path for path in files("graphs.text").iterdir() if path.name.endswith(".py")]
    for path in sorted(sources, key=lambda source: source.name):
        digest.update(path.read_bytes())
    digest.update(files("keifu_quality.db").joinpath("index_rows.py").read_bytes())
    return digest.hexdigest()[:12]


def _keys(kind: NameKind, value: str) -> tuple[str | None, ...]:
    if len(value) > LONGEST_INDEXED_NAME:
        return (None,) * 7
    if kind is NameKind.KANA:
        # A reading has no glyph forms: its loose key is that of readings.
        return (None, None, None, _bounded(kana_loose_key(value)), _bounded(kana_key(value)), None, None)
    if kind is NameKind.ROMAN:
        return (None, None, None, None, None, _bounded(roman_key(value)), None)
    written = name_keys(value)
    kana = kana_key(value) if kind is NameKind.VARIANT and not has_kanji(value) else ""
    roman = roman_key(value) if kind in (NameKind.VARIANT, NameKind.ENGLISH) and not has_kanji(value) else ""
    keys = (written.site, written.strict, written.variant, written.loose, kana, roman)
    return (*map(_bounded, keys), foreign_key(value) if kind in (NameKind.DISPLAY, NameKind.VARIANT) else None)


def _bounded(key: str) -> str | None:
    return key if key and len(key.encode()) <= LONGEST_KEY_BYTES else None
