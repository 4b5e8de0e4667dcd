"""Rules files: what they change, what each fault in one is called, and the example that comes with the product."""

import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from graphs.contracts import Category
from graphs.rules.athlete import Athlete
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.evaluate import evaluate_family
from graphs.rules.registry import enabled_rules, rule_set_version
from graphs.rules.rule import RuleContext
from keifu_quality.rule_configuration import RulesFileUnusable, load_rule_configuration
from keifu_quality.rules_file_example import rules_file_example
from tests.graphs.rules.facts_builder import build_snapshot

ROOT = Path(__file__).parents[2]


def load(directory: Path, text: str, *, has_payloads: bool = False) -> RuleConfiguration:
    path = directory / "rules.toml"
    path.write_text(text, encoding="utf-8")
    return load_rule_configuration(path, has_payloads=has_payloads)


def codes(configuration: RuleConfiguration) -> set[str]:
    return {rule.code for category in Category for rule in enabled_rules(category, configuration)}


def test_without_a_file_the_defaults_hold() -> None:
    assert load_rule_configuration(None) == RuleConfiguration()


def test_the_example_is_the_defaults_with_and_without_its_comment_marks(tmp_path: Path) -> None:
    example = (ROOT / "rules.toml").read_text(encoding="utf-8")
    uncommented = re.sub(r"(?m)^#(?=\w)", "", example)
    # What a rule works out from the thresholds and keeps is no setting.
    assert RuleConfiguration().membership_timeline.absent_team_slugs

    assert example == rules_file_example()
    assert load(tmp_path, example) == RuleConfiguration()
    assert load(tmp_path, uncommented) == RuleConfiguration()
    assert len(re.findall(r"(?m)^\w+ = ", uncommented)) == len(re.findall(r"(?m)^#\w+ = ", example)) > 60


def test_a_file_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    configuration = load(
        tmp_path,
        """
        as_of = 2026-09-30
        disabled_rules = ["pc01", "relation_cache_missing"]
        protected_slugs = ["reimi-taro"]

        [[known_distinct]]
        slugs = ["kakuu-jiro", "kakuu-jiro-2"]
        note = "Both ran in one race."

        [membership_timeline]
        handover_days = 45

        [personal_best_consistency.mark_bounds]
        m5000 = { floor_millis = 760000, ceiling_millis = 1200000 }
        """,
    )

    assert configuration.as_of == date(2026, 9, 30)
    assert configuration.disabled_rules == {"PC01", "RC01"}
    assert configuration.protected_slugs == {"reimi-taro"}
    assert configuration.known_distinct == (frozenset({"kakuu-jiro", "kakuu-jiro-2"}),)
    assert configuration.membership_timeline.handover_days == 45
    bounds = configuration.personal_best_consistency.mark_bounds
    assert bounds["m5000"].floor_millis == 760_000
    assert bounds["m800"] == RuleConfiguration().personal_best_consistency.mark_bounds["m800"]
    assert configuration.profile_coverage == RuleConfiguration().profile_coverage
    assert codes(configuration) == codes(RuleConfiguration()) - {"PC01", "RC01"} | {"PC08"}


def test_optional_rules_run_when_they_have_something_to_compare(tmp_path: Path) -> None:
    assert {"PC08", "PB14"}.isdisjoint(codes(load_rule_configuration(None)))
    assert "PB14" in codes(load_rule_configuration(None, has_payloads=True))
    assert "PC08" in codes(load(tmp_path, 'protected_slugs = ["a"]'))
    assert "PC08" not in codes(load(tmp_path, 'protected_slugs = ["a"]\ndisabled_rules = ["PC08"]'))


def test_a_note_is_no_part_of_what_rules_decide(tmp_path: Path) -> None:
    group = '[[known_distinct]]\nslugs = ["a", "b"]\n'

    assert rule_set_version(load(tmp_path, group)) == rule_set_version(load(tmp_path, f'{group}note = "why"'))
    assert rule_set_version(load(tmp_path, group)) != rule_set_version(RuleConfiguration())


def test_a_threshold_changes_the_version_and_no_fingerprint(tmp_path: Path) -> None:
    stay = {"organization": {"name_ja": "架空高校", "type": "high_school"}, "start_date": "2018-04-01"}
    athlete = Athlete(
        build_snapshot({"person": {"name_ja": "例見 太郎"}, "memberships": [stay | {"end_date": "2019-07-31"}]})
    )
    changed = load(tmp_path, "[membership_timeline]\nschool_length_tolerance_days = 90\nhandover_days = 60")
    now = datetime(2026, 11, 1, tzinfo=UTC)
    found = [
        [
            issue.fingerprint
            for category in Category
            for issue in evaluate_family(category, athlete, RuleContext(now.date(), now, configuration)).findings
        ]
        for configuration in (RuleConfiguration(), changed)
    ]

    assert found[0] == found[1] != []
    assert rule_set_version(changed) != rule_set_version(RuleConfiguration())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("as_of = 2026-13-01", r"not TOML.*line 1"),
        ('as_of = "soon"', r'as_of: .*date in the format YYYY-MM-DD.*found "soon"'),
        ('disabled_rules = ["MT99"]', r"disabled_rules\[0\]: there is no rule 'MT99'; the rules are PC01, .*RC05"),
        ('disabled_rules = ["membership_order_anomaly"]', r"there is no rule 'membership_order_anomaly'"),
        ("disabled_rules = [3]", r"disabled_rules\[0\]: should be a valid string; found 3"),
        ('disabled_rules = "PC01"', r'disabled_rules: should be a valid array; found "PC01"'),
        ('enabled_optional_rules = ["PC01"]', r"PC01 is on by default; optional are PC08, PB14"),
        ('enabled_optional_rules = ["PC08"]', r"PC08 needs protected_slugs"),
        ('enabled_optional_rules = ["PB14"]', r"PB14 needs import payloads: set KEIFU_PAYLOAD_DIRECTORY"),
        (
            'protected_slugs = ["a"]\ndisabled_rules = ["PC08"]\nenabled_optional_rules = ["PC08"]',
            r"PC08 is in disabled_rules too",
        ),
        ("thresholds = 3", r"thresholds: there is no such key; the keys here are as_of, .*relation_cache"),
        (
            "[membership_timeline]\nhandover_day = 3",
            r"membership_timeline\.handover_day: there is no such key; .*handover_days",
        ),
        ("[membership_timeline]\nhandover_days = -1", r"handover_days: should be greater than or equal to 0; found -1"),
        ('[membership_timeline]\nhandover_days = "31"', r'handover_days: should be a valid integer; found "31"'),
        ("[profile_coverage]\nheight_cm = [210, 140]", r"height_cm: give the lowest value first"),
        (
            "[personal_best_consistency.mark_bounds]\nm5k = { floor_millis = 1, ceiling_millis = 2 }",
            r"mark_bounds: m5k is no discipline with bounds; they are m800, .*marathon",
        ),
        (
            "[personal_best_consistency.mark_bounds]\nm800 = { floor_millis = 3, ceiling_millis = 2 }",
            r"m800: floor_millis must be positive and below ceiling_millis",
        ),
        (
            "[personal_best_consistency.mark_bounds]\nm800 = { floor_millis = 1, ceiling_millis = 2, women = true }",
            r"mark_bounds\.m800\.women: there is no such key; the keys here are floor_millis, ceiling_millis",
        ),
        (
            "[personal_best_consistency.national_records]\nmarathon = 0",
            r"national_records: marathon: a record is a positive number",
        ),
        ('[[known_distinct]]\nslugs = ["a", "a"]', r"known_distinct\[0\]\.slugs: .*two different slugs"),
        ('[[known_distinct]]\nslugs = ["a", "b c"]', r"known_distinct\[0\]\.slugs\[1\]: .*found \"b c\""),
        ('[[known_distinct]]\nslug = ["a", "b"]', r"known_distinct\[0\]\.slug: .*the keys here are slugs, note"),
        (
            '[[known_distinct]]\nslugs = ["a", "b"]\n[[known_distinct]]\nslugs = ["b", "c"]',
            r"known_distinct\[1\]\.slugs: b is in known_distinct\[0\] already",
        ),
    ],
)
def test_each_fault_is_named_with_file_key_and_what_is_allowed(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RulesFileUnusable, match=rf"(?s)rules\.toml cannot be used:.*{said}"):
        load(tmp_path, text)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(RulesFileUnusable) as raised:
        load(tmp_path, 'protected_slugs = [1]\nnone = 1\ndisabled_rules = ["X"]\n[[known_distinct]]\nslugs = ["a"]')

    assert [line.split(":")[0] for line in str(raised.value).splitlines()[1:]] == [
        "known_distinct[0].slugs",
        "disabled_rules[0]",
        "protected_slugs[0]",
        "none",
    ]


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    assert load(tmp_path, "\ufeffas_of = 2026-03-01").as_of == date(2026, 3, 1)


@pytest.mark.parametrize("content", [None, "as_of = 1 # 駅".encode("shift_jis")])
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "missing.toml"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(RulesFileUnusable, match=r"missing\.toml cannot be used: (No such file|it is not UTF-8)"):
        load_rule_configuration(path)
