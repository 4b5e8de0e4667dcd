"""Which organizations are the same, which are teams for a day, and which lie abroad.

Belongs here: `sameOrg` and its narrower and wider forms. Identity of organizations is only ever evidence.
Stays out: memberships and their dates (`graphs.rules.periods`).
"""

import re
from functools import lru_cache

from graphs.facts import Organization, Person
from graphs.rules.periods import SCHOOL_STAGES
from graphs.text.names import has_kanji
from graphs.text.organizations import is_temporary_organization, organization_key

HOME_NATIONALITIES = frozenset({"JPN", "JP", "日本", "日本国", "Japan"})
"""Forms in which the archive writes that an athlete is Japanese; the markup of a template may stand around them."""

EMPLOYERS = frozenset({"corporate_team", "company"})
"""Organization types of those who employ a runner; older imports gave some teams the type company."""

COMPULSORY_AND_HIGH = frozenset({"junior_high_school", "high_school"})
"""Organization types whose names sources print with and without the municipality."""

TECHNICAL_COLLEGE_WORDS = ("高専", "高等専門学校")

MUNICIPALITY_ENDINGS = ("市", "町", "村", "区", "市立", "町立", "村立", "区立", "・")
"""What may stand between a municipality and the name of its school: 例示市東中, 例示・東中."""

# fmt: off
PREFECTURES = frozenset((
    "北海道", "青森", "岩手", "宮城", "秋田", "山形", "福島", "茨城", "栃木", "群馬",
    "埼玉", "千葉", "東京", "神奈川", "新潟", "富山", "石川", "福井", "山梨", "長野",
    "岐阜", "静岡", "愛知", "三重", "滋賀", "京都", "大阪", "兵庫", "奈良", "和歌山",
    "鳥取", "島根", "岡山", "広島", "山口", "徳島", "香川", "愛媛", "高知", "福岡",
    "佐賀", "長崎", "熊本", "大分", "宮崎", "鹿児島", "沖縄",
))
# fmt: on
"""The 47 prefectures without their endings."""

_PLACE = re.compile(r"(?P<name>.+?)\s*[((](?P<place>[^()()]+)[))]")
_HIRAGANA = re.compile("[ぁ-ゖ]")
_PLACE_MARKS = re.compile(r"[\d\s*※]+$")


@lru_cache(maxsize=65_536)
def canonical_key(name_ja: str, organization_type: str) -> str:
    """The canonical key of an organization's name; organizations repeat across a roster, so it is kept.

    National lists print a school with its prefecture or its region in brackets, which is not part of the name.
    """
    name = _placed(name_ja)[0] if organization_type in SCHOOL_STAGES else name_ja
    return organization_key(name, organization_type)


@lru_cache(maxsize=65_536)
def _placed(name_ja: str) -> tuple[str, str | None]:
    """The name of a school, and the prefecture that its list prints behind it; regions tell no prefecture."""
    match = _PLACE.fullmatch(name_ja)
    if match is None:
        return name_ja, None
    place = _short_prefecture(_PLACE_MARKS.sub("", match["place"]))
    return match["name"], place if place in PREFECTURES else None


def _short_prefecture(prefecture: str) -> str:
    return prefecture if prefecture in PREFECTURES else re.sub("[都府県]$", "", prefecture)


def prefecture_of(organization: Organization) -> str | None:
    """The prefecture without its ending: as recorded, else as printed behind a school's name, else unknown."""
    if organization.prefecture:
        return _short_prefecture(organization.prefecture)
    return _placed(organization.name_ja)[1] if organization.type in SCHOOL_STAGES else None


@lru_cache(maxsize=65_536)
def _is_temporary(slug: str, name_ja: str, organization_type: str) -> bool:
    return is_temporary_organization(slug, name_ja, organization_type)


def is_temporary(organization: Organization) -> bool:
    """Prefecture and selection teams: they never make a membership."""
    return _is_temporary(organization.slug, organization.name_ja, organization.type)


def is_technical_college(organization: Organization) -> bool:
    """Whether a school is a 高専: five years from the age of 15, stored as a high school or as a university."""
    return _is_technical_college_name(organization.name_ja)


@lru_cache(maxsize=65_536)
def _is_technical_college_name(name_ja: str) -> bool:
    return any(word in name_ja for word in TECHNICAL_COLLEGE_WORDS)


def is_abroad(organization: Organization) -> bool:
    """Whether an organization lies outside Japan, by its country or by a prefecture that names a country."""
    if organization.country not in ("JP", "JPN", ""):
        return True
    prefecture = prefecture_of(organization)
    return prefecture is not None and prefecture not in PREFECTURES and not has_kanji(prefecture)


def is_home_nationality(nationality: str | None) -> bool:
    """Whether a nationality means Japan, also where a template's braces were stored with it (PC06 reports those)."""
    return nationality is not None and nationality.strip("{}[] ") in HOME_NATIONALITIES


def is_foreign(person: Person) -> bool:
    """Whether the athlete came from abroad: by nationality, else by a name without kanji and hiragana."""
    if person.nationality:
        return not is_home_nationality(person.nationality)
    return not has_kanji(person.name_ja) and not _HIRAGANA.search(person.name_ja)


def linked_by_name(first: Organization, second: Organization) -> bool:
    """Whether a recorded other name of one is the name of the other."""
    return _linked(first, second, former_only=False)


def linked_by_former_name(first: Organization, second: Organization) -> bool:
    """Whether a recorded former name of one is the name of the other: the organization was renamed."""
    return _linked(first, second, former_only=True)


def same_organization(first: Organization, second: Organization) -> bool:
    """Same row, linked by a recorded name, or same type and key with no contradicting prefecture.

    The prefecture is trusted first: two schools of one name in two prefectures are two schools.
    """
    if first.id == second.id:
        return True
    if first.type != second.type:
        return False
    if canonical_key(first.name_ja, first.type) != canonical_key(second.name_ja, second.type) and not linked_by_name(
        first, second
    ):
        return False
    prefectures = {prefecture_of(first), prefecture_of(second)}
    return None in prefectures or len(prefectures) == 1


def belongs_to_same(first: Organization, second: Organization) -> bool:
    """`same_organization`, also where one employer is recorded as a team and as a company.

    For asking whether a result fits a membership, not for identity of people: a school named with its municipality
    counts as well.
    """
    if first.type == second.type:
        return same_organization(first, second) or same_school_of_municipality(first, second)
    return (
        first.type in EMPLOYERS
        and second.type in EMPLOYERS
        and canonical_key(first.name_ja, "corporate_team") == canonical_key(second.name_ja, "corporate_team")
    )


def same_school_of_municipality(first: Organization, second: Organization) -> bool:
    """Whether two schools of one known prefecture differ only by the municipality before the name: 例示市東中, 東中."""
    if first.type != second.type or first.type not in COMPULSORY_AND_HIGH:
        return False
    prefecture = prefecture_of(first)
    if prefecture is None or prefecture != prefecture_of(second):
        return False
    short, long = sorted((canonical_key(o.name_ja, o.type).partition(":")[2] for o in (first, second)), key=len)
    return long.endswith(short) and long.removesuffix(short).endswith(MUNICIPALITY_ENDINGS)


def _linked(first: Organization, second: Organization, *, former_only: bool) -> bool:
    if first.type != second.type or not (first.names or second.names):
        return False
    return _names(second, former_only=former_only, other=first) or _names(first, former_only=former_only, other=second)


def _names(organization: Organization, *, former_only: bool, other: Organization) -> bool:
    wanted = canonical_key(other.name_ja, other.type)
    return any(
        canonical_key(name.value, organization.type) == wanted
        for name in organization.names
        if name.type == "former" or not former_only
    )
