"""Properties of all personal-best rules: any row is survived, and the order of the rows does not matter."""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs.facts import FactsUnavailableError, Snapshot
from graphs.rules.athlete import Athlete
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.personal_best_consistency.registry import RULES
from graphs.rules.rule import Finding, Rule, RuleContext, evidence_json
from tests.graphs.rules.facts_builder import build_snapshot

CONTEXT = RuleContext(today=date(2026, 11, 1), now=datetime(2026, 11, 1, tzinfo=UTC), configuration=RuleConfiguration())

MARKS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["13:45.67", "13:45.6", "13:45.6h", "62:10", ":59:49", "8.03.43", "DNS", "", "13:75.00", "0.0434027"]
    ),
    st.builds(lambda m, s, f: f"{m}:{s:02}.{f:02}", st.integers(1, 130), st.integers(0, 59), st.integers(0, 99)),
)
DISCIPLINES = st.sampled_from(
    ["m800", "m3000", "m3000sc", "m5000", "m10000", "half_marathon", "marathon", "ekiden_leg"]
)
BESTS = st.fixed_dictionaries(
    {
        "discipline": DISCIPLINES,
        "mark": MARKS,
        "mark_millis": st.one_of(st.none(), st.integers(-1, 20_000_000)),
        "achieved_on": st.one_of(st.none(), st.dates()),
        "competition_name": st.one_of(st.none(), st.sampled_from(["", "例示記録会", "2024/4/31"])),
        "stage": st.one_of(st.none(), st.sampled_from(["", "高校", "university", "?"])),
        "is_high_school_pb": st.booleans(),
        "is_college_pb": st.booleans(),
        "status": st.sampled_from(["pending", "conflicting", "verified"]),
        "notes": st.one_of(st.none(), st.text(max_size=20), st.just("conflict: 第9回 | incoming_reliability=3")),
        "source": st.one_of(st.none(), st.just(3)),
        "organization_exists": st.booleans(),
        "organization_id": st.one_of(st.none(), st.just("org-1")),
    }
)
RESULTS = st.fixed_dictionaries(
    {
        "race": st.one_of(
            st.fixed_dictionaries({"discipline": DISCIPLINES, "year": st.integers(1920, 2026)}),
            st.fixed_dictionaries({"leg": st.integers(1, 10), "on": st.dates(date(1920, 1, 1), date(2026, 1, 1))}),
        ),
        "mark": MARKS,
        "notes": st.one_of(st.none(), st.sampled_from(["PB", "参考", ""])),
    }
)
MEMBERSHIPS = st.fixed_dictionaries(
    {
        "organization": st.sampled_from(["high_school:架空高校", "university:例示大学", "corporate_team:架空通運"]),
        "start_date": st.one_of(st.none(), st.dates()),
        "end_date": st.one_of(st.none(), st.dates()),
    }
)


def findings_of(snapshot: Snapshot) -> Iterator[tuple[str, Finding]]:
    """Every finding of every rule of the family, optional ones included."""
    athlete = Athlete(snapshot)
    for rule in RULES:
        for finding in rule.check(athlete, CONTEXT):
            assert finding.severity in rule.severities
            assert isinstance(finding.evidence, rule.evidence_type)
            yield rule.code, finding


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(BESTS, max_size=6), st.lists(RESULTS, max_size=4), st.lists(MEMBERSHIPS, max_size=3), st.integers())
def test_any_rows_give_the_same_findings_in_any_order(
    bests: list[dict[str, object]], results: list[dict[str, object]], memberships: list[dict[str, object]], seed: int
) -> None:
    rows = {
        "personal_bests": [{"id": f"pb{i}", **row} for i, row in enumerate(bests)],
        "results": [{"id": f"r{i}", **row} for i, row in enumerate(results)],
        "memberships": [{"id": f"m{i}", **row} for i, row in enumerate(memberships)],
    }
    shuffled = {name: random.Random(seed).sample(items, len(items)) for name, items in rows.items()}

    found = [
        (code, f.key, f.severity, f.detail, evidence_json(f.evidence)) for code, f in findings_of(build_snapshot(rows))
    ]
    again = [
        (code, f.key, f.severity, f.detail, evidence_json(f.evidence))
        for code, f in findings_of(build_snapshot(shuffled))
    ]

    assert found == again
    keys = [(code, key) for code, key, *_ in found]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.enabled_by_default], ids=lambda rule: rule.code)
def test_unreadable_bests_are_never_taken_for_none(rule: Rule) -> None:
    snapshot = build_snapshot(
        {
            "personal_bests": "unavailable",
            "results": [{"race": {"discipline": "m5000", "on": date(2025, 5, 5)}, "mark": "14:00.00"}],
        }
    )

    with pytest.raises(FactsUnavailableError):
        list(rule.check(Athlete(snapshot), CONTEXT))


def test_an_athlete_without_bests_needs_no_other_rows() -> None:
    snapshot = build_snapshot({"memberships": "unavailable"})

    assert list(findings_of(snapshot)) == []


def test_a_leg_of_a_wrong_length_blames_nobody() -> None:
    legs = [
        {
            "race": {"leg": 4, "on": date(2025, 11, 3), "distance_meters": 16_400},
            "mark": "25:36",
            "mark_millis": 1_536_000,
        }
    ]
    bests = [{"discipline": "m5000", "mark": "14:05.10", "mark_millis": 845_100}]

    assert list(findings_of(build_snapshot({"personal_bests": bests, "results": legs}))) == []
