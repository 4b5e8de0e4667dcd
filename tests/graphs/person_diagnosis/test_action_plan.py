"""One action per intent, in order, held while identity is in doubt."""

from graphs.contracts import ActionType, Category, DiagnosisIssue, Severity, SuggestedAction
from graphs.person_diagnosis.action_plan import HOLDING_RULES, ORDER, plan_actions
from graphs.rules.evaluate import SOURCE_TOOLS
from graphs.rules.registry import all_rules, rule_by_code
from tests.graphs.rules.facts_builder import build_person

PERSON = build_person({"id": "p1", "slug": "reimi-taro"})


def issue(code: str, severity: Severity | None = None, number: int = 1, *, actionable: bool = True) -> DiagnosisIssue:
    rule = rule_by_code(code)
    return DiagnosisIssue(
        category=rule.category,
        severity=severity or rule.severities[0],
        title=rule.title(),
        detail="",
        source_tool=SOURCE_TOOLS[rule.category],
        code=code,
        rule=rule.name,
        fingerprint=f"{code}-{number}",
        evidence_hash="",
        actionable=actionable,
    )


def plan(*findings: DiagnosisIssue) -> tuple[SuggestedAction, ...]:
    return plan_actions(PERSON.id, PERSON.slug, findings)


def test_no_findings_no_actions() -> None:
    assert plan() == ()


def test_findings_of_one_intent_share_one_action() -> None:
    (action,) = plan(issue("MT01", number=1), issue("MT01", number=2))
    assert action.related_fingerprints == ("MT01-1", "MT01-2")
    assert action.related_issue_categories == (Category.MEMBERSHIP_TIMELINE,)


def test_a_finding_that_is_handled_suggests_nothing() -> None:
    assert plan(issue("MT01", actionable=False)) == ()


def test_identity_comes_first_and_derived_data_last() -> None:
    actions = plan(issue("RC02"), issue("PC05"), issue("PB06"), issue("MT01"), issue("PN02"))
    assert [action.related_issue_categories[0] for action in actions] == list(ORDER)


def test_an_open_identity_error_holds_scripts_and_recomputes_but_no_manual_check() -> None:
    recompute, manual = issue("RC02"), issue("PB06")
    free = {action.name: action for action in plan(recompute, manual)}
    held = {action.name: action for action in plan(recompute, manual, issue("PN01"))}
    name = rule_by_code("RC02").action
    assert name is not None
    assert free[name.name].type == ActionType.RECOMPUTE
    assert "reimi-taro" in (free[name.name].command or "")
    assert held[name.name].type == ActionType.DEFER
    assert held[name.name].command is None
    assert "PN01" in (held[name.name].held_because or "")
    other = rule_by_code("PB06").action
    assert other is not None
    assert held[other.name] == free[other.name]


def test_an_identity_warning_holds_nothing() -> None:
    assert {a.type for a in plan(issue("RC02"), issue("PN02"))} >= {ActionType.RECOMPUTE}


def test_the_holding_rules_exist_and_can_be_errors() -> None:
    for code in HOLDING_RULES:
        severities = rule_by_code(code).severities
        assert {Severity.ERROR, Severity.CRITICAL} & set(severities)


def test_keys_do_not_depend_on_wording_or_order() -> None:
    first = {action.name: action.key for action in plan(issue("MT01"), issue("PB06"))}
    second = {action.name: action.key for action in plan(issue("PB06", number=7), issue("MT01", number=9))}
    assert first == second
    assert len(set(first.values())) == 2


def test_every_rule_can_be_planned() -> None:
    for rule in all_rules():
        actions = plan(issue(rule.code))
        assert len(actions) == (0 if rule.action is None else 1)
