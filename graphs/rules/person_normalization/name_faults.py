"""What is wrong with the text of a name.

Belongs here: faults that show in the characters of one written name. Stays out: other people, readings
(`kana_romanization`), and names that are no names (PN16).
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from graphs.contracts import Severity
from graphs.rules.person_normalization.codepoints import codepoints
from graphs.rules.rule import Evidence
from graphs.text.names import has_kanji, has_lost_character, trailing_annotation

FaultKind = Literal[
    "lost_character",
    "half_width_katakana",
    "digit",
    "bracketed_text",
    "country_code",
    "invisible_character",
    "private_use_character",
    "markup",
    "lookalike_kana",
    "lookalike_kanji",
    "compatibility_ideograph",
    "radical",
    "not_composed",
    "reading_and_roman_differ",
]


@dataclass(frozen=True, slots=True)
class NameFault(Evidence):
    """A kind of fault, the offending characters as one text, and their code points."""

    kind: FaultKind
    severity: Severity
    characters: str
    codepoints: tuple[str, ...]


_LOST: Final = re.compile("[?？〓□■●○◯▯☐\ufffd\ufffc]")
_HALF_WIDTH: Final = re.compile("[\uff66-\uff9f]")
_BRACKETED: Final = re.compile("[(（\\[［【〔〈《{｛<＜].*", re.DOTALL)
_MARKUP: Final = re.compile("\\{\\{|\\}\\}|\\[\\[|\\]\\]|<[^>]*>|&(?:[a-z]+|#\\w+);|'''?|\\|", re.IGNORECASE)
_INVISIBLE: Final = re.compile(
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u00ad\ufeff\u0000-\u001f\u007f-\u009f]"
)
_RADICAL: Final = re.compile("[\u2e80-\u2fd5]")
_COMPATIBILITY: Final = re.compile("[\uf900-\ufaff\U0002f800-\U0002fa1f]")
_CODE: Final = re.compile("(?<![A-Za-z])[A-Z]{3}(?![A-Za-z])")
_COUNTRY: Final = re.compile("JPN|KEN|ETH|UGA|TAN|RSA|ERI|MAR|CHN|KOR|MGL|TPE|USA|GBR")
_JAPANESE: Final = re.compile("[\u3041-\u30ff\u3400-\u9fff\uff66-\uff9f々]")

_KANJI_OF_KATAKANA: Final[Mapping[str, str]] = MappingProxyType(
    dict(zip("ニーロエカタハト", "二一口工力夕八卜", strict=True))
)
_KATAKANA_OF_KANJI: Final[Mapping[str, str]] = MappingProxyType({v: k for k, v in _KANJI_OF_KATAKANA.items()})
_PARTICLES: Final = "ノツヶヵケ"
"""Katakana that names in kanji are written with, as in 井ノ上 and 三ツ井."""
_KATAKANA: Final = re.compile("[ァ-ヺー-ヿ]")
_KATAKANA_LETTER: Final = re.compile("[ァ-ヺ]")
_HIRAGANA: Final = re.compile("[ぁ-ゖ]")
_ORDINARY: Final = re.compile("[\u4e00-\u9fff々ぁ-ゖヶヵ \u3000]+|[ァ-ヺー・ \u3000]+")
"""Names in kanji and hiragana, or in katakana: nothing can be wrong with their characters. Most names are such."""
_PART: Final = re.compile("[^\\s・･·.．=＝]+")


def name_faults(name: str) -> Iterator[NameFault]:
    """Every fault of a display name, the worst first and then in a fixed order of kinds."""
    if _ORDINARY.fullmatch(name):
        return
    if has_lost_character(name):
        yield _fault("lost_character", Severity.ERROR, "".join(_LOST.findall(name)))
    markup = _MARKUP.findall(name)
    if markup:
        yield _fault("markup", Severity.WARNING, "".join(markup))
    bracketed = _BRACKETED.search(name) if not markup else None
    if bracketed is not None or (not markup and trailing_annotation(name) is not None):
        text = bracketed.group() if bracketed is not None else name[-1]
        yield _fault("bracketed_text", Severity.WARNING, text)
    bare = _BRACKETED.sub("", name)
    if bracketed is not None and _ORDINARY.fullmatch(bare):
        return
    for kind, severity, found in _CHARACTER_FAULTS:
        text = "".join(filter(found, bare))
        if text:
            yield _fault(kind, severity, text)
    code = _country_code(bare)
    if code is not None:
        yield _fault("country_code", Severity.WARNING, code)
    # Names in kanji are stored without blanks, so a blank sets no part of one apart.
    for part in _PART.findall("".join(bare.split()) if has_kanji(bare) else bare):
        yield from _lookalikes(part)
    if unicodedata.normalize("NFC", _COMPATIBILITY.sub("", bare)) != _COMPATIBILITY.sub("", bare):
        text = "".join(c for c in bare if unicodedata.combining(c) or c in "\u3099\u309a")
        yield _fault("not_composed", Severity.INFO, text)


def suggested_name(name: str) -> str | None:
    """The name without its faults where that is certain; None where nothing changes or something stays wrong."""
    text = _BRACKETED.sub("", name) if trailing_annotation(name) is not None else name
    text = _INVISIBLE.sub("", text)
    text = re.sub(
        "[\uff66-\uff9f]+|[\u2e80-\u2fd5\uf900-\ufaff\U0002f800-\U0002fa1f]",
        lambda found: unicodedata.normalize("NFKC", found.group()),
        text,
    )
    text = unicodedata.normalize("NFC", text).strip()
    if not text or text == name or next(name_faults(text), None) is not None:
        return None
    return text


def has_halfwidth_kana(name: str) -> bool:
    """Whether a name holds half-width katakana."""
    return _HALF_WIDTH.search(name) is not None


def _fault(kind: FaultKind, severity: Severity, text: str) -> NameFault:
    return NameFault(kind, severity, text, codepoints(text[:20]))


def _is_compatibility(character: str) -> bool:
    # Twelve ideographs of that block are no compatibility forms: they do not decompose.
    return _COMPATIBILITY.match(character) is not None and unicodedata.normalize("NFKC", character) != character


_CHARACTER_FAULTS: Final[tuple[tuple[FaultKind, Severity, Callable[[str], bool]], ...]] = (
    ("half_width_katakana", Severity.WARNING, lambda c: _HALF_WIDTH.match(c) is not None),
    ("digit", Severity.WARNING, lambda c: unicodedata.category(c) in ("Nd", "No")),
    ("invisible_character", Severity.WARNING, lambda c: _INVISIBLE.match(c) is not None),
    ("private_use_character", Severity.WARNING, lambda c: unicodedata.category(c) == "Co"),
    ("compatibility_ideograph", Severity.INFO, _is_compatibility),
    ("radical", Severity.INFO, lambda c: _RADICAL.match(c) is not None),
)


def _country_code(name: str) -> str | None:
    """Three capitals beside a Japanese name, or a known code as a part of a Latin one."""
    text = unicodedata.normalize("NFKC", name)
    japanese = _JAPANESE.search(text) is not None
    for code in _CODE.findall(text):
        if japanese or (_COUNTRY.fullmatch(code) and text.strip() != code):
            return code
    return None


def _lookalikes(part: str) -> Iterator[NameFault]:
    """A katakana alone among kanji, or a kanji alone among katakana, where the other script has its lookalike."""
    if len(part) < 2:
        return
    kana = [c for c in _KATAKANA_LETTER.findall(part) if c not in _PARTICLES]
    for i, character in enumerate(part):
        around = part[max(i - 1, 0) : i] + part[i + 1 : i + 2]
        if character in _KANJI_OF_KATAKANA and all(has_kanji(c) for c in around):
            if len(kana) - (character != "ー") == 0 and not _HIRAGANA.search(part):
                yield _fault("lookalike_kana", Severity.WARNING, character)
        elif character in _KATAKANA_OF_KANJI and all(_KATAKANA.match(c) for c in around):
            if sum(1 for c in part if has_kanji(c)) == 1:
                yield _fault("lookalike_kanji", Severity.WARNING, character)
        elif (character == "へ" and all(_KATAKANA.match(c) for c in around)) or (
            character == "ヘ" and all(_HIRAGANA.match(c) for c in around)
        ):
            yield _fault("lookalike_kana", Severity.WARNING, character)
