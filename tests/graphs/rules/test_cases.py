"""Every YAML case of every rule: `fires` cases list the findings expected, `silent` cases expect none.

A case file `tests/cases/<CODE>.yml` reads

    rule: MT01
    fires:
      two_universities:
        story: why this case exists
        today: 2026-11-01          # optional
        athlete: {...}             # see facts_builder
        configuration: {...}       # optional
        expect:
          - severity: error
            detail: text that the detail contains        # optional
            evidence: {missing: [birthDate]}              # optional, a subset
            actionable: false                             # optional
    silent:
      alumni_club:
        story: ...
        athlete: {...}
"""

from datetime import UTC, date, datetime, time
from typing import Any

import pytest

from graphs.rules.athlete import Athlete
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.registry import rule_by_code
from graphs.rules.rule import EVIDENCE_ROWS, Finding, RuleContext, evidence_json
from tests.graphs.rules.case_files import CASES, read_case_file
from tests.graphs.rules.facts_builder import build_snapshot

DEFAULT_TODAY = date(2026, 11, 1)


def load_cases(kind: str) -> list[Any]:
    """All cases of a kind, as parameters named CODE-name."""
    parameters = []
    for path in sorted(CASES.glob("*.yml")):
        document = read_case_file(path)
        unknown = set(document) - {"rule", "fires", "silent"}
        assert not unknown, f"{path.name}: unknown keys {sorted(unknown)}"
        for name, case in (document.get(kind) or {}).items():
            parameters.append(pytest.param(document["rule"], case, id=f"{document['rule']}-{name}"))
    return parameters


def context_of(case: dict[str, Any]) -> RuleContext:
    """The day and the configuration of a case."""
    today = case.get("today", DEFAULT_TODAY)
    now = case.get("now") or datetime.combine(today, time(3, 0), tzinfo=UTC)
    return RuleContext(
        today=today,
        now=now if now.tzinfo else now.replace(tzinfo=UTC),
        configuration=RuleConfiguration.model_validate(case.get("configuration", {})),
    )


def run_case(code: str, case: dict[str, Any]) -> list[Finding]:
    """The findings of the case's rule on the case's athlete."""
    unknown = set(case) - {"story", "today", "now", "athlete", "configuration", "expect"}
    assert not unknown, f"unknown keys {sorted(unknown)}"
    athlete = Athlete(build_snapshot(case.get("athlete") or {}))
    return list(rule_by_code(code).check(athlete, context_of(case)))


def assert_subset(expected: Any, actual: Any, path: str = "evidence") -> None:
    """Every value that a case names is in the evidence."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert key in actual, f"{path}.{key} is missing; there is {sorted(actual)}"
            assert_subset(value, actual[key], f"{path}.{key}")
    elif isinstance(expected, list):
        assert len(expected) == len(actual), f"{path}: {actual}"
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            assert_subset(left, right, f"{path}[{index}]")
    elif isinstance(expected, date):
        assert expected.isoformat() == actual, path
    else:
        assert expected == actual, path


@pytest.mark.parametrize(("code", "case"), load_cases("fires"))
def test_rule_fires(code: str, case: dict[str, Any]) -> None:
    rule = rule_by_code(code)
    findings = run_case(code, case)
    expected = case["expect"]
    assert expected, "a case that fires expects at least one finding"
    assert len(findings) == len(expected), [f.detail for f in findings]
    assert len({f.key for f in findings}) == len(findings), "two findings share a natural key"
    for finding, wanted in zip(findings, expected, strict=True):
        unknown = set(wanted) - {"severity", "detail", "evidence", "actionable"}
        assert not unknown, f"unknown keys {sorted(unknown)}"
        assert finding.severity == wanted["severity"]
        assert finding.severity in rule.severities
        assert isinstance(finding.evidence, rule.evidence_type)
        assert wanted.get("detail", "") in finding.detail
        assert finding.actionable is wanted.get("actionable", finding.actionable)
        evidence = evidence_json(finding.evidence)
        assert_subset(wanted.get("evidence", {}), evidence)
        assert all(len(v) <= EVIDENCE_ROWS for v in evidence.values() if isinstance(v, list))


@pytest.mark.parametrize(("code", "case"), load_cases("silent"))
def test_rule_stays_silent(code: str, case: dict[str, Any]) -> None:
    assert "expect" not in case
    assert [f.detail for f in run_case(code, case)] == []
