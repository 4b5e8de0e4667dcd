"""Invented schools, teams and clubs.

Belongs here: which organizations exist for a roster of a given size, and their names. Stays out: who belongs to them.
Selection teams keep the slugs by which the archive knows them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from keifu_quality.sample.rows import Organization

_PREFECTURES = (
    "北海道 青森県 岩手県 宮城県 秋田県 山形県 福島県 茨城県 栃木県 群馬県 埼玉県 千葉県 "
    "東京都 神奈川県 新潟県 富山県 石川県 福井県 山梨県 長野県 岐阜県 静岡県 愛知県 三重県 "
    "滋賀県 京都府 大阪府 兵庫県 奈良県 和歌山県 鳥取県 島根県 岡山県 広島県 山口県 徳島県 "
    "香川県 愛媛県 高知県 福岡県 佐賀県 長崎県 熊本県 大分県 宮崎県 鹿児島県 沖縄県"
)
PREFECTURES = tuple(_PREFECTURES.split())
"""The 47 prefectures by their full names."""
_HEADS = (
    "架空 例示 見本 仮想 模擬 雛形 試作 想定 範例 習作 写本 幻影 空想 虚構 夢見 絵空 "
    "無名 匿名 某所 白紙 仮名 下書 写生 素描 図案 原案 草稿 空白 余白 寓話"
)
_SCHOOL_TAILS = (
    "中央 第一 第三 第四 東 西 南 北 商業 工業 農業 学園 学院 緑丘 清流 台 水産 総合 "
    "国際 実業 明成 栄光 青雲 若葉 大地 天空 海洋 山手 城南 城北"
)
_UNIVERSITY_TAILS = "国際 体育 経済 工科 学芸 文化 産業 福祉 中央 学院 東 西 平成 総合 理科 教育 商科 農業 海洋 芸術"
_CORPORATE_TAILS = (
    "電機 製鉄 自動車 化学 通運 食品 重工 建設 銀行 製薬 物産 通信 倉庫 光学 紡績 製紙 鉄道 石油 精密 飼料"
)

STUDENT_UNIONS = (
    ("kanto-student-union", "関東学生連合", "student_union_select"),
    ("japan-student-union-select", "日本学連選抜", "student_union_select"),
    ("tokai-student-union-select", "東海学連選抜", "club"),
)
"""Selection teams: slug, name and stored type; one is stored as a club, as older imports did."""


@dataclass(frozen=True, slots=True)
class Organizations:
    """The organizations of a roster by kind; `unions` by slug, `prefectures` by name."""

    junior_high_schools: list[Organization]
    high_schools: list[Organization]
    universities: list[Organization]
    corporate_teams: list[Organization]
    companies: list[Organization]
    clubs: list[Organization]
    prefectures: dict[str, Organization]
    unions: dict[str, Organization]

    def everything(self) -> Iterable[Organization]:
        """All organizations, in the order in which they were made."""
        for group in (
            self.junior_high_schools,
            self.high_schools,
            self.universities,
            self.corporate_teams,
            self.companies,
            self.clubs,
        ):
            yield from group
        yield from self.prefectures.values()
        yield from self.unions.values()


def make_organizations(size: int, new_id: Callable[[str], str], created: datetime) -> Organizations:
    """The organizations for a roster of `size` athletes; the same size gives the same list."""

    def organization(slug: str, name: str, kind: str, prefecture: str | None, short: str | None = None) -> Organization:
        return Organization(new_id("organization"), slug, name, kind, prefecture, "JP", created, created, short)

    def group(tag: str, kind: str, suffix: str, tail_text: str, count: int, *, short: str = "") -> list[Organization]:
        heads, tails = _HEADS.split(), tail_text.split()
        # Diagonal order, so that a small roster too has several heads.
        pairs = sorted(product(range(len(heads)), range(len(tails))), key=lambda pair: (sum(pair) % 30, pair))
        return [
            organization(
                f"{tag}-{_letters(number)}",
                f"{heads[head]}{tails[tail]}{suffix}",
                kind,
                PREFECTURES[(number * 7) % 47],
                f"{heads[head]}{tails[tail]}{short}" if short else None,
            )
            for number, (head, tail) in enumerate(pairs[:count])
        ]

    return Organizations(
        junior_high_schools=group(
            "junior-high", "junior_high_school", "中学校", _SCHOOL_TAILS, max(5, min(400, size // 60))
        ),
        high_schools=group("high-school", "high_school", "高校", _SCHOOL_TAILS, max(6, min(700, size // 40))),
        universities=group(
            "university", "university", "大学", _UNIVERSITY_TAILS, max(5, min(120, size // 120)), short="大"
        ),
        corporate_teams=group("team", "corporate_team", "", _CORPORATE_TAILS, max(4, min(120, size // 200))),
        companies=group("company", "company", "役所", _SCHOOL_TAILS, max(2, min(40, size // 500))),
        clubs=group("club", "club", "走友会", _SCHOOL_TAILS, max(2, min(40, size // 500))),
        prefectures={
            name: organization(f"pref-{number + 1:02d}", f"{name}代表", "prefecture_representative", name)
            for number, name in enumerate(PREFECTURES)
        },
        unions={slug: organization(slug, name, kind, None) for slug, name, kind in STUDENT_UNIONS},
    )


def _letters(number: int) -> str:
    return "".join(chr(ord("a") + number // power % 26) for power in (676, 26, 1))
