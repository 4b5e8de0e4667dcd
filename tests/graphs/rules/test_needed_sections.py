"""What a rule declares to need is true: without one of these sections it finds nothing, and then nobody asks it."""

from dataclasses import replace
from typing import Any

import pytest

from graphs.contracts import Category
from graphs.facts import Snapshot, Unavailable
from graphs.rules.athlete import SEVERAL, Athlete, Section
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.evaluate import evaluate_family
from graphs.rules.registry import all_rules, rule_by_code, rules_to_ask
from tests.graphs.rules.facts_builder import build_snapshot
from tests.graphs.rules.test_cases import context_of, load_cases

CONFIGURATION = RuleConfiguration()


@pytest.mark.parametrize(("code", "case"), load_cases("fires"))
def test_a_rule_is_silent_without_what_it_needs(code: str, case: dict[str, Any]) -> None:
    """Every firing case is a firing case no more once a needed section is emptied."""
    rule = rule_by_code(code)
    snapshot = build_snapshot(case.get("athlete") or {})
    for section in rule.needs:
        for rows in _too_few_rows(snapshot, section):
            without: Snapshot = replace(snapshot, **{SEVERAL.get(section, section): rows})
            assert section in Athlete(without).empty_sections
            assert list(rule.check(Athlete(without), context_of(case))) == []


def _too_few_rows(snapshot: Snapshot, section: Section) -> list[tuple[Any, ...]]:
    several = SEVERAL.get(section)
    return [()] if several is None else [(), *((row,) for row in getattr(snapshot, several))]


def test_every_rule_of_bests_needs_bests() -> None:
    """An athlete without bests asks none of the rules on bests except the one that looks at results alone."""
    asked = rules_to_ask(Category.PERSONAL_BEST_CONSISTENCY, CONFIGURATION, frozenset({"personal_bests"}))
    assert [rule.code for rule in asked] == ["PB09"]


def test_an_unreadable_section_is_not_an_empty_one() -> None:
    """A rule is asked where its rows could not be read, and then says that it could not finish."""
    unreadable: Unavailable[Any] = Unavailable("PersonalBest", "permission_denied", "no right to read")
    snapshot = replace(build_snapshot({}), personal_bests=unreadable)
    found = evaluate_family(Category.PERSONAL_BEST_CONSISTENCY, Athlete(snapshot), context_of({}))
    needing = {rule.code for rule in all_rules() if rule.needs == ("personal_bests",)}
    assert needing <= {rule.rule for rule in found.not_evaluated}


@pytest.mark.parametrize("section", ["memberships", "results"])
def test_an_unreadable_section_is_not_one_of_a_single_row(section: str) -> None:
    unreadable: Unavailable[Any] = Unavailable("Membership", "permission_denied", "no right to read")
    found = Athlete(replace(build_snapshot({}), **{section: unreadable}))  # pyright: ignore[reportArgumentType]
    assert found.empty_sections.isdisjoint({section, f"several_{section}"})
