"""What stands in a name column when there is no name.

Belongs here: the words for "not known", "not decided" and "no runner", status words in the wrong column, and column
headings. Stays out: how a name is brought into the form that is compared with them (``names``).
"""

import re
from typing import Final

_NOT_A_LETTER: Final = re.compile(r"[\W_\d]+")

_LATIN: Final = (
    "na|tb[acd]|unknown|none|null|nil|nan|undefined|anonymous|noname|name|empty|dummy|test|dn[sfq]|dsq|x{2,}|"
    "unknown(?:runner|athlete|player)|(?:runner|athlete|player)unknown|notavailable|notapplicable|noentry"
)
_WHOLE_WORDS: Final = (
    "ダミー|テスト|欠番?|欠員|空欄|空白|空き|該当(?:者|選手)?(?:なし|無し)|匿名|仮名|名(?:無し|なし)|氏名|姓名|名前|選手名?|走者|補欠|"
    "欠場|(?:途中)?棄権|失格|未出走|記録(?:なし|無し)|調整中|確認中|選考中|非公開|詳細不明|選手[a-z]|同上"
)
_KNOWN_OF: Final = "区?第?区?(?:選手|走者|氏名|名前|選手名|姓名|出場者|出走者|ランナー)?(?:の?データ|情報|登録)?"
_NOTHING: Final = "不明|不詳|未定|未登録|未発表|未入力|未記入|未公表|非公表|なし|無し"

_PLACEHOLDER: Final = re.compile(f"{_LATIN}|{_WHOLE_WORDS}|{_KNOWN_OF}(?:{_NOTHING})")
# Most names hold a character that none of the words does, which tells sooner than trying each word in turn.
_IN_NO_WORD: Final = re.compile(
    f"[^\\W\\d_a-z{''.join(sorted({*_WHOLE_WORDS, *_KNOWN_OF, *_NOTHING} - set('()|?[-]')))}]"
)


def is_placeholder(key: str) -> bool:
    """Tell whether a strict key says that no name is known; digits and punctuation in it do not count."""
    if _IN_NO_WORD.search(key):
        return False
    return _PLACEHOLDER.fullmatch(_NOT_A_LETTER.sub("", key)) is not None
