"""The weighing of two records, whatever their rows."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.facts import Judgement
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.weighing import Weighing, slugs_reversed, weigh
from graphs.rules.rule import RuleContext
from tests.graphs.rules.facts_builder import build_snapshot

CONTEXT = RuleContext(
    today=date(2026, 11, 1), now=datetime(2026, 11, 1, 3, tzinfo=UTC), configuration=RuleConfiguration()
)
ORGANIZATIONS = (
    "junior_high_school:例南中",
    "high_school:架空高校",
    "high_school:例示高校",
    "university:例示大学",
    "university:架空大学",
    "corporate_team:例示工業",
    "club:例示クラブ",
    "student_union_select:関東学生連合",
    "prefecture_representative:長野県",
)
RACE_DAYS = (date(2020, 1, 2), date(2024, 1, 2))

memberships = st.fixed_dictionaries(
    {
        "organization": st.sampled_from(ORGANIZATIONS),
        "start_date": st.none() | st.dates(date(2005, 1, 1), date(2026, 1, 1)) | st.dates(),
        "end_date": st.none() | st.dates(date(2005, 1, 1), date(2026, 1, 1)),
        "start_year": st.none() | st.integers(-5, 10_005),
        "end_year": st.none() | st.integers(2005, 2026),
    }
)
results = st.fixed_dictionaries(
    {
        "race": st.one_of(
            st.fixed_dictionaries(
                {"leg": st.integers(1, 3), "on": st.sampled_from([date(2020, 1, 2), date(2024, 1, 2)])}
            ),
            st.fixed_dictionaries({"leg": st.none() | st.just(1), "year": st.integers(1920, 2026)}),
        ),
        "organization": st.none() | st.sampled_from(ORGANIZATIONS),
        "mark": st.sampled_from(["1:02:30", "DNS", None, ""]),
        "grade_at_race": st.none() | st.integers(-1, 10),
        "is_leftover": st.booleans(),
    }
)
bests = st.fixed_dictionaries(
    {
        "discipline": st.sampled_from(["m5000", "m10000"]),
        "mark": st.just("x"),
        "mark_millis": st.none() | st.sampled_from([825_670, 1_692_340]),
    }
)
people = st.fixed_dictionaries(
    {
        "birth_date": st.none() | st.sampled_from([date(2002, 4, 1), date(2002, 4, 2), date(1985, 1, 1)]),
        "kana": st.sampled_from([None, "", "レイミ タロウ", "れいみたろう", "レイ ミ"]),
        "nationality": st.sampled_from([None, "JPN", "KEN"]),
        "slug": st.sampled_from(["a-b", "b-a", "person-a-b"]),
    }
)
records = st.fixed_dictionaries(
    {
        "person": people,
        "memberships": st.lists(memberships, max_size=3),
        "results": st.lists(results, max_size=4),
        "personal_bests": st.lists(bests, max_size=3),
        "source_references": st.lists(
            st.fixed_dictionaries({"entity_key": st.sampled_from(["k-1", "k-1#2", "k-2"])}), max_size=2
        ),
    }
)


def record(given_facts: dict[str, Any], person_id: str) -> Record:
    return Record(build_snapshot({**given_facts, "person": {**given_facts["person"], "id": person_id}}))


def kinds(weighing: Weighing) -> set[str]:
    return {item.kind for item in (*weighing.same, *weighing.different, *weighing.supporting)}


@given(records, records)
@settings(max_examples=150, deadline=None)
def test_weighing_is_symmetric(first: dict[str, Any], second: dict[str, Any]) -> None:
    a, b = record(first, "a"), record(second, "b")

    there, back = weigh(a, b, CONTEXT), weigh(b, a, CONTEXT)

    assert there.verdict == back.verdict
    assert kinds(there) == kinds(back)
    assert there.missing == back.missing


@given(records, records)
@settings(max_examples=150, deadline=None)
def test_row_order_changes_nothing(facts: dict[str, Any], other_facts: dict[str, Any]) -> None:
    other = record(other_facts, "b")
    built = build_snapshot({**facts, "person": {**facts["person"], "id": "a"}})
    turned = {
        name: tuple(reversed(getattr(built, name)))
        for name in ("memberships", "results", "personal_bests", "source_references")
    }

    straight, backwards = (weigh(Record(snapshot), other, CONTEXT) for snapshot in (built, replace(built, **turned)))

    assert straight == backwards


@given(records, records, st.sampled_from(["same", "different", "unsure"]))
@settings(max_examples=60, deadline=None)
def test_a_judgement_is_the_verdict(first: dict[str, Any], second: dict[str, Any], verdict: Any) -> None:
    judgement = Judgement(("a", "b"), verdict, None, "maintainer", datetime(2026, 8, 1, tzinfo=UTC))

    weighing = weigh(record(first, "a"), record(second, "b"), CONTEXT, judgements=[judgement])

    assert weighing.verdict == {"unsure": "uncertain"}.get(verdict, verdict)
    assert weighing.judgement is judgement


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("haruto-mitani", "mitani-haruto", True),
        ("haruto-mitani", "haruto-mitani", False),
        ("haruto", "haruto", False),
        ("haruto-mitani", "mitani-haruto-2", False),
        ("person-a-b", "b-a-person", False),
    ],
)
def test_slugs_of_two_romanisation_orders(first: str, second: str, expected: bool) -> None:
    assert slugs_reversed(first, second) is expected
    assert slugs_reversed(second, first) is expected
