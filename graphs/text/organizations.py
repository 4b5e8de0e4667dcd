"""Comparison keys of organizations.

Belongs here: the key under which two spellings of one organization meet, and which organizations are teams for one
race only. Stays out: prefectures, which a caller must compare beside the key (schools of different prefectures share
names), and dictionaries of short names.
"""

import re
from typing import Final

from graphs.text import characters, glyphs

TEMPORARY_TYPES: Final = frozenset({"prefecture_representative", "student_union_select"})
TEMPORARY_SLUGS: Final = frozenset({"kanto-student-union", "japan-student-union-select", "tokai-student-union-select"})

# 弁 is the modern form of three characters, so names of people keep them apart; schools write 辯 and 弁 for one.
_SPELLINGS: Final = str.maketrans("/･辯", "・・弁")
_HIGH_SCHOOL: Final = re.compile("高等学校|学校高等部|高等部")
_TAILS: Final = {
    "high_school": re.compile("(?<=.)(?:高校|高)$"),
    "junior_high_school": re.compile("(?<=.)(?:中学校|中学|学校中等部|中等部|中)$"),
    "university": re.compile("(?<=.)(?:大学|大)?大学院$|(?<=.)(?:大学|大)$"),
}
_COMPANY: Final = re.compile(r"^(?:株式会社|\(株\)|有限会社|\(有\))(?=.)|(?<=.)(?:株式会社|\(株\)|有限会社|\(有\))$")

# A grade that a results table printed beside the team; a prefecture in brackets tells schools apart and stays.
_GRADE: Final = re.compile(r"[(\[](?:\d{1,2}年?|[mdb]\d)[)\]]", re.ASCII)

_SELECTION: Final = re.compile("学連|学生連合|選抜|[都道府県]代表|都道府県")
# Older imports typed the teams of prefectures as clubs; offices and federations carry more than the bare name.
_PREFECTURE: Final = re.compile(
    "北海道|東京都|(?:京都|大阪)府|"
    "(?:青森|岩手|宮城|秋田|山形|福島|茨城|栃木|群馬|埼玉|千葉|神奈川|新潟|富山|石川|福井|山梨|長野|岐阜|静岡|愛知|三重|滋賀|"
    "兵庫|奈良|和歌山|鳥取|島根|岡山|広島|山口|徳島|香川|愛媛|高知|福岡|佐賀|長崎|熊本|大分|宮崎|鹿児島|沖縄)県"
)


def organization_key(name_ja: str, org_type: str) -> str:
    """Return the key of an organization: its type and its name without the words and glyphs that sources vary.

    Equal keys are evidence for one organization only together with equal or unknown prefectures.
    """
    spelled = characters.compose(name_ja).translate(characters.DELETE_IGNORABLE)
    bare = glyphs.modernise("".join(spelled.split()).translate(_SPELLINGS)).lower().replace("附属", "付属")
    start = characters.annotation_start(bare) or len(bare)
    bare, place = bare[:start], bare[start:]
    if _GRADE.fullmatch(place):
        place = ""
    tail = _TAILS.get(org_type, _COMPANY)
    bare = tail.sub("", _HIGH_SCHOOL.sub("高校", bare) if org_type in _TAILS else bare) + place
    return f"{org_type}:{bare}"


def is_temporary_organization(slug: str, name_ja: str, org_type: str) -> bool:
    """Tell whether an organization is a team put together for a race, such as a prefecture's or a students' union's.

    Nobody is a member of such a team; it belongs to results only.
    """
    if org_type in TEMPORARY_TYPES or slug in TEMPORARY_SLUGS:
        return True
    name = "".join(characters.compose(name_ja).split())
    return _SELECTION.search(name) is not None or (org_type == "club" and _PREFECTURE.fullmatch(name) is not None)
