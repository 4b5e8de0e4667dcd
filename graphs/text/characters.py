"""Character classes and the fold that every key starts with.

Belongs here: which characters are ignorable, blank, dots, dashes or kana, the fold of characters that have one certain
reading whatever the field, and brackets. Stays out: glyph variants of kanji (``glyphs``) and the keys themselves.

Sources: Unicode 15 (NFKC, the compatibility ideographs, default ignorables), ECMA-262 for the blanks of ``\\s``.
"""

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# ECMA-262 WhiteSpace and LineTerminator. Python's \s differs: it takes U+0085 and U+001C-001F and leaves U+FEFF.
JS_BLANKS: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f"
    "\u3000\ufeff"
)

JS_BLANK: Final = re.compile(f"[{JS_BLANKS}]+")

DOTS: Final = "・･·•‧∙⋅.．。、,｡､，"

# Variation selectors, zero-width and bidirectional controls, soft hyphen, tags, fillers: nothing a reader sees.
_IGNORABLE: Final = (
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xE0000, 0xE0080),
    0x00AD,
    0x034F,
    0x061C,
    0x115F,
    0x1160,
    0x2800,
    0x3164,
    0xFEFF,
    0xFFA0,
)

# Controls are no part of a name either; U+0085 and U+001C-001F are among them and blank to Python alone.
_CONTROLS: Final = (*range(0x20), *range(0x7F, 0xA0))

DELETE_IGNORABLE: Final[Mapping[int, None]] = MappingProxyType(dict.fromkeys(_IGNORABLE))

DELETE_SEPARATORS: Final[Mapping[int, None]] = MappingProxyType(
    dict.fromkeys((*_IGNORABLE, *_CONTROLS, *map(ord, JS_BLANKS), *map(ord, DOTS)))
)

# Text copied out of PDF files holds radicals where the font draws the whole character. Unicode gives those of the
# supplement no decomposition (EquivalentUnifiedIdeograph.txt names the character), and folds 戸 and 黒 to old forms.
_RADICALS: Final = "⺠民⺩王⻁虎⻄西⻆角⻑長⻘青⻝食⻤鬼⻨麦⻩黄⻫斉⻭歯⻯竜⻲亀⼾戸⿊黒"

# A set of characters is scanned many times faster than each character is looked up in a mapping.
_SEPARATORS: Final = re.compile(f"[{re.escape(''.join(map(chr, DELETE_SEPARATORS)))}]+")

UNSEEN_AT_END: Final = "".join(map(chr, DELETE_SEPARATORS))
"""Everything the strict key drops, for ``str.rstrip``."""

# Shift_JIS 0x8160 becomes U+301C or U+FF5E according to the vendor's table; NFKC makes the latter a tilde.
_BEFORE_NFKC: Final = str.maketrans(
    {radical: ord(whole) for radical, whole in zip(_RADICALS[::2], _RADICALS[1::2], strict=True)} | {"\uff5e": "\u301c"}
)

_REPAIRED: Final = re.compile(f"[{''.join(map(chr, _BEFORE_NFKC))}]")

# What no step of the fold touches; most names are made of nothing else, and composing is the costly part.
_PLAIN: Final = re.compile("[ぁ-ゖァ-ヺー々\u3400-\u4dbf\u4e00-\u9fff]*")

_DASHES: Final = re.compile("[‐‑‒–—―−─━ｰ-]")
_DASH_AFTER_KATAKANA: Final = re.compile("(?<=[ァ-ヺー-ヿㇰ-ㇿ])-+")

OPENING: Final = "([{<〔〈《「『【〘〖〚⦅⟨"
CLOSING: Final = ")]}>〕〉》」』】〙〗〛⦆⟩"
_ANY_OPENING: Final = re.compile(f"[{re.escape(OPENING)}]")
_OPENER: Final[Mapping[str, str]] = MappingProxyType(dict(zip(CLOSING, OPENING, strict=True)))

BRACKETS_OF_NORMAL_WIDTH: Final = str.maketrans(
    "（）［］｛｝＜＞｢｣｟｠﹙﹚﹛﹜﹝﹞﹤﹥︵︶︷︸︹︺︻︼︽︾︿﹀﹁﹂﹃﹄﹇﹈⁽⁾₍₎\u2329\u232a︗︘",
    "()[]{}<>「」⦅⦆(){}〔〕<>(){}〔〕【】《》〈〉「」『』[]()()〈〉〖〗",
)
"""Every form that NFKC folds to a bracket of ``OPENING`` or ``CLOSING``, one to one, so that positions stay."""

_KANJI: Final = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u2e80-\u2fdf々〆〇\U00020000-\U0003ffff]"  # planes 2 and 3 are ideographs
)
_LETTERS: Final = frozenset({"Lu", "Ll", "Lt", "Lo"})
_KANA: Final = re.compile("[ぁ-ゖゝゞァ-ヺヽヾｦ-ﾟㇰ-ㇿ]")


def compose(text: str) -> str:
    """Return NFKC of the text after the certain repairs: radicals become characters, the two wave dashes one."""
    repaired = text.translate(_BEFORE_NFKC) if _REPAIRED.search(text) else text
    return unicodedata.normalize("NFKC", repaired)


def drop_separators(text: str) -> str:
    """Return the text without ignorable characters, controls, blanks and dots."""
    return _SEPARATORS.sub("", text)


def is_plain(text: str) -> bool:
    """Tell whether a text is nothing but kanji and kana that composing, deleting and settling leave as they are."""
    return _PLAIN.fullmatch(text) is not None


def settle(text: str) -> str:
    """Return composed text with one dash: a long-vowel mark after katakana, else a hyphen. Idempotent."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    dashed = _DASHES.sub("-", composed)
    if "-" not in dashed:
        return dashed
    return _DASH_AFTER_KATAKANA.sub(lambda run: "ー" * len(run.group()), dashed)


def annotation_start(text: str) -> int | None:
    """Return where the bracketed annotation at the very end of the text opens; None when there is none.

    Nested brackets of one kind count as one annotation. An opening bracket that is never closed, as a cut column
    leaves it, opens an annotation too.
    """
    if not text:
        return None
    opener = _OPENER.get(text[-1])
    if opener is None:
        return _unclosed_start(text)
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        if text[position] == text[-1]:
            depth += 1
        elif text[position] == opener:
            depth -= 1
            if depth == 0:
                return position
    return None


def _unclosed_start(text: str) -> int | None:
    if _ANY_OPENING.search(text) is None:
        return None
    last = max(text.rfind(opener) for opener in OPENING)
    return None if any(closer in text[last:] for closer in CLOSING) else last


def has_kanji(text: str) -> bool:
    """Tell whether a text holds a kanji; the marks 々, 〆 and 〇 stand for one."""
    return _KANJI.search(text) is not None


def has_kana(text: str) -> bool:
    """Tell whether a text holds kana of any width."""
    return _KANA.search(text) is not None


def has_letter(text: str) -> bool:
    """Tell whether a text holds a letter; iteration and long-vowel marks alone are none."""
    return not _LETTERS.isdisjoint(map(unicodedata.category, text))
