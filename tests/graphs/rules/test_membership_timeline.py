"""What holds for every rule of the membership timeline, whatever the rows."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.contracts import Category
from graphs.facts import Snapshot, Unavailable
from graphs.rules.athlete import Athlete
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.evaluate import evaluate_family
from graphs.rules.membership_timeline.registry import RULES
from graphs.rules.rule import EVIDENCE_ROWS, RuleContext
from tests.graphs.rules.facts_builder import build_snapshot

CONTEXT = RuleContext(
    today=date(2026, 11, 1), now=datetime(2026, 11, 1, 3, tzinfo=UTC), configuration=RuleConfiguration()
)
ORGANIZATIONS = (
    "junior_high_school:例示市東中(秋田)",
    "junior_high_school:東中@秋田県",
    "high_school:架空学園附属高校",
    "high_school:架空学園付属",
    "high_school:例示高専",
    "university:例示大学",
    "university:架空大学",
    "university:例示学連選抜",
    "corporate_team:架空電気",
    "corporate_team:例示急便",
    "company:架空電気",
    "club:例示クラブ",
    "prefecture_representative:例示県",
)

days = st.none() | st.dates(date(1990, 1, 1), date(2030, 12, 31)) | st.dates()
years = st.none() | st.integers(1990, 2030) | st.integers(-5, 10_005)
memberships = st.fixed_dictionaries(
    {
        "organization": st.sampled_from(ORGANIZATIONS),
        "start_date": days,
        "end_date": days,
        "start_year": years,
        "end_year": years,
        "type": st.sampled_from(["origin", "enrolled", "affiliated", "graduated"]),
        "role": st.sampled_from(["athlete", "athlete", "coach"]),
        "status": st.sampled_from(["pending", "conflicting", "verified"]),
        "notes": st.sampled_from([None, "", "大学院"]),
        "source": st.sampled_from([None, 1, 3, 5]),
    }
)
races = st.one_of(
    st.dates(date(1990, 1, 1), date(2030, 12, 31)).map(lambda day: {"leg": 1, "on": day}),
    st.integers(1920, 2030).map(lambda year: {"leg": 1, "year": year}),
)
results = st.fixed_dictionaries(
    {
        "race": races,
        "organization": st.none() | st.sampled_from(ORGANIZATIONS),
        "mark": st.sampled_from([None, "", "28:00", "DNS"]),
        "grade_at_race": st.none() | st.integers(-1, 12),
    }
)
athletes = st.fixed_dictionaries(
    {
        "person": st.fixed_dictionaries({"birth_date": days, "nationality": st.sampled_from([None, "JPN", "KEN"])}),
        "memberships": st.lists(memberships, max_size=6),
        "results": st.lists(results, max_size=6),
    }
)


def outcomes(snapshot: Snapshot) -> list[tuple[Any, ...]]:
    """Every finding of the family, as far as a reader sees it."""
    athlete = Athlete(snapshot)
    return [
        (rule.code, f.key, f.severity, f.detail, f.evidence, f.actionable)
        for rule in RULES
        for f in rule.check(athlete, CONTEXT)
    ]


@settings(max_examples=150, deadline=None)
@given(athletes, st.randoms(use_true_random=False))
def test_findings_do_not_depend_on_the_order_of_rows(given_athlete: dict[str, Any], random: Any) -> None:
    snapshot = build_snapshot(given_athlete)
    rows, races_run = list(snapshot.memberships), list(snapshot.results)
    random.shuffle(rows)
    random.shuffle(races_run)
    assert outcomes(snapshot) == outcomes(replace(snapshot, memberships=tuple(rows), results=tuple(races_run)))


@settings(max_examples=150, deadline=None)
@given(athletes)
def test_every_finding_has_its_own_key_and_no_rule_breaks(given_athlete: dict[str, Any]) -> None:
    audit = evaluate_family(Category.MEMBERSHIP_TIMELINE, Athlete(build_snapshot(given_athlete)), CONTEXT)
    assert audit.not_evaluated == ()
    fingerprints = [f.fingerprint for f in audit.findings]
    assert len(fingerprints) == len(set(fingerprints))


@settings(max_examples=100, deadline=None)
@given(athletes)
def test_rows_marked_conflicting_suggest_no_review_of_two_stays(given_athlete: dict[str, Any]) -> None:
    for row in given_athlete["memberships"]:
        row["status"] = "conflicting"
    reviewed = {"MT01", "MT02", "MT03", "MT04", "MT17", "MT18"}
    assert not [o for o in outcomes(build_snapshot(given_athlete)) if o[0] in reviewed and o[-1]]


def test_coaches_have_no_timeline() -> None:
    athlete = {
        "person": {"type": "coach"},
        "memberships": [
            {"organization": "prefecture_representative:例示県"},
            {"organization": "university:例示大学", "start_date": date(2024, 4, 1), "end_date": date(2020, 3, 31)},
            {"organization": "high_school:架空高校", "start_date": date(2030, 4, 1)},
        ],
        "results": [{"race": {"leg": 1, "on": date(2015, 1, 2)}, "organization": "university:例示大学"}],
    }
    assert outcomes(build_snapshot(athlete)) == []
    assert outcomes(build_snapshot({**athlete, "person": {"type": "athlete"}})) != []


@pytest.mark.parametrize(
    ("missing", "unevaluated"),
    [
        ("results", {"MT10", "MT11", "MT12", "MT13", "MT16"}),
        ("memberships", {rule.code for rule in RULES} - {"MT13", "MT16"}),
    ],
)
def test_rules_without_the_rows_that_failed_still_run(missing: str, unevaluated: set[str]) -> None:
    snapshot = build_snapshot(
        {
            "memberships": [
                {"organization": "high_school:架空高校", "start_date": date(2019, 4, 1), "end_date": date(2022, 3, 31)},
                {"organization": "university:例示大学", "start_date": date(2022, 4, 1), "end_date": date(2026, 3, 31)},
            ],
            "results": [
                {"race": {"leg": 1, "on": date(2024, 1, 2)}, "organization": "university:例示大学", "grade_at_race": 2},
                {"race": {"leg": 1, "on": date(2025, 1, 2)}, "organization": "university:例示大学", "grade_at_race": 3},
            ],
        }
    )
    rows = Unavailable(table=missing, code="permission_denied", message=f"cannot read {missing}")
    broken = replace(snapshot, **{missing: rows})
    audit = evaluate_family(Category.MEMBERSHIP_TIMELINE, Athlete(broken), CONTEXT)
    assert {rule.rule for rule in audit.not_evaluated} == unevaluated


def test_long_evidence_is_cut_with_a_count() -> None:
    athlete = {
        "memberships": [
            {"organization": "university:例示大学", "start_date": date(2012, 4, 1), "end_date": date(2016, 3, 31)}
        ],
        "results": [
            {"race": {"leg": leg, "on": date(2020, 1, 2)}, "organization": "university:例示大学"}
            for leg in range(1, 26)
        ],
    }
    (outcome,) = [o for o in outcomes(build_snapshot(athlete)) if o[0] == "MT11"]
    assert len(outcome[4].results) == EVIDENCE_ROWS
    assert outcome[4].result_count == 25


def test_result_findings_survive_an_import() -> None:
    """An import deletes and re-creates results, so their ids must not be part of a natural key."""
    athlete = {"results": [{"race": {"leg": 1, "on": date(2024, 11, 3)}, "organization": "university:例示大学"}]}
    renamed = {"results": [{"id": "created-again", **athlete["results"][0]}]}
    first, second = outcomes(build_snapshot(athlete)), outcomes(build_snapshot(renamed))
    assert first == second != []
