"""What holds for every rule of person normalization, whatever the rows."""

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
from graphs.rules.person_normalization.registry import RULES
from graphs.rules.rule import EVIDENCE_ROWS, RuleContext
from tests.graphs.rules.facts_builder import build_snapshot

CONTEXT = RuleContext(
    today=date(2026, 11, 1), now=datetime(2026, 11, 1, 3, tzinfo=UTC), configuration=RuleConfiguration()
)
NAMES = (
    "例見 太郎",
    "例見太郎",
    "例見太郎(3)",
    "髙例 太",
    "高例 太",
    "二?見太郎",
    "ｻﾐｭｴﾙ･ﾐﾎﾝｹﾞｲ",
    "サミュエル ミホンゲイ",
    "Ｓ.ミホンゲイ",
    "N/A",
    "・",
    "",
    "\ud800例",
)
ORGANIZATIONS = (None, "high_school:架空高校", "university:例示大学", "corporate_team:例示工業")
RACE_DAYS = (date(2020, 1, 2), date(2024, 1, 2))
SLUGS = ("reimi-taro", "taro-reimi", "person-e4b8ade9878c20e68b93e6b5", "person-", "")

results = st.fixed_dictionaries(
    {
        "race": st.one_of(
            st.fixed_dictionaries(
                {"leg": st.integers(1, 3), "on": st.sampled_from([date(2020, 1, 2), date(2024, 1, 2)])}
            ),
            st.fixed_dictionaries({"leg": st.none(), "year": st.integers(1920, 2026)}),
        ),
        "organization": st.sampled_from(
            [None, "high_school:架空高校", "university:例示大学", "corporate_team:例示工業"]
        ),
        "mark": st.sampled_from([None, "", "1:02:30", "DNS"]),
        "grade_at_race": st.none() | st.integers(-1, 12),
        "is_leftover": st.booleans(),
    }
)
people = st.fixed_dictionaries(
    {
        "name_ja": st.sampled_from(NAMES) | st.text(max_size=6),
        "slug": st.sampled_from(SLUGS),
        "kana": st.sampled_from([None, "", "レイミ タロウ", "れい", "?"]),
        "roman": st.sampled_from([None, "", "Taro Reimi", "Reimi Taro", "T."]),
        "birth_date": st.none() | st.just(date(2002, 6, 15)),
    }
)
athletes = st.fixed_dictionaries(
    {
        "person": people,
        "results": st.lists(results, max_size=5),
        "source_references": st.lists(
            st.fixed_dictionaries({"name_ja": st.none() | st.sampled_from(NAMES)}), max_size=2
        ),
        "candidates": st.lists(
            st.fixed_dictionaries(
                {
                    "person": people,
                    "results": st.lists(results, max_size=3),
                    "shared_keys": st.just(["strict", "roman", "slug", "foreign", "lost_character"]),
                }
            ),
            max_size=6,
        ),
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


@settings(max_examples=120, deadline=None)
@given(athletes)
def test_no_rule_breaks_and_every_finding_has_its_own_key(given_athlete: dict[str, Any]) -> None:
    audit = evaluate_family(Category.PERSON_NORMALIZATION, Athlete(build_snapshot(given_athlete)), CONTEXT)

    assert audit.not_evaluated == ()
    fingerprints = [finding.fingerprint for finding in audit.findings]
    assert len(fingerprints) == len(set(fingerprints))


@settings(max_examples=120, deadline=None)
@given(athletes, st.randoms(use_true_random=False))
def test_findings_do_not_depend_on_the_order_of_rows(given_athlete: dict[str, Any], random: Any) -> None:
    snapshot = build_snapshot(given_athlete)
    shuffled = {name: list(getattr(snapshot, name)) for name in ("results", "candidates", "source_references")}
    for rows in shuffled.values():
        random.shuffle(rows)

    assert outcomes(snapshot) == outcomes(replace(snapshot, **{name: tuple(rows) for name, rows in shuffled.items()}))


@settings(max_examples=60, deadline=None)
@given(athletes, st.sampled_from(["N/A", "不明", "・", "　", ""]))
def test_a_placeholder_is_a_candidate_of_no_rule(given_athlete: dict[str, Any], name: str) -> None:
    given_athlete["person"]["name_ja"] = name
    given_athlete["person"]["search_key"] = name.strip("　")
    for candidate in given_athlete["candidates"]:
        candidate["person"]["name_ja"] = name

    fired = {outcome[0] for outcome in outcomes(build_snapshot(given_athlete))}

    assert "PN16" in fired
    assert fired <= {"PN16", "PN09"}


@pytest.mark.parametrize(
    ("missing", "unevaluated"),
    [
        ("candidates", {"PN01", "PN02", "PN03", "PN04", "PN06", "PN07", "PN09"}),
        ("source_references", {"PN01", "PN02", "PN03", "PN11"}),
        ("personal_bests", {"PN01", "PN02", "PN03"}),
        ("results", {"PN01", "PN02", "PN03", "PN08", "PN09", "PN10"}),
        ("memberships", {"PN01", "PN02", "PN03", "PN10"}),
        ("merge_records", {"PN01", "PN02", "PN03", "PN14"}),
        ("name_variants", set[str]()),
    ],
)
def test_rules_without_the_rows_that_failed_still_run(missing: str, unevaluated: set[str]) -> None:
    snapshot = build_snapshot(
        {
            "person": {"name_ja": "例見太郎"},
            "results": [
                {"race": {"leg": 1, "on": date(2024, 1, 2)}, "organization": "university:例示大学", "mark": "1:03:00"},
                {"race": {"leg": 1, "on": date(2025, 1, 2)}, "organization": "university:例示大学", "mark": "1:03:00"},
            ],
            "candidates": [{"person": {"name_ja": "例見太郎"}}],
        }
    )
    rows = Unavailable[Any](table=missing, code="permission_denied", message=f"cannot read {missing}")

    audit = evaluate_family(Category.PERSON_NORMALIZATION, Athlete(replace(snapshot, **{missing: rows})), CONTEXT)

    assert {rule.rule for rule in audit.not_evaluated} == unevaluated


def test_long_evidence_is_cut_with_a_count() -> None:
    athlete = {
        "person": {"name_ja": "高例 太", "birth_date": None},
        "candidates": [{"person": {"name_ja": "髙例 太"}, "shared_keys": ["variant"]} for _ in range(25)],
    }

    (outcome,) = [o for o in outcomes(build_snapshot(athlete)) if o[0] == "PN04"]

    assert len(outcome[4].members) == EVIDENCE_ROWS
    assert outcome[4].group_size == 26


def test_a_mixed_record_stays_one_finding_after_an_import() -> None:
    """An import deletes and re-creates results, so their ids must not be part of a key or of the evidence."""
    rows = [
        {"race": {"leg": leg, "on": date(2024, 1, 2)}, "organization": "university:例示大学", "mark": f"1:0{leg}:30"}
        for leg in (2, 5)
    ]
    again = [{"id": f"created-again-{row['race']['leg']}", **row} for row in rows]

    first, second = outcomes(build_snapshot({"results": rows})), outcomes(build_snapshot({"results": again}))

    assert [o[0] for o in first if o[0] == "PN08"] == ["PN08"]
    assert first == second
