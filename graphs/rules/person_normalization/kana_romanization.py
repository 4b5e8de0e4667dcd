"""Whether a reading in kana and a romanised name can be one name.

Belongs here: Hepburn romanisation of kana, loose enough that spellings of one reading agree. Stays out: readings of
kanji, which cannot be derived, and identity: this checks one record against itself.
"""

import re
from itertools import permutations
from types import MappingProxyType
from typing import Final

from graphs.text.names import kana_key, roman_key

_VOWELS: Final = "aiueo"
_ROWS: Final = (
    ("", "アイウエオ"),
    ("k", "カキクケコ"),
    ("g", "ガギグゲゴ"),
    ("s", "サシスセソ"),
    ("z", "ザジズゼゾ"),
    ("t", "タチツテト"),
    ("d", "ダヂヅデド"),
    ("n", "ナニヌネノ"),
    ("h", "ハヒフヘホ"),
    ("b", "バビブベボ"),
    ("p", "パピプペポ"),
    ("m", "マミムメモ"),
    ("r", "ラリルレロ"),
)
_IRREGULAR: Final = (
    ("シ", "shi"),
    ("ジ", "ji"),
    ("チ", "chi"),
    ("ツ", "tsu"),
    ("ヂ", "ji"),
    ("ヅ", "zu"),
    ("フ", "fu"),
    ("ヤ", "ya"),
    ("ユ", "yu"),
    ("ヨ", "yo"),
    ("ワ", "wa"),
    ("ヰ", "i"),
    ("ヱ", "e"),
    ("ヲ", "o"),
    ("ン", "n"),
    ("ヴ", "vu"),
)
_SYLLABLES: Final = MappingProxyType(
    {kana: consonant + vowel for consonant, row in _ROWS for kana, vowel in zip(row, _VOWELS, strict=True)}
    | dict(_IRREGULAR)
)
_GLIDES: Final = MappingProxyType({"ャ": "a", "ュ": "u", "ョ": "o"})
_SMALL_VOWELS: Final = MappingProxyType(dict(zip("ァィゥェォ", _VOWELS, strict=True)))
_HEPBURN: Final = MappingProxyType({"dzu": "zu", "du": "zu", "di": "ji"})
_BY_ROW: Final = re.compile("dzu|du|di")
"""ヅ and ヂ romanised by their row, as in Tsuduki."""
_WHOLLY_KANA: Final = re.compile("[ァ-ヴー]+")
_LATIN_WORD: Final = re.compile("[a-z]+")
_MOST_WORDS: Final = 3


def contradicts(kana: str, roman: str) -> bool:
    """Whether a reading cannot be what a romanised name spells, in either order and without regard to long vowels.

    Never where either holds anything but letters of its script, or where the romanised name has initials.
    """
    parts = [kana_key(part) for part in kana.split()]
    words = _key(roman).split()
    if not parts or not words or any(_WHOLLY_KANA.fullmatch(part) is None for part in parts):
        return False
    if any(_LATIN_WORD.fullmatch(word) is None or len(word) == 1 for word in words):
        return False
    if len(parts) == len(words):
        return _key(" ".join(map(romanised, parts))) != " ".join(words)
    if len(words) > _MOST_WORDS:
        return False
    joined = _key(romanised("".join(parts)))
    return all(joined != _key("".join(order)) for order in permutations(words))


def _key(roman: str) -> str:
    return roman_key(_BY_ROW.sub(lambda found: _HEPBURN[found.group()], roman.casefold()))


def romanised(katakana: str) -> str:
    """Hepburn romanisation of a reading in katakana of normal width; long vowel marks are dropped."""
    spelled: list[str] = []
    double = False
    for character in katakana:
        if character == "ッ":
            double = True
            continue
        if character in _GLIDES and spelled:
            stem = spelled.pop().removesuffix("i")
            syllable = stem + ("" if stem.endswith(("sh", "ch", "j")) else "y") + _GLIDES[character]
        elif character in _SMALL_VOWELS and spelled:
            syllable = spelled.pop()[:-1] + _SMALL_VOWELS[character]
        else:
            syllable = _SYLLABLES.get(character, "")
        if double and syllable:
            syllable = syllable[0] + syllable
            double = False
        spelled.append(syllable)
    return "".join(spelled)
