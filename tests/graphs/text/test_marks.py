from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.text.mark_bounds import MEN, WOMEN, MarkBounds, ekiden_leg_bounds
from graphs.text.mark_notes import outcome
from graphs.text.marks import ROAD_DISCIPLINES, TRACK_DISCIPLINES, canonical_mark, parse_mark
from tests.graphs.text.vectors import load

DISCIPLINES = (None, *sorted(TRACK_DISCIPLINES | ROAD_DISCIPLINES), "no_such_discipline")
MARK_LIKE = st.text(
    st.sampled_from("0123456789:：.．,'\"′″゜°hHms分秒時間()（）手参考PB-ー—+*A ½²٣\0\ud800"), max_size=16
)


class TestVectors:
    @pytest.mark.parametrize("vector", load("marks"), ids=lambda v: f"{v['raw']}-{v['discipline']}")
    def test_mark(self, vector: dict[str, Any]) -> None:
        parsed = parse_mark(vector["raw"], vector["discipline"])
        for field, expected in vector["expect"].items():
            actual = getattr(parsed, field)
            assert (sorted(actual) if field == "flags" else actual) == expected, field

    def test_an_implausible_time_stands_beside_its_other_reading(self) -> None:
        parsed = parse_mark("2:05.50", "marathon")
        assert (parsed.millis, parsed.suggestion_millis, parsed.suggestion) == (125_500, 7_550_000, "2:05:50")


class TestForms:
    @pytest.mark.parametrize(
        ("text", "millis"),
        [
            ("1時間2分3秒", 3_723_000),
            ("１時間０２分０３秒", 3_723_000),
            ("28'12\"34", 1_692_340),
            ('28’12"3', 1_692_300),
            ("28′12″34", 1_692_340),
            ("28'12''34", 1_692_340),
            ("28分１２秒３４", 1_692_340),
            ("1゜02'03", 3_723_000),
            ("1°02′03″", 3_723_000),
            ("1:02'03\"", 3_723_000),
            ('13:45"67', 825_670),
            ("13∶45.67", 825_670),
            ("13︰45.67", 825_670),
            ("13：45・67", 825_670),
            (" 13 : 45 . 67 ", 825_670),
            ("\u200e13:45.67\ufeff", 825_670),
            ("01:25:00", 5_100_000),
            ("0:8:56", 536_000),
            ("13min45.67s", 825_670),
            ("125:50", 7_550_000),
            ("13:45.67890", 825_678),
            ("17:04.07", 1_024_070),
            ("14:39.7", 879_700),
            ("28分", 1_680_000),
        ],
    )
    def test_time(self, text: str, millis: int) -> None:
        assert parse_mark(text).millis == millis

    @pytest.mark.parametrize(
        ("text", "flags"),
        [
            ("28:09.4h", {"hand", "tenths"}),
            ("13:45.6手動", {"hand", "tenths"}),
            ("13:45.6（手）", {"hand", "tenths"}),
            ("(手)13:45.6", {"hand", "tenths"}),
            ("13:45.67（参考）", {"unofficial"}),
            ("13:45.67参考記録", {"unofficial"}),
            ("13:45.67 追参", {"unofficial"}),
            ("13:45.67（非公認）", {"unofficial"}),
            ("13:45.67 OP", {"annot:OP"}),
            ("13:45.67PB/NR", {"annot:PB", "annot:NR"}),
            ("29:00.00+", {"annot:+"}),
            ("13:45.67*", {"annot:*"}),
            ("1:02:10(区間新)", {"annot:区間新"}),
            ("1:02:10（3位）", {"annot:3位"}),
            ("PB 13:45.67", set()),
            ("PB:13:45.67", set()),
            ("自己ベスト 13:45.67", set()),
            (":59:49", {"leading_separator"}),
            ("13:45,67", {"comma_decimal"}),
            ("1:2:3", {"unpadded"}),
        ],
    )
    def test_flags(self, text: str, flags: set[str]) -> None:
        parsed = parse_mark(text)
        assert (parsed.kind, parsed.flags) == ("time", flags)

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            *[
                ("DNS", "DNS"),
                ("dns", "DNS"),
                ("D.N.S.", "DNS"),
                ("ＤＮＦ", "DNF"),
                ("DNF(体調不良)", "DNF"),
                ("DSQ", "DQ"),
            ],
            *[
                ("欠場", "DNS"),
                ("欠", "DNS"),
                ("途中棄権", "DNF"),
                ("棄権", "DNF"),
                ("失格", "DQ"),
                ("記録なし", None),
                ("NM", None),
            ],
            *[("-", None), ("—", None), ("ー", None), ("---", None), ("--:--:--", None), ("−", None), ("N/A", None)],
        ],
    )
    def test_status(self, text: str, code: str | None) -> None:
        parsed = parse_mark(text)
        assert (parsed.kind, parsed.millis) == ("status", None)
        assert parsed.status is not None
        assert outcome(parsed.status) == code

    @pytest.mark.parametrize("text", [None, "", "  ", "\u3000", "\ufeff", "\u200b"])
    def test_empty(self, text: str | None) -> None:
        assert parse_mark(text).kind == "empty"

    @pytest.mark.parametrize(
        "text",
        [
            *("-13:45.67", "+0:45", "約29分", "29分台", "5000m", "1,234:56", "13:45.67(13:44.1)", "13:45²", "①3:45.67"),
            *(
                "13'4567",
                "28分12",
                "::59",
                "13:45:",
                "13:",
                "PB",
                "h",
                "秒",
                "½:30",
                "１３：４５：６７：８９",
                "\0",
                "\ud800",
            ),
        ],
    )
    def test_unrecognised(self, text: str) -> None:
        parsed = parse_mark(text, "m5000")
        assert (parsed.kind, parsed.reason, parsed.millis) == ("invalid", "unrecognised", None)

    @pytest.mark.parametrize("text", ["0:00", "00:00:00", "0:00.00", "0分0秒"])
    def test_zero_is_no_time(self, text: str) -> None:
        assert (parse_mark(text).kind, parse_mark(text).reason) == ("invalid", "zero")

    @pytest.mark.parametrize("text", ["13.45", "825670", "2h", "13", "1345.67"])
    def test_a_bare_number_is_ambiguous(self, text: str) -> None:
        assert (parse_mark(text).kind, parse_mark(text).reason) == ("ambiguous", "no_unit")


class TestOtherReadings:
    def test_minutes_or_hours_is_decided_by_the_discipline(self) -> None:
        parsed = parse_mark("1:02", "half_marathon")
        assert (parsed.kind, parsed.reason, parsed.millis) == ("ambiguous", "minutes_or_hours", None)
        assert (parsed.suggestion_millis, parsed.suggestion) == (3_720_000, "1:02:00")
        assert parse_mark("59:49", "half_marathon").millis == 3_589_000
        assert parse_mark("1:02", "m800").millis == 62_000
        assert parse_mark("1:02").millis == 62_000

    @pytest.mark.parametrize("text", ["13:45:67", "13:45:23"])
    def test_a_colon_in_place_of_the_decimal_point(self, text: str) -> None:
        parsed = parse_mark(text, "m5000")
        assert parsed.suggestion == text[:5] + "." + text[6:]

    @pytest.mark.parametrize(
        ("text", "suggestion"),
        [
            ("1:02:30 AM", 3_750_000),
            ("午前 1:02:30", 3_750_000),
            ("12:13:45 AM", 825_000),
            ("0.043402777", 3_750_000),
            (".0434027778", 3_750_000),
            ("4.3402777E-02", 3_750_000),
            ("45657.0434027778", 3_750_000),
            ("1900-01-00 01:02:30", 3_750_000),
            ("1899-12-30T01:02:30Z", 3_750_000),
            ("0 days 01:02:30", 3_750_000),
            ("#VALUE!", None),
            ("#####", None),
            ("10月2日", None),
        ],
    )
    def test_spreadsheet_forms(self, text: str, suggestion: int | None) -> None:
        parsed = parse_mark(text, "half_marathon")
        assert (parsed.kind, parsed.reason, parsed.millis) == ("invalid", "spreadsheet", None)
        assert parsed.suggestion_millis == suggestion

    def test_the_caller_may_bring_bounds(self) -> None:
        leg = ekiden_leg_bounds(21_300)
        assert leg == MarkBounds(3_088_500, 7_029_000)
        assert parse_mark("1:02", "ekiden_leg", bounds=leg).suggestion == "1:02:00"
        assert parse_mark("1:02", "ekiden_leg").millis == 62_000
        assert ekiden_leg_bounds(None) is None


class TestCanonical:
    @pytest.mark.parametrize(
        ("millis", "precision", "discipline", "text"),
        [
            (825_670, 2, None, "13:45.67"),
            (3_723_000, 0, None, "1:02:03"),
            (1_682_000, 2, None, "28:02.00"),
            (1_682_000, None, "m10000", "28:02.00"),
            (3_723_000, None, "half_marathon", "1:02:03"),
            (825_670, 0, None, "13:45.67"),
            (59_490, 2, None, "0:59.49"),
        ],
    )
    def test_text(self, millis: int, precision: int | None, discipline: str | None, text: str) -> None:
        assert canonical_mark(millis, precision, discipline) == text

    def test_a_negative_time_is_refused(self) -> None:
        with pytest.raises(ValueError, match="negative"):
            canonical_mark(-1)

    @given(st.sampled_from(sorted(MEN)), st.data(), st.integers(0, 3))
    def test_round_trip(self, discipline: str, data: st.DataObject, precision: int) -> None:
        limits = MEN[discipline]
        millis = data.draw(st.integers(limits.floor_millis, limits.ceiling_millis))
        parsed = parse_mark(canonical_mark(millis, precision, discipline), discipline)
        assert (parsed.kind, parsed.millis, parsed.suggestion) == ("time", millis, None)

    @given(st.sampled_from([None, "ekiden_leg"]), st.integers(1, 359_999_999))
    def test_round_trip_without_bounds(self, discipline: str | None, millis: int) -> None:
        assert parse_mark(canonical_mark(millis, None, discipline), discipline).millis == millis

    @given(MARK_LIKE, st.sampled_from(DISCIPLINES))
    def test_the_canonical_text_of_a_time_is_that_time(self, text: str, discipline: str | None) -> None:
        parsed = parse_mark(text, discipline)
        if parsed.kind == "time":
            assert parsed.millis is not None
            assert parsed.canonical == canonical_mark(parsed.millis, parsed.precision)
            again = parse_mark(parsed.canonical)
            assert (again.millis, again.canonical) == (parsed.millis, parsed.canonical)


@given(st.one_of(st.text(st.characters()), MARK_LIKE), st.sampled_from(DISCIPLINES))
def test_any_text_gives_a_result_of_one_shape(text: str, discipline: str | None) -> None:
    parsed = parse_mark(text, discipline)
    assert (parsed.millis is not None) == (parsed.kind == "time") == (parsed.canonical is not None)
    assert (parsed.status is not None) == (parsed.kind == "status")
    assert (parsed.reason is not None) == (parsed.kind in {"ambiguous", "invalid"})
    assert (parsed.suggestion is None) == (parsed.suggestion_millis is None)


@pytest.mark.parametrize(
    "text", ["9" * 10_000, "13:45." + "9" * 10_000, "(" * 10_000, "13:45.67" + "(a)" * 3_000, "0." + "1" * 10_000]
)
def test_no_length_is_too_great(text: str) -> None:
    parse_mark(text, "m5000")


@pytest.mark.parametrize("table", [MEN, WOMEN])
def test_bounds_are_in_order_and_hold_the_best(table: dict[str, MarkBounds]) -> None:
    assert table.keys() == (TRACK_DISCIPLINES | ROAD_DISCIPLINES) - {"ekiden_leg"}
    for limits in table.values():
        assert limits.best_millis is not None
        assert limits.holds(limits.best_millis)
