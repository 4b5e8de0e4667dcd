"""The small readers of the personal-best rules: importer notes and dates that do not exist."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphs.rules.personal_best_consistency.calendar_text import impossible_date
from graphs.rules.personal_best_consistency.conflict_notes import edition_of, parse_notes

INSTANTS = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2040, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 the bounds must be naive


def importer_note(text: str, incoming: int, existing: int, newer: datetime | None, older: datetime | None) -> str:
    """A conflict as the importer appends it."""
    when = [
        moment.isoformat(timespec="milliseconds").replace("+00:00", "Z") if moment else "unknown"
        for moment in (newer, older)
    ]
    return (
        f"conflict: {text} | incoming_reliability={incoming} | existing_reliability={existing}"
        f" | incoming_recency={when[0]} | existing_recency={when[1]}"
    )


def bare(text: str) -> str:
    """The text without blanks and separators."""
    return "".join(re.sub(r"[|,;]", "", text).split())


class TestConflictNotes:
    def test_a_note_is_split_into_own_words_and_rivals(self) -> None:
        when = datetime(2026, 7, 9, 10, 0, tzinfo=UTC)
        parsed = parse_notes(
            f"一覧 | 要確認 | {importer_note('記録集', 4, 3, when, None)} | {importer_note('別冊', 1, 3, None, when)}"
        )

        assert parsed.own == "一覧 | 要確認"
        assert [note.text for note in parsed.conflicts] == ["記録集", "別冊"]
        first, second = parsed.conflicts
        assert (first.incoming_reliability, first.existing_reliability) == (4, 3)
        assert (first.incoming_recency, first.existing_recency) == (when, None)
        assert (first.rival_mark, second.rival_mark) == ("slower", "faster")

    def test_unknown_parts_stay_with_what_they_follow(self) -> None:
        parsed = parse_notes("conflict: 記録集 | 見直した | incoming_reliability=x | mood=good")

        assert parsed.own == ""
        assert parsed.conflicts[0].text == "記録集 | 見直した | mood=good"
        assert parsed.conflicts[0].incoming_reliability is None

    @pytest.mark.parametrize("notes", [None, "", "  |  | "])
    def test_empty_notes_hold_nothing(self, notes: str | None) -> None:
        parsed = parse_notes(notes)

        assert (parsed.own, parsed.conflicts) == ("", ())

    @given(st.integers(0, 5), st.integers(0, 5), INSTANTS, INSTANTS, st.booleans())
    def test_direction_inverts_the_importers_decision(
        self, incoming: int, existing: int, incoming_at: datetime, existing_at: datetime, faster: bool
    ) -> None:
        newer, older = incoming_at > existing_at, incoming_at < existing_at
        replaced = faster and (incoming > existing or (incoming == existing and not older))
        marked = not replaced and (
            (not faster and (incoming > existing or (incoming == existing and newer)))
            or (faster and (incoming < existing or (incoming == existing and older)))
        )
        note = parse_notes(importer_note("一覧", incoming, existing, incoming_at, existing_at)).conflicts[0]

        same_millisecond = abs(incoming_at - existing_at) < timedelta(milliseconds=1)
        if marked and not (incoming == existing and same_millisecond):
            assert note.rival_mark == ("faster" if faster else "slower")

    @given(st.text(), st.text())
    def test_any_text_is_read_and_only_separators_are_lost(self, own: str, rival: str) -> None:
        assume("conflict" not in (own + rival).casefold() and "incoming" not in rival and "existing" not in rival)
        parsed = parse_notes(f"{own} | conflict: {rival}")

        assert bare(parsed.own) == bare(own)
        assert [bare(note.text) for note in parsed.conflicts] == [bare(rival)]

    @pytest.mark.parametrize(
        "notes",
        [
            "一覧 | conflict: 記録集 | incoming_reliability=4 | existing_reliability=3",
            "一覧; Conflict: 記録集; incoming reliability: 4; existing reliability: 3",
            "一覧, CONFLICT：記録集, incomingReliability=4, existingReliability=3",
        ],
    )
    def test_other_separators_and_spellings_are_read_as_well(self, notes: str) -> None:
        parsed = parse_notes(notes)

        assert parsed.own == "一覧"
        assert [(note.text, note.rival_mark) for note in parsed.conflicts] == [("記録集", "slower")]

    @pytest.mark.parametrize(
        ("words", "mark"), [("一覧 13:58.20", "13:58.20"), ("1:02:10の記録", "1:02:10"), ("98回 2026-07-09", None)]
    )
    def test_a_mark_among_the_words_is_found(self, words: str, mark: str | None) -> None:
        when = "incoming_recency=2026-07-09T10:00:00.000Z"

        assert parse_notes(f"conflict: {words} | {when}").conflicts[0].mark == mark


class TestEditions:
    @pytest.mark.parametrize(
        ("older", "newer", "expected"),
        [
            ("第98回例示駅伝 一覧", "第102回例示駅伝 一覧", True),
            ("第１０２回例示駅伝", "第98回 例示駅伝", False),
            ("第57回架空駅伝", "第102回例示駅伝", None),
            ("reiji-ekiden-98-leg-3", "reiji-ekiden-102-leg-10", True),
            ("2021年架空記録会", "2025年例示駅伝", True),
            ("記録集", "第102回例示駅伝", None),
            ("第102回例示駅伝", "第102回例示駅伝", False),
        ],
    )
    def test_lists_are_compared_only_where_that_makes_sense(
        self, older: str, newer: str, expected: bool | None
    ) -> None:
        assert edition_of(older).is_older_than(edition_of(newer)) is expected

    def test_the_first_telling_text_counts(self) -> None:
        assert edition_of("", None, "一覧", "第102回例示駅伝").number == 102

    @given(st.text())
    def test_any_text_is_read(self, text: str) -> None:
        mention = edition_of(text)

        assert mention.number is None or mention.series is not None


class TestImpossibleDates:
    @given(
        st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)),
        st.sampled_from(["{0}/{1}/{2}", "{0}年{1}月{2}日"]),
    )
    def test_real_days_are_never_reported(self, day: date, form: str) -> None:
        assert impossible_date(form.format(day.year, day.month, day.day)) is None

    @pytest.mark.parametrize(
        ("text", "rolled_over"),
        [
            ("2024/4/31", date(2024, 5, 1)),
            ("2023年2月29日", date(2023, 3, 1)),
            ("2023-02-31 例示記録会", date(2023, 3, 3)),
            ("２０２４/１１/３１", date(2024, 12, 1)),
        ],
    )
    def test_the_day_that_a_lenient_reader_makes_of_it(self, text: str, rolled_over: date) -> None:
        found = impossible_date(text)

        assert found is not None
        assert found.rolled_over == rolled_over

    @pytest.mark.parametrize("text", [None, "", "2024/13/1", "2024/4/32", "13:45.67", "12024/4/31"])
    def test_what_is_no_date_is_left_alone(self, text: str | None) -> None:
        assert impossible_date(text) is None

    @given(st.text())
    def test_any_text_is_read(self, text: str) -> None:
        found = impossible_date(text)

        assert found is None or found.text
