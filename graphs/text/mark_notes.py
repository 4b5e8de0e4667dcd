"""What sources print around a time: status words, labels and notes.

Belongs here: recognising words that stand instead of a time or beside it. Stays out: the time itself (``marks``).
All functions take text in normal width without blanks.
"""

import re
from typing import Final

# A source without a time prints one dash, several, or the shape of a clock drawn in dashes.
_DASHES: Final = re.compile("[-‐‑‒–—―−ー─━~〜:.]*[-‐‑‒–—―−ー─━][-‐‑‒–—―−ー─━~〜:.]*")
_STATUS: Final = re.compile(
    "DN[SFQ]|DS?Q|NM|NR|NT|N/?A|OTL|WD|RET|ABD|欠|欠場|欠走|未出走|不出走|不出場|不参加|出場せず|棄権|途中棄権|途中欠場|途棄|"
    "失格|反則|記録(?:なし|無し|無|ナシ)|計測不能|中止|繰り?上げ"
)
_STATUS_NOTE: Final = re.compile(r"(?<=.)\([^()]*\)")

_OUTCOMES: Final = (
    (re.compile("DNS|WD|欠|欠場|欠走|未出走|不出走|不出場|不参加|出場せず"), "DNS"),
    (re.compile("DNF|RET|ABD|棄権|途中棄権|途中欠場|途棄|中止"), "DNF"),
    (re.compile("DS?Q|失格|反則"), "DQ"),
)

_LABEL: Final = re.compile(
    "(?:PB|SB|自己(?:ベスト|記録|最高|新)|シーズンベスト|ベスト|BEST|記録|タイム|TIME)(?:記録|タイム)?[:=]?",
    re.IGNORECASE,
)
_LEADING_HAND: Final = re.compile(r"(?:\(手動?(?:計時)?\)|手動(?:計時)?|手):?")
_BRACKET: Final = re.compile(r"[(\[](?P<content>[^()\[\]]*)[)\]]$")
_HAND: Final = re.compile("(?:手動計時|手動|手|HT|H)$", re.IGNORECASE)
_UNOFFICIAL: Final = re.compile("(?:参考記録|参考|追い?風参考|追参|非公認|未公認|OPEN参考)$")
_ANNOTATION: Final = re.compile(
    r"(?:PB|SB|NGR|NJR|DNR|NR|WR|WL|AR|CR|GR|MR|JR|KR|OR|U1[68]R?|U20R?|OPEN|OP|オープン参加|オープン|自己(?:新|ベスト)|初|"
    r"(?:日本|世界|大会|区間|学生|高校|県|校内|歴代)(?:新記録|最高記録|最高|タイ記録|タイ|新|賞)|[AQIW]|[+*#])$",
    re.IGNORECASE,
)
_JOINERS: Final = ",/;&、・="
_SECOND_TIME: Final = re.compile(r"\d[:.'\"時分秒]\d", re.ASCII)


def status_word(text: str) -> str | None:
    """Return the word or dashes that stand for "no time", in capitals; None when the text is none."""
    word = _STATUS_NOTE.sub("", text.upper())
    if _DASHES.fullmatch(word):
        return word
    word = word if "/" in word else word.replace(".", "")
    return word if _STATUS.fullmatch(word) else None


def outcome(status: str) -> str | None:
    """Return DNS, DNF or DQ for a status word that says so; None for dashes and words that leave it open."""
    for pattern, code in _OUTCOMES:
        if pattern.fullmatch(status):
            return code
    return None


def strip_labels(text: str) -> tuple[str, frozenset[str]]:
    """Return the text behind a column label such as PB or a leading note on hand timing, with the flags."""
    flags: set[str] = set()
    if (label := _LABEL.match(text)) is not None:
        text = text[label.end() :]
    if (hand := _LEADING_HAND.match(text)) is not None:
        flags.add("hand")
        text = text[hand.end() :]
    return text, frozenset(flags)


def strip_notes(text: str) -> tuple[str, frozenset[str]]:
    """Return the text before its trailing notes, and a flag for each: hand, unofficial or ``annot:`` with the note.

    A bracket that holds another time is left in place: which of the two is meant cannot be told.
    """
    flags: set[str] = set()
    while True:
        bracket = _BRACKET.search(text)
        if bracket is not None:
            content = bracket["content"]
            if bracket.start() == 0 or _SECOND_TIME.search(content):
                break
            flags.add(_flag_of(content))
            text = text[: bracket.start()]
        elif (note := _HAND.search(text) or _UNOFFICIAL.search(text) or _ANNOTATION.search(text)) is not None:
            flags.add(_flag_of(note.group()))
            text = text[: note.start()]
        else:
            break
        text = text.rstrip(_JOINERS)
    return text, frozenset(flags)


def _flag_of(note: str) -> str:
    if _HAND.fullmatch(note):
        return "hand"
    if _UNOFFICIAL.fullmatch(note):
        return "unofficial"
    return f"annot:{note.upper()}"
