"""Hepburn romanisation of invented readings.

Belongs here: katakana to Latin letters for names that the sample makes up. Stays out: comparing romanised names for
identity, which is the product's own business.
"""

_SYLLABLES = {
    **dict(zip("アイウエオ", "aiueo", strict=True)),
    **{
        kana: consonant + vowel
        for consonant, row in {
            "k": "カキクケコ", "g": "ガギグゲゴ", "s": "サシスセソ", "z": "ザジズゼゾ", "t": "タチツテト",
            "d": "ダヂヅデド", "n": "ナニヌネノ", "h": "ハヒフヘホ", "b": "バビブベボ", "p": "パピプペポ",
            "m": "マミムメモ", "r": "ラリルレロ",
        }.items()
        for kana, vowel in zip(row, "aiueo", strict=True)
    },
    **dict(zip("ヤユヨワヲン", ("ya", "yu", "yo", "wa", "o", "n"), strict=True)),
    "シ": "shi", "ジ": "ji", "チ": "chi", "ヂ": "ji", "ツ": "tsu", "ヅ": "zu", "フ": "fu",
}  # fmt: skip
_SMALL_Y = {"ャ": "a", "ュ": "u", "ョ": "o"}


def romanised(katakana: str) -> str:
    """The reading in lower-case Hepburn without marks; long o and u are written short: ショウヘイ gives `shohei`."""
    text = ""
    for index, kana in enumerate(katakana):
        if kana == "ー":
            continue
        if kana in _SMALL_Y:
            stem = text[:-1]
            text = stem + ("" if stem.endswith(("sh", "ch", "j")) else "y") + _SMALL_Y[kana]
        elif kana == "ウ" and index and text[-1:] in ("o", "u"):
            continue
        else:
            text += _SYLLABLES[kana]
    return text


def folded(roman: str) -> str:
    """The romanised name with doubled vowels made single, so that spellings of one sound compare equal."""
    return roman.replace("oo", "o").replace("ou", "o").replace("uu", "u")
