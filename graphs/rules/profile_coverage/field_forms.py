"""In which form the archive keeps the text fields of a profile.

Belongs here: scripts, markup, prefectures and countries. Stays out: whether a value is true.
"""

import re
import unicodedata

from graphs.rules.profile_coverage.countries import ALPHA_2, ALPHA_3, NAMES_JA
from graphs.text.names import has_kanji

MARKUP = re.compile(r"\{\{|\}\}|\[\[|\]\]|<[^<>]*>|&#?\w+;|'''?")
"""Wiki templates and links, tags, entities and quotes as they come along from a page."""

LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\uff21-\uff3a\uff41-\uff5a]")
LATIN_NAMES = ("LATIN", "FULLWIDTH LATIN", "MODIFIER LETTER")
VOICING_MARKS = "\u3099\u309a\u309b\u309c"
"""Voicing marks of kana that stand alone in decomposed text; Unicode does not count them as letters."""

PREFECTURES = (
    *("北海道", "青森県", "岩手県", "宮城県", "秋田県", "山形県", "福島県"),
    *("茨城県", "栃木県", "群馬県", "埼玉県", "千葉県", "東京都", "神奈川県"),
    *("新潟県", "富山県", "石川県", "福井県", "山梨県", "長野県", "岐阜県", "静岡県", "愛知県"),
    *("三重県", "滋賀県", "京都府", "大阪府", "兵庫県", "奈良県", "和歌山県"),
    *("鳥取県", "島根県", "岡山県", "広島県", "山口県", "徳島県", "香川県", "愛媛県", "高知県"),
    *("福岡県", "佐賀県", "長崎県", "熊本県", "大分県", "宮崎県", "鹿児島県", "沖縄県"),
)
"""The 47 prefectures in full, from north to south."""

HOMETOWN_STARTS = (*PREFECTURES, *sorted(NAMES_JA))


def has_markup(text: str) -> bool:
    """Whether a text still carries the markup of the page that it came from."""
    return MARKUP.search(text) is not None


def is_reading(text: str) -> bool:
    """Whether a text can be a reading: neither kanji nor Latin letters."""
    return not has_kanji(text) and LATIN.search(text) is None


def is_romanised(text: str) -> bool:
    """Whether every letter of a text is Latin; accents and full width are."""
    if text.isascii():
        return True
    return all(
        unicodedata.name(character, "").startswith(LATIN_NAMES)
        for character in text
        if unicodedata.category(character).startswith("L") or character in VOICING_MARKS
    )


def is_nationality(text: str) -> bool:
    """Whether a text is a country code or a Japanese name of a country."""
    return text in ALPHA_3 or text in ALPHA_2 or text in NAMES_JA


def is_hometown(text: str) -> bool:
    """Whether a hometown starts with a prefecture in full or with a country."""
    return text.startswith(HOMETOWN_STARTS)


def full_prefecture(text: str) -> str | None:
    """The prefecture in full that a hometown starts with in short (大分, 大分市), None where it starts otherwise."""
    bare = unicodedata.normalize("NFKC", text).strip()
    return next((name for name in PREFECTURES if bare.startswith((name, name[:-1]))), None)
