"""What the family keeps between athletes: nothing of one reaches another, nothing unreadable passes for read."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.facts import FactsUnavailableError, Snapshot, Unavailable
from graphs.rules.athlete import Athlete
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.person_normalization.career import career_of, impossibilities, may_be_impossible
from graphs.rules.person_normalization.group import own_record
from graphs.rules.person_normalization.registry import RULES
from graphs.rules.rule import Finding, RuleContext
from tests.graphs.rules.facts_builder import build_snapshot

CONTEXT = RuleContext(
    today=date(2026, 11, 1), now=datetime(2026, 11, 1, 3, tzinfo=UTC), configuration=RuleConfiguration()
)
ORGANIZATIONS = ("high_school:架空高校", "high_school:例示高専", "university:例示大学", "corporate_team:例示工業")


def _result(organization: str, year: int, **more: Any) -> dict[str, Any]:
    return {"race": {"leg": 1, "on": date(year, 10, 20)}, "organization": organization, "mark": "15:00", **more}


def _snapshot(own: Sequence[dict[str, Any]], others: Sequence[dict[str, Any]]) -> Snapshot:
    person = {"id": "other", "slug": "reimi-taro-2", "name_ja": "例見太郎"}
    namesake = {"person": person, "shared_keys": ["strict"], "results": list(others)}
    return build_snapshot(
        {"person": {"id": "own", "name_ja": "例見太郎"}, "results": list(own), "candidates": [namesake]}
    )


def _findings(snapshot: Snapshot) -> list[Finding]:
    athlete = Athlete(snapshot)
    return [finding for rule in RULES for finding in rule.check(athlete, CONTEXT)]


def test_the_same_ids_with_other_facts_give_other_findings():
    one_class = _snapshot(
        [_result("high_school:架空高校", 2020, grade_at_race=1)],
        [_result("high_school:架空高校", 2021, grade_at_race=2)],
    )
    a_generation_apart = _snapshot(
        [_result("high_school:架空高校", 2020, grade_at_race=1)],
        [_result("high_school:架空高校", 1990, grade_at_race=2)],
    )
    first, second = _findings(one_class), _findings(a_generation_apart)
    assert [f.severity for f in first] != [f.severity for f in second]
    assert (_findings(one_class), _findings(a_generation_apart)) == (first, second)


@pytest.mark.parametrize("section", ["memberships", "results", "source_references", "personal_bests"])
def test_an_unreadable_section_of_a_namesake_raises_after_it_was_readable(section: str):
    snapshot = _snapshot([_result("high_school:架空高校", 2020)], [_result("high_school:架空高校", 2021)])
    assert _findings(snapshot)
    unreadable: Unavailable[Any] = Unavailable("RaceResult", "unreadable", "no such column")
    candidate = replace(snapshot.candidates[0], **{section: unreadable})
    with pytest.raises(FactsUnavailableError):
        _findings(replace(snapshot, candidates=(candidate,)))


@pytest.mark.parametrize("section", ["memberships", "results", "source_references", "candidates"])
def test_an_unreadable_section_of_the_athlete_raises_after_it_was_readable(section: str):
    own = [_result("high_school:架空高校", 2020), _result("high_school:架空高校", 2021)]
    snapshot = _snapshot(own, [_result("high_school:架空高校", 2021)])
    assert _findings(snapshot)
    unreadable: Unavailable[Any] = Unavailable("RaceResult", "unreadable", "no such column")
    with pytest.raises(FactsUnavailableError):
        _findings(replace(snapshot, **{section: unreadable}))


results = st.fixed_dictionaries(
    {
        "race": st.fixed_dictionaries({"leg": st.just(1), "on": st.dates(date(2000, 1, 1), date(2026, 1, 1))})
        | st.fixed_dictionaries({"leg": st.just(1), "year": st.integers(1960, 2026)}),
        "organization": st.sampled_from(ORGANIZATIONS),
        "mark": st.just("15:00"),
        "grade_at_race": st.none() | st.integers(-1, 6),
    }
)


@settings(max_examples=300, deadline=None)
@given(st.lists(results, max_size=4))
def test_the_short_look_at_a_career_misses_nothing(rows: list[dict[str, Any]]):
    record = own_record(Athlete(build_snapshot({"person": {"name_ja": "例見太郎"}, "results": rows})))
    limits = {"gap_years": 2, "longest_years": 35}
    if list(impossibilities(career_of(record), record.memberships, **limits)):
        assert may_be_impossible(record, **limits)
