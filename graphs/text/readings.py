"""The rewriting tables and steps behind the kana and roman keys.

Belongs here: how one reading is spelled in several ways. Stays out: written names, and whether two readings are one
person; a reading never proposes a candidate by itself.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_HIRAGANA: Final = (*range(0x3041, 0x3097), 0x309D, 0x309E)

HIRAGANA_TO_KATAKANA: Final[Mapping[int, int]] = MappingProxyType({point: point + 0x60 for point in _HIRAGANA})

# A voicing mark that composing left alone stands behind a kana that cannot be voiced.
DELETE_LOOSE_VOICING: Final = str.maketrans("", "", "\u3099\u309a")

_UNVOICED: Final = "カキクケコサシスセソタチツテトハヒフヘホかきくけこさしすせそたちつてとはひふへほウう"
_VOICED: Final = "ガギグゲゴザジズゼゾダヂヅデドバビブベボがぎぐげござじずぜぞだぢづでどばびぶべぼヴゔ"
_VOICE: Final[Mapping[str, str]] = MappingProxyType(dict(zip(_UNVOICED, _VOICED, strict=True)))
_UNVOICE: Final[Mapping[str, str]] = MappingProxyType(dict(zip(_VOICED, _UNVOICED, strict=True)))

_REPEATS: Final = frozenset("々〻仝ゝゞヽヾ")
_HIRAGANA_ONLY: Final = re.compile("[ぁ-ゖ]")
_KATAKANA_ONLY: Final = re.compile("[ァ-ヺ]")
_SCRIPT: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {"ゝ": _HIRAGANA_ONLY, "ゞ": _HIRAGANA_ONLY, "ヽ": _KATAKANA_ONLY, "ヾ": _KATAKANA_ONLY}
)

_B_ROW: Final = re.compile("ヴ[ァィェォ]|[ヴヷヸヹヺ]")
_B_ROW_FORMS: Final[Mapping[str, str]] = MappingProxyType(
    dict(zip(("ヴァ", "ヴィ", "ヴ", "ヴェ", "ヴォ", "ヷ", "ヸ", "ヹ", "ヺ"), "バビブベボバビベボ", strict=True))
)
_MERGED_SOUNDS: Final = str.maketrans("ヂヅヲ", "ジズオ", "ー-ヽヾ々〻仝")
_LONG_VOWELS: Final = re.compile(
    "(?<=[オコソトノホモヨロゴゾドボポョォ])[ウオ]+|(?<=[ウクスツヌフムユルグズブプュゥ])ウ+"
)

# Which loose kana a romanised initial may stand for: ヴ is already in the row of B. ン opens Bantu names (ンゲティチ),
# and フィ is how Ph is read.
INITIAL_KANA: Final[Mapping[str, str]] = MappingProxyType(
    {
        "A": "アエ",
        "B": "バビブベボ",
        "C": "カキクケコチサシスセソ",
        "D": "ダジズデド",
        "E": "エイ",
        "F": "フ",
        "G": "ガギグゲゴジ",
        "H": "ハヒフヘホ",
        "I": "イ",
        "J": "ジ",
        "K": "カキクケコ",
        "L": "ラリルレロ",
        "M": "マミムメモ",
        "N": "ナニヌネノン",
        "O": "オ",
        "P": "パピプペポフ",
        "R": "ラリルレロ",
        "S": "サシスセソ",
        "T": "タチツテト",
        "U": "ウユ",
        "V": "バビブベボ",
        "W": "ワウ",
        "Y": "ヤユヨイ",
        "Z": "ザジズゼゾ",
    }
)

_ROMAN_STEPS: Final = (
    (re.compile("[sz]y(?=[auo])|ty(?=[auo])|jy(?=[auo])"), {"sy": "sh", "ty": "ch", "zy": "j", "jy": "j"}),
    (re.compile("(?:si|ti|tu|zi)"), {"si": "shi", "ti": "chi", "tu": "tsu", "zi": "ji"}),
    (re.compile("(?<![sc])hu"), {"hu": "fu"}),
    (re.compile("tch"), {"tch": "cch"}),
    (re.compile("m(?=[bmp])"), {"m": "n"}),
)
_LONG_O_AS_H: Final = re.compile("oh+(?=[bcdfgjklmnpqrstvwxyz]|$)")
_LONG_O: Final = re.compile("o[ou]+")
_LONG_U: Final = re.compile("uu+")


def expand_repeats(text: str) -> str:
    """Return the text with each iteration mark replaced by what it repeats: 佐々木 becomes 佐佐木, みすゞ みすず.

    ゞ and ヾ voice the kana, ゝ and ヽ unvoice it. A mark without a letter before it stays.
    """
    if _REPEATS.isdisjoint(text):
        return text
    expanded: list[str] = []
    for character in text:
        before = expanded[-1] if expanded else ""
        if before == "ー" or not before.isalpha() or character not in _REPEATS:
            expanded.append(character)
        elif character in "々〻仝":
            expanded.append(before)
        elif _SCRIPT[character].match(before) is None:
            expanded.append(character)
        else:
            expanded.append((_VOICE if character in "ゞヾ" else _UNVOICE).get(before, before))
    return "".join(expanded)


def loosen_kana(katakana: str) -> str:
    """Return a strict kana reading without long vowels and with the sounds merged that sources mix up."""
    folded = _B_ROW.sub(lambda sound: _B_ROW_FORMS[sound.group()], katakana).translate(_MERGED_SOUNDS)
    return _LONG_VOWELS.sub("", folded)


def romanise_alike(token: str) -> str:
    """Return one lower-case roman token in Hepburn spelling without long vowels."""
    while True:
        spelled = token
        for pattern, forms in _ROMAN_STEPS:
            spelled = pattern.sub(lambda found, forms=forms: forms[found.group()], spelled)
        spelled = _LONG_U.sub("u", _LONG_O.sub("o", _LONG_O_AS_H.sub("o", spelled)))
        if spelled == token:
            return spelled
        token = spelled
