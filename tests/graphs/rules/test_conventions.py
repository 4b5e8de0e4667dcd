"""What every rule has: documentation, typed evidence, cases, a place in the documents, a harmless action."""

import inspect
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from graphs.contracts import ActionType, Category, Severity
from graphs.rules.registry import FAMILIES, RESERVED_NAMES, all_rules
from graphs.rules.rule import Evidence, Rule
from keifu_quality.rule_reflection import SECTIONS, evidence_types, rule_sections
from tests.graphs.rules.case_files import CASES, read_case_file
from tests.graphs.rules.evidence_field_list import current_fields, recorded_fields

ROOT = Path(__file__).parents[3]

PREFIXES = {
    Category.PROFILE_COVERAGE: "PC",
    Category.MEMBERSHIP_TIMELINE: "MT",
    Category.PERSON_NORMALIZATION: "PN",
    Category.PERSONAL_BEST_CONSISTENCY: "PB",
    Category.RELATION_CACHE: "RC",
}
JUDGEMENTS = {"PN02", "PN04", "PN05", "PN06", "PN10", "MT18"}
OPTIONAL = {"PC08", "PB14"}

COMMAND = re.compile(
    r"pnpm tsx scripts/maintenance/(?P<script>[a-z0-9-]+)\.ts(?P<arguments>(?: --[a-z-]+(?:=\{slug\})?)*)"
)
HARMLESS_SCRIPTS = {
    "recompute-player-relations": " --slugs={slug}",
    "merge-organization-alias-groups": " --dry-run",
    "deduplicate-memberships": " --dry-run",
    "backfill-organization-prefectures": " --dry-run",
    # Dry unless --apply is given.
    "repair-membership-transition-timelines": "",
    "audit-profile-coverage": "",
    "audit-membership-timeline-consistency": "",
    "audit-personal-best-consistency": "",
    "audit-import-regression-risk": "",
}
"""The site's scripts that an action may name as a command, with the only arguments under which they change no facts."""

each_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


def test_codes_and_names_are_unique_and_nothing_retired_is_used() -> None:
    codes, names = [rule.code for rule in all_rules()], [rule.name for rule in all_rules()]

    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)
    assert not RESERVED_NAMES & set(names)


@pytest.mark.parametrize("category", list(Category))
def test_a_family_lists_its_rules_in_code_order(category: Category) -> None:
    codes = [rule.code for rule in FAMILIES[category]]

    assert codes == sorted(codes)
    assert codes
    assert {rule.category for rule in FAMILIES[category]} == {category}


@each_rule
def test_code_name_and_place_go_together(rule: Rule) -> None:
    module = inspect.getmodule(type(rule))
    assert module is not None

    assert re.fullmatch(PREFIXES[rule.category] + r"\d{2}", rule.code)
    assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)+", rule.name)
    assert module.__name__.startswith(f"graphs.rules.{rule.category.value}.{rule.code.lower()}_")
    assert (module.__doc__ or "").startswith(f"{rule.code}: ")


@each_rule
def test_the_docstring_is_the_documentation(rule: Rule) -> None:
    assert tuple(rule_sections(rule)) == SECTIONS
    assert 8 <= len(rule.title()) <= 80
    assert rule.title()[0].isupper()


@each_rule
def test_severities_are_declared_once(rule: Rule) -> None:
    assert rule.severities
    assert len(set(rule.severities)) == len(rule.severities)
    assert all(isinstance(severity, Severity) for severity in rule.severities)


@each_rule
def test_evidence_is_closed_and_typed(rule: Rule) -> None:
    for kind in evidence_types(rule.evidence_type):
        assert issubclass(kind, Evidence)
        assert is_dataclass(kind)
        assert fields(kind), f"{kind.__name__} holds nothing"
        assert "__slots__" in vars(kind), f"{kind.__name__} has no slots"
        assert kind.__dataclass_params__.frozen, f"{kind.__name__} is not frozen"  # pyright: ignore[reportAttributeAccessIssue]
        assert kind.__doc__
        assert not kind.__doc__.startswith(f"{kind.__name__}("), f"{kind.__name__} has no docstring of its own"


def test_evidence_fields_are_one_closed_sorted_list() -> None:
    recorded = recorded_fields()

    assert recorded == sorted(set(recorded))
    assert recorded == current_fields(), "a decision: see tests/graphs/rules/evidence_field_list.py"


@each_rule
def test_a_rule_has_cases_that_fire_and_cases_that_stay_silent(rule: Rule) -> None:
    document = read_case_file(CASES / f"{rule.code}.yml")

    assert document["rule"] == rule.code
    assert len(document["fires"]) >= 2
    assert len(document["silent"]) >= 2
    assert all(case["story"].strip() for kind in ("fires", "silent") for case in document[kind].values())


def test_every_case_file_belongs_to_a_rule() -> None:
    assert {path.stem for path in CASES.glob("*.yml")} == {rule.code for rule in all_rules()}


@each_rule
def test_a_rule_is_in_the_documents(rule: Rule) -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert f"\n### {rule.code} {rule.name}\n" in page
    assert f"| `{rule.name}` |" in readme


@each_rule
def test_an_action_never_writes_unasked(rule: Rule) -> None:
    if rule.action is None or rule.action.command is None:
        return
    command = COMMAND.fullmatch(rule.action.command)

    assert command is not None, f"{rule.action.command!r} is no known form of command"
    assert command["script"] in HARMLESS_SCRIPTS, f"{command['script']} is not on the list of harmless scripts"
    assert command["arguments"] == HARMLESS_SCRIPTS[command["script"]]
    assert rule.action.type in (ActionType.SCRIPT, ActionType.RECOMPUTE)


@each_rule
def test_an_action_says_why(rule: Rule) -> None:
    if rule.action is None:
        return

    assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", rule.action.name)
    assert rule.action.reason.endswith(".")


def test_judgements_and_optional_rules_are_the_agreed_ones() -> None:
    assert {rule.code for rule in all_rules() if rule.judgement} == JUDGEMENTS
    assert {rule.code for rule in all_rules() if not rule.enabled_by_default} == OPTIONAL
