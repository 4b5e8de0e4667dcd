import unicodedata
from typing import Any

import pytest

from graphs.text import names
from tests.graphs.text.vectors import load

VECTORS = load("names")


class TestVectors:
    @pytest.mark.parametrize("vector", VECTORS["names"], ids=lambda v: v["raw"])
    def test_written_name(self, vector: dict[str, str]) -> None:
        expected = names.NameKeys(
            site=vector["siteKey"],
            strict=vector["strictKey"],
            variant=vector["variantKey"],
            loose=vector["looseKey"],
        )
        assert names.name_keys(vector["raw"]) == expected

    @pytest.mark.parametrize("vector", VECTORS["kana"], ids=lambda v: v["raw"])
    def test_reading(self, vector: dict[str, str]) -> None:
        assert names.kana_key(vector["raw"]) == vector["strict"]
        assert names.kana_loose_key(vector["raw"]) == vector["loose"]

    @pytest.mark.parametrize("vector", VECTORS["roman"], ids=lambda v: v["raw"])
    def test_roman(self, vector: dict[str, str]) -> None:
        assert names.roman_key(vector["raw"]) == vector["key"]

    @pytest.mark.parametrize("vector", VECTORS["foreign"], ids=lambda v: v["raw"])
    def test_foreign(self, vector: dict[str, Any]) -> None:
        expected = names.ForeignTokens(frozenset(vector["tokens"]), tuple(vector["initials"]))
        assert names.foreign_tokens(vector["raw"]) == expected


class TestWrittenNames:
    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("斎藤例", "斉藤例"),
            ("渡部例", "渡辺例"),
            ("三浦龍例", "三浦竜例"),
            ("渕上例", "淵上例"),
            ("峯岸例", "峰岸例"),
            ("見部陽樹", "見部陽葵"),
            ("佐藤見匠", "佐藤見巧"),
            ("中里拓海", "中里拓浩"),
            ("二宮例", "ニ宮例"),
            ("冨田例", "富田例"),
            ("凜例", "凛例"),
        ],
    )
    def test_different_names_never_share_a_strict_or_variant_key(self, a: str, b: str) -> None:
        assert names.strict_key(a) != names.strict_key(b)
        assert names.variant_key(a) != names.variant_key(b)

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("⼭⽥ 例", "山田例"),
            ("⾧⾕川 例", "長谷川例"),
            ("⻑⾕川 例", "長谷川例"),
            ("⻘⽊ 例", "青木例"),
            ("⼾⽥ 例", "戸田例"),
            ("⿊⽥ 例", "黒田例"),
            (unicodedata.normalize("NFD", "ながしま"), "ながしま"),
            ("ﾐﾎﾝ･ｼﾞｮﾝ", "ミホン・ジョン"),
            ("ﾐﾎﾝ ｼﾞョﾝ", "ミホン ジョン"),
            ("か゛例", "が例"),
            ("見本\ufeff太郎", "見本太郎"),
            ("見本\u200b太郎\u3164", "見本太郎"),
            ("見本 颯太(17)", "見本颯太"),
            ("見本 颯太（例体大）", "見本颯太"),
            ("見本 颯太【例大】", "見本颯太"),
            ("見本 颯太[M2]", "見本颯太"),
            ("見本 颯太〔3〕", "見本颯太"),
            ("見本 颯太⑶", "見本颯太"),
            ("見本 颯太(例大(M2))", "見本颯太"),
            ("見本 颯太(例大)(3)", "見本颯太"),
            ("見本 颯太(例大", "見本颯太"),
            ("見本 颯太(3)。", "見本颯太"),
            ("ミホン―ジョン", "ミホンージョン"),
            ("ミホン～ジョン", "ミホン〜ジョン"),
            ("Ｍｉｈｏｎ Ｊｏｈｎ", "mihonjohn"),
        ],
    )
    def test_one_written_name(self, a: str, b: str) -> None:
        assert names.strict_key(a) == names.strict_key(b)

    @pytest.mark.parametrize(
        ("old", "modern"),
        [
            ("髙橋", "高橋"),
            ("𠮷田", "吉田"),
            ("渡邉", "渡辺"),
            ("渡邊\U000e0101", "渡辺"),
            ("髙槗", "高橋"),
            ("舩木", "船木"),
            ("戶田", "戸田"),
            ("內山", "内山"),
            ("籠山", "篭山"),
            ("薮田", "藪田"),
            ("檜垣", "桧垣"),
            ("竈門", "竃門"),
            ("鶯谷", "鴬谷"),
            ("頰", "頬"),
            ("衞藤", "衛藤"),
            ("滿例", "満例"),
            ("溫例", "温例"),
            ("靜例", "静例"),
            ("塚本", "塚本"),
            ("佐々木", "佐佐木"),
            ("すゞ", "すず"),
            ("八ヶ代", "八ケ代"),
            ("靏田", "鶴田"),
        ],
    )
    def test_one_name_in_two_glyph_forms(self, old: str, modern: str) -> None:
        assert names.variant_key(old) == names.variant_key(modern)

    def test_an_iteration_mark_at_the_start_stays(self) -> None:
        assert names.variant_key("々木例") == "々木例"

    @pytest.mark.parametrize("name", ["(3)", "（選手データなし）", "【例】", "・(3)", "()"])
    def test_a_name_of_brackets_alone_is_not_emptied(self, name: str) -> None:
        assert names.strict_key(name)
        assert names.trailing_annotation(name) is None

    def test_wave_dashes_and_letters_stay(self) -> None:
        assert names.strict_key("ミホン〜ジョン") == "ミホン〜ジョン"
        assert names.strict_key("ミホン〜ジョン") != names.strict_key("ミホン ジョン")

    @pytest.mark.parametrize(
        ("name", "inside"),
        [
            ("見本 颯太(17)", "17"),
            ("見本 颯太（Ｍ２） ", "Ｍ２"),
            ("見本 颯太【例大】", "例大"),
            ("見本 颯太⑶", "3"),
            ("見本 颯太(例大", "例大"),
            ("見本 颯太", None),
            ("(見本)颯太", None),
        ],
    )
    def test_trailing_annotation(self, name: str, inside: str | None) -> None:
        assert names.trailing_annotation(name) == inside

    def test_differing_characters(self) -> None:
        assert names.differing_characters("髙橋 例", "高橋例") == [("髙", "高")]
        assert names.differing_characters("高橋例", "高橋例") == []
        assert names.differing_characters("佐々木例", "佐木例") == [("々", "")]


class TestWhatANameTells:
    @pytest.mark.parametrize(
        "name",
        [
            *(
                "N/A",
                "Ｎ／Ａ",
                "n/a",
                "--",
                "ー",
                "（選手データなし）",
                "不明",
                "【未定】",
                "氏名不明",
                "TBA",
                "[unknown]",
            ),
            *(
                "Unknown 2",
                "欠番",
                "・",
                "　",
                "\u200b",
                "",
                "???",
                "〓〓",
                "〇〇",
                "123",
                "(3)",
                "1区 未定",
                "選手A",
                "ㅤ",
                "\ue000",
            ),
        ],
    )
    def test_placeholder(self, name: str) -> None:
        assert names.is_placeholder_name(name)

    @pytest.mark.parametrize(
        "name", ["見本 例", "定 例", "Ｓ.ミホンゲイ", "無田 例", "未来", "Na Li", "不二 明", "東", "々木例"]
    )
    def test_name_and_no_placeholder(self, name: str) -> None:
        assert not names.is_placeholder_name(name)

    @pytest.mark.parametrize(
        "name", ["二?見太郎", "二？見太郎", "二〓見太郎", "二□見太郎", "二●見太郎", "二\ufffd見太郎"]
    )
    def test_lost_character_matches_one_character(self, name: str) -> None:
        pattern = names.lost_character_pattern(name)
        assert pattern is not None
        assert names.has_lost_character(name)
        assert pattern.fullmatch(names.strict_key("二瓶見太郎"))
        assert pattern.fullmatch(names.strict_key("二𠮷見太郎"))
        assert not pattern.fullmatch(names.strict_key("二見太郎"))

    @pytest.mark.parametrize("name", ["John Mihon?", "見本太郎", "??", "見本太郎(?)", ""])
    def test_nothing_lost(self, name: str) -> None:
        assert not names.has_lost_character(name)

    @pytest.mark.parametrize(
        ("a", "b", "relation"),
        [
            ("ジョン・ミホン", "ミホン・ジョン", "same"),
            ("ﾐﾎﾝ･ｼﾞｮﾝ", "ジョン ミホン(例大)", "same"),
            ("ミホン＝ジョン", "ミホン・ジョン", "same"),
            ("Ｓ.ミホンゲイ", "サミュエル・ミホンゲイ", "initial"),
            ("ミホンゲイ Ｓ", "サミュエル・ミホンゲイ", "initial"),
            ("Ｓミホンゲイ", "サミュエル・ミホンゲイ", "initial"),
            ("I.ミホンゲイ", "アイザック・ミホンゲイ", "initial"),
            ("T.ミホンゲイ", "サミュエル・ミホンゲイ", "no"),
            ("S.ミホンゲイ", "T.ミホンゲイ", "no"),
            ("S.レイラガット", "サミュエル・ミホンゲイ", "no"),
            ("見本太郎", "見本太郎", "no"),
            ("", "", "no"),
        ],
    )
    def test_foreign_forms(self, a: str, b: str, relation: str) -> None:
        assert names.foreign_forms_compatible(a, b) == relation
        assert names.foreign_forms_compatible(b, a) == relation
