"""Invented names of people.

Belongs here: the lists of name parts and a supply that never gives one written name or one romanised name twice.
Stays out: slugs, and every deliberate clash of names, which the planted faults make for themselves.

The parts hold only modern glyphs, so that two supplied names never differ by a glyph variant alone.
"""

from dataclasses import dataclass
from random import Random

from keifu_quality.sample.romaji import folded, romanised


@dataclass(frozen=True, slots=True)
class Name:
    """A name of an invented person; `given` and `family` as written, with katakana readings for kanji names.

    `roman_is_unique` is False where an earlier name has the same romanised form in either order.
    """

    family: str
    given: str
    family_kana: str | None
    given_kana: str | None
    family_roman: str
    given_roman: str
    roman_is_unique: bool = True

    @property
    def is_foreign(self) -> bool:
        """True for a katakana name, which is written given name first with a middle dot."""
        return self.family_kana is None

    @property
    def written(self) -> str:
        return f"{self.given}・{self.family}" if self.is_foreign else f"{self.family}{self.given}"

    @property
    def kana(self) -> str | None:
        return None if self.is_foreign else f"{self.family_kana} {self.given_kana}"

    @property
    def roman(self) -> str:
        return f"{self.given_roman.capitalize()} {self.family_roman.capitalize()}"


FAMILY_FIRST = (
    "架カ 例レイ 仮カリ 想ソウ 模モ 擬ギ 雛ヒナ 試タメ 範ノリ 写ウツ 映ハ 描エガ 筆フデ 紙カミ 墨スミ "
    "帳トバ 章アキ 頁ページ 綴ツヅ 栞シオリ 編アミ 幕マク 舞マイ 劇ゲキ 台ダイ 青アオ 赤アカ 白シロ 黄キ "
    "藍アイ 朱アケ 鈴スズ 笛フエ 鼓ツヅミ 琴コト 霧キリ 霜シモ 露ツユ 雫シズク 泡アワ 波ナミ 渚ナギサ "
    "砂スナ 磯イソ 鯨クジラ 鮎アユ 鶯ウグイス 雀スズメ 鳩ハト 鷺サギ 鴨カモ"
)
FAMILY_SECOND = (
    "田タ 山ヤマ 川カワ 野ノ 原ハラ 村ムラ 木キ 林バヤシ 森モリ 谷ヤ 池イケ 沼ヌマ 坂サカ 岡オカ 島シマ "
    "浦ウラ 里サト 瀬セ 井イ 津ツ 戸ト 宮ミヤ 城キ 塚ツカ 畑ハタ 垣ガキ 倉クラ 園ゾノ 沢ザワ 見ミ 部ベ "
    "越ゴシ 崎サキ 代シロ 地チ 根ネ"
)
GIVEN_FIRST = (
    "陽ハル 大ダイ 悠ユウ 颯ソウ 拓タク 健ケン 直ナオ 航コウ 涼リョウ 駿シュン 智トモ 和カズ 雅マサ "
    "隼ハヤ 克カツ 敦アツ 義ヨシ 照テル 信ノブ 秀ヒデ 文フミ 光ミツ 道ミチ 稔ミノ 豊トヨ 泰ヤス 幸ユキ "
    "慎シン 純ジュン 昭アキ 時トキ 節タカ 周シュウ 唯タダ 旺オウ"
)
GIVEN_SECOND = (
    "斗ト 太タ 也ヤ 希キ 真マ 人ヒト 介スケ 樹キ 輝テル 平ヘイ 郎ロウ 生セイ 一イチ 馬マ 吾ゴ 志シ 哉サイ "
    "明アキ 成ナリ 彦ヒコ 之ユキ 海カイ 翔ショウ 雄オ 武タケ 則ノリ 丸マル 吉キチ 助スケ 司ジ"
)
GIVEN_SINGLE = (
    "匠タクミ 誠マコト 司ツカサ 昴スバル 樹イツキ 蓮レン 巧コウ 岳ガク 仁ジン 歩アユム 望ノゾム 渉ワタル "
    "努ツトム 護マモル"
)
FOREIGN_GIVEN = (
    "サムエル:samuel ジョナ:jona ダニエル:daniel エリヤ:eliya モゼス:mozes ピタ:pita ナタン:natan "
    "ケネス:keneth フィリポ:filipo アモス:amos レビ:levi シメオン:simeon ノア:noa ヨセフ:yosef "
    "ベンソン:benson カレブ:kaleb ギデオン:gideon トマス:tomas マルコ:marko ルカス:lukas エノク:enok "
    "ホセア:hosea イサク:isak ミカヤ:mikaya"
)
FOREIGN_FAMILY_FIRST = (
    "ミホ:miho レイ:rei カク:kaku モギ:mogi ソテ:sote テフ:tefu ナヤ:naya ゲタ:geta ワサ:wasa キバ:kiba "
    "ランガ:ranga ドサ:dosa チェモ:chemo ムソ:muso ンデ:nde オレ:ore バレ:bare ロメ:rome ザム:zamu "
    "ヒデ:hide"
)
FOREIGN_FAMILY_SECOND = (
    "ンゲイ:ngei モイ:moi リモ:rimo ベット:bet タニ:tani カリ:kari ルト:ruto ニエリ:nieri ボゴ:bogo "
    "シラ:sira ムワ:mwa デラ:dera キプ:kip サング:sang ヨゴ:yogo"
)


class NameSupply:
    """Gives out names, each once, in an order that depends on the random generator alone."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._written: set[str] = set()
        self._romans: set[tuple[str, ...]] = set()
        self._reserved_given: set[str] = set()
        self._family_first = _kanji_parts(FAMILY_FIRST)
        self._family_second = _kanji_parts(FAMILY_SECOND)
        self._given_first = _kanji_parts(GIVEN_FIRST)
        self._given_second = _kanji_parts(GIVEN_SECOND)
        self._given_single = _kanji_parts(GIVEN_SINGLE)
        self._foreign_given = _roman_parts(FOREIGN_GIVEN)
        self._foreign_first = _roman_parts(FOREIGN_FAMILY_FIRST)
        self._foreign_second = _roman_parts(FOREIGN_FAMILY_SECOND)

    def japanese(
        self, *, family: tuple[str, str] | None = None, given: tuple[str, str] | None = None, single: bool = False
    ) -> Name:
        """A new kanji name; `family` and `given` fix a part as (written, katakana), `single` asks for one kanji."""
        while True:
            family_part = family or self._joined(self._family_first, self._family_second)
            given_part = given or (
                self._rng.choice(self._given_single)
                if single or self._rng.random() < 0.12
                else self._joined(self._given_first, self._given_second)
            )
            written = family_part[0] + given_part[0]
            if written not in self._written:
                self._written.add(written)
                return self.named(family_part, given_part)
            family = None if given else family

    def reserved_given(self) -> tuple[str, str]:
        """A given name, as (written, katakana), that this method gives once.

        It serves families that differ by a glyph: whoever else bears such a family has another given name.
        """
        written, kana = self._joined(self._given_first, self._given_second)
        while written in self._reserved_given:
            more, more_kana = self._rng.choice(self._given_second)
            written, kana = written + more, kana + more_kana
        self._reserved_given.add(written)
        return written, kana

    def named(self, family: tuple[str, str], given: tuple[str, str]) -> Name:
        """A kanji name of given parts, whether or not it was given out before."""
        family_roman, given_roman = romanised(family[1]), romanised(given[1])
        return Name(
            family[0],
            given[0],
            family[1],
            given[1],
            family_roman,
            given_roman,
            self._claim_roman(family_roman, given_roman),
        )

    def foreign(self) -> Name:
        """A new katakana name. Raises ValueError when all of them are given out."""
        for _attempt in range(200):
            given, given_roman = self._rng.choice(self._foreign_given)
            first, first_roman = self._rng.choice(self._foreign_first)
            second, second_roman = self._rng.choice(self._foreign_second)
            family, family_roman = first + second, first_roman + second_roman
            if f"{given}・{family}" not in self._written:
                self._written.add(f"{given}・{family}")
                unique = self._claim_roman(family_roman, given_roman)
                return Name(family, given, None, None, family_roman, given_roman, unique)
        raise ValueError("the supply of invented foreign names is exhausted")

    def _joined(self, first: list[tuple[str, str]], second: list[tuple[str, str]]) -> tuple[str, str]:
        while True:
            head, tail = self._rng.choice(first), self._rng.choice(second)
            # A syllabic n before a vowel or y romanises ambiguously (ken'ichi, kenichi).
            if head[0] != tail[0] and not (head[1].endswith("ン") and tail[1][0] in "アイウエオヤユヨナニヌネノ"):
                return head[0] + tail[0], head[1] + tail[1]

    def _claim_roman(self, family_roman: str, given_roman: str) -> bool:
        key = tuple(sorted((folded(family_roman), folded(given_roman))))
        unique = key not in self._romans
        self._romans.add(key)
        return unique


def _kanji_parts(text: str) -> list[tuple[str, str]]:
    return [(part[0], part[1:]) for part in text.split()]


def _roman_parts(text: str) -> list[tuple[str, str]]:
    return [(written, roman) for written, _, roman in (part.partition(":") for part in text.split())]
