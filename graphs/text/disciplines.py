"""Names of disciplines.

Belongs here: which value of the archive's discipline list a printed name means. Stays out: marks and their bounds.
"""

import re
import unicodedata
from typing import Final

_SPELLINGS: Final = (
    ("m2000sc", re.compile("m?2000m?(?:sc|障害|障害物|障害物競走|steeplechase)|m?2000sc")),
    ("m3000sc", re.compile("m?3000m?(?:sc|障害|障害物|障害物競走|steeplechase)|m?3000sc")),
    ("m800", re.compile("m?800m?")),
    ("m1500", re.compile("m?1500m?")),
    ("m3000", re.compile("m?3000m?")),
    ("m5000", re.compile("m?5000m?")),
    ("m10000", re.compile("m?10000m?")),
    ("ten_mile", re.compile("(?:10|ten)(?:miles?|mi|マイル)(?:ロード|road)?")),
    ("half_marathon", re.compile("half(?:marathon)?|ハーフ(?:マラソン)?|hm|21[.]0975km")),
    ("marathon", re.compile("(?:full)?marathon|(?:フル)?マラソン|フル|42[.]195km")),
    ("ekiden_leg", re.compile("ekiden(?:leg)?|駅伝(?:区間)?|区間")),
)


def discipline_from_text(text: str) -> str | None:
    """Return the discipline a printed name means; None for one the archive does not list.

    10 km on the road is none of them: it is another event than 10000 m on the track.
    """
    folded = re.sub(r"[\s,_・男子女子-]+|メートル", _metres, unicodedata.normalize("NFKC", text).lower())
    return next((discipline for discipline, pattern in _SPELLINGS if pattern.fullmatch(folded)), None)


def _metres(found: re.Match[str]) -> str:
    return "m" if found.group() == "メートル" else ""
