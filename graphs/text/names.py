"""Identity keys of people's names.

Belongs here: the one definition of every key by which names are compared, and what can be told of a name from its
text alone. Stays out: whether two records are one person, and the tables (``characters``, ``glyphs``,
``placeholders``, ``readings``).

Each key has one use. The site key equals the archive's own search column. The strict key means "the same written
name", the variant key "the same name in another glyph form"; the loose key, kana and roman keys only support other
evidence. Equal strict keys have equal variant keys, and those equal loose keys. Every key is idempotent, takes any
text, and leaves letters, digits and wave dashes in place.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import permutations
from typing import Final, Literal

from graphs.text import characters, glyphs, placeholders, readings

_LOST_IN_ANY_SCRIPT: Final = re.compile("[□■▯☐\ufffd\ufffc]")
_LOST_IN_JAPANESE: Final = re.compile("[?〓□■●○◯▯☐\ufffd\ufffc]")

_KEPT_NAMES: Final = 4_096
"""Names whose keys are kept: the rules ask for those of an athlete and its namesakes again and again."""

_FOREIGN_SEPARATORS: Final = re.compile(f"[\\s{characters.JS_BLANKS}{re.escape(characters.DOTS)}=゠]+")
_GLUED_INITIAL: Final = re.compile("(?P<initial>[A-Za-z])(?P<word>[ァ-ヺー]*)")
_MOST_ABBREVIATED: Final = 4

_APOSTROPHES: Final = str.maketrans("", "", "'’‘ʼ`´ʻ′＇")
_ROMAN_SEPARATORS: Final = re.compile(r"[\s.,\-_/・=‐‑–—]+")


@dataclass(frozen=True, slots=True)
class NameKeys:
    """The four written-name keys of one name."""

    site: str
    strict: str
    variant: str
    loose: str


@dataclass(frozen=True, slots=True)
class ForeignTokens:
    """The parts of a name without kanji: whole words in loose kana in any order, and single Latin letters in order."""

    tokens: frozenset[str]
    initials: tuple[str, ...]


def site_key(name: str) -> str:
    """Return the archive's search key: the name without the blanks of a JavaScript ``\\s``, otherwise untouched.

    Fit for equality in SQL against the stored search column; it says nothing about identity.
    """
    return characters.JS_BLANK.sub("", name)


@lru_cache(maxsize=_KEPT_NAMES)
def strict_key(name: str) -> str:
    """Return the key of the written name.

    NFKC, no invisible characters, blanks or dots, no bracketed annotation at the end, one form of dash, lower-case
    Latin. A name that is nothing but brackets keeps them.
    """
    joined = site_key(name)
    if characters.is_plain(joined):
        return joined
    bare = characters.settle(characters.drop_separators(characters.compose(name)))
    while (start := characters.annotation_start(bare)) is not None and start > 0:
        bare = bare[:start]
    return characters.settle(bare.lower())


def variant_key(name: str) -> str:
    """Return the strict key with iteration marks written out, ヶ and ヵ in full size, and old glyphs made modern."""
    return _variant_of_strict(strict_key(name))


def loose_key(name: str) -> str:
    """Return the variant key with related characters merged: fit to search inside an organization, not to conclude."""
    return _loose_of_variant(variant_key(name))


@lru_cache(maxsize=_KEPT_NAMES)
def name_keys(name: str) -> NameKeys:
    """Return the four written-name keys, computed once from one another."""
    strict = strict_key(name)
    variant = _variant_of_strict(strict)
    return NameKeys(site=site_key(name), strict=strict, variant=variant, loose=_loose_of_variant(variant))


def _variant_of_strict(strict: str) -> str:
    variant = strict
    # A mark written out may compose with what follows it into a kana that the next mark repeats.
    while (written_out := readings.expand_repeats(glyphs.modernise(variant))) != variant:
        variant = characters.settle(written_out)
    return variant


def _loose_of_variant(variant: str) -> str:
    return glyphs.merge_related(variant)


def kana_key(text: str) -> str:
    """Return the strict key of a reading: katakana of normal width without blanks, dots and iteration marks."""
    bare = characters.drop_separators(characters.compose(text))
    katakana = unicodedata.normalize("NFC", bare.translate(readings.HIRAGANA_TO_KATAKANA))
    return characters.settle(readings.expand_repeats(katakana.translate(readings.DELETE_LOOSE_VOICING)))


def kana_loose_key(text: str) -> str:
    """Return the reading without long vowels: オオノ ユウタ and オノ ユタ are equal. Supporting evidence only."""
    return readings.loosen_kana(kana_key(text))


def roman_key(text: str) -> str:
    """Return the tokens of a romanised name in one spelling without long vowels, sorted and joined by a space.

    The order of family and given name differs between sources, and long vowels are lost in most: supporting evidence
    only.
    """
    # Accents that stand alone decompose to a blank with a mark, so they have to go first.
    decomposed = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES).translate(characters.DELETE_IGNORABLE))
    plain = "".join(mark for mark in decomposed if not unicodedata.combining(mark)).translate(_APOSTROPHES).lower()
    return " ".join(sorted(readings.romanise_alike(token) for token in _ROMAN_SEPARATORS.split(plain) if token))


@lru_cache(maxsize=_KEPT_NAMES)
def foreign_tokens(name: str) -> ForeignTokens:
    """Return the parts of a name without kanji in loose kana, and its initials in capitals; empty for a kanji name."""
    written = name
    if (start := _annotation_of(name)) is not None:
        written = name[:start]
    composed = characters.compose(written).translate(characters.DELETE_IGNORABLE)
    if characters.has_kanji(composed):
        return ForeignTokens(tokens=frozenset(), initials=())
    tokens: set[str] = set()
    initials: list[str] = []
    for part in _FOREIGN_SEPARATORS.split(composed):
        glued = _GLUED_INITIAL.fullmatch(part)
        initial, word = (glued["initial"], glued["word"]) if glued else ("", part)
        if initial:
            initials.append(initial.upper())
        if key := kana_loose_key(word).lower():
            tokens.add(key)
    return ForeignTokens(tokens=frozenset(tokens), initials=tuple(initials))


def foreign_forms_compatible(a: str, b: str) -> Literal["same", "initial", "no"]:
    """Tell whether two foreign names are the same parts in any order, or one abbreviates parts of the other.

    For "initial" the names share a whole part, and every part that only one of them writes out is matched by an
    initial of the other. Family names repeat, so it needs the same organization and time beside it.
    """
    left, right = foreign_tokens(a), foreign_tokens(b)
    shared = left.tokens & right.tokens
    if not shared:
        return "no"
    if left.tokens == right.tokens and sorted(left.initials) == sorted(right.initials):
        return "same"
    common = Counter(left.initials) & Counter(right.initials)
    forward = _abbreviates(Counter(left.initials) - common, right.tokens - shared)
    backward = _abbreviates(Counter(right.initials) - common, left.tokens - shared)
    return "initial" if forward and backward else "no"


def _abbreviates(initials: Counter[str], words: frozenset[str]) -> bool:
    if initials.total() != len(words):
        return False
    # Names have two or three parts: few orders to try, and the bound keeps odd input cheap.
    if len(words) > _MOST_ABBREVIATED:
        return False
    return any(
        all(_stands_for(initial, word) for initial, word in zip(initials.elements(), order, strict=True))
        for order in permutations(sorted(words))
    )


def _stands_for(initial: str, word: str) -> bool:
    if initial == "I" and word.startswith("アイ"):
        return True
    return word[0] in readings.INITIAL_KANA.get(initial, "") or word[0] == initial.lower()


def trailing_annotation(name: str) -> str | None:
    """Return the text inside the last bracket that the strict key removes from a name, as written; None without one."""
    start = _annotation_of(name)
    if start is None:
        return None
    written = name[start:].rstrip(characters.UNSEEN_AT_END)
    if len(written) == 1:
        written = unicodedata.normalize("NFKC", written)
    closed = written[-1].translate(characters.BRACKETS_OF_NORMAL_WIDTH) in characters.CLOSING
    return written[1:-1] if closed else written[1:]


def _annotation_of(name: str) -> int | None:
    trimmed = name.rstrip(characters.UNSEEN_AT_END)
    # One character may decompose to a whole annotation, such as U+2474 or U+3231.
    last = unicodedata.normalize("NFKC", trimmed[-1:])
    if last.startswith("(") and last.endswith(")"):
        start = len(trimmed) - 1
    else:
        start = characters.annotation_start(trimmed.translate(characters.BRACKETS_OF_NORMAL_WIDTH))
    return start if start is not None and characters.drop_separators(name[:start]) else None


def has_kanji(text: str) -> bool:
    """Tell whether a text holds a kanji; the marks 々, 〆 and 〇 stand for one."""
    return characters.has_kanji(text)


def is_placeholder_name(name: str) -> bool:
    """Tell whether a name stands for "no name known", in any width or brackets, or has no letter at all."""
    key = strict_key(name)
    return not characters.has_letter(key) or placeholders.is_placeholder(key)


def has_lost_character(name: str) -> bool:
    """Tell whether a name holds a mark that an encoding or a typesetter left for a character it could not show.

    A Latin question mark, a circle and a geta mark count inside a Japanese name; U+FFFD and the box in any.
    """
    return lost_character_pattern(name) is not None


def lost_character_pattern(name: str) -> re.Pattern[str] | None:
    """Return a pattern for ``fullmatch`` against strict keys in which each lost character is any one character.

    None when nothing is lost, or when nothing but lost characters is left. Fit for use inside one organization only.
    """
    key = strict_key(name)
    lost = _LOST_IN_JAPANESE if characters.has_kanji(key) or characters.has_kana(key) else _LOST_IN_ANY_SCRIPT
    if not characters.has_letter(key) or lost.search(key) is None:
        return None
    return re.compile("".join("." if lost.match(character) else re.escape(character) for character in key), re.DOTALL)


def differing_characters(a: str, b: str) -> list[tuple[str, str]]:
    """Return the pairs of characters in which the strict keys of two names differ, in reading order.

    Names of unequal length are aligned; a side with nothing to show for a difference has an empty string.
    """
    left, right = strict_key(a), strict_key(b)
    if len(left) == len(right):
        return [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [(left[i:j], right[k:m]) for tag, i, j, k, m in blocks if tag != "equal"]
