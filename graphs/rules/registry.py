"""The one registry of rules.

Belongs here: which rules there are and in which order they run. A rule that is not listed here does not exist.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from graphs.contracts import Category
from graphs.rules.athlete import Section
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.membership_timeline.registry import RULES as MEMBERSHIP_TIMELINE
from graphs.rules.person_normalization.registry import RULES as PERSON_NORMALIZATION
from graphs.rules.personal_best_consistency.registry import RULES as PERSONAL_BEST_CONSISTENCY
from graphs.rules.profile_coverage.registry import RULES as PROFILE_COVERAGE
from graphs.rules.relation_cache.registry import RULES as RELATION_CACHE
from graphs.rules.rule import Rule

FAMILIES: Mapping[Category, Sequence[Rule]] = {
    Category.PROFILE_COVERAGE: PROFILE_COVERAGE,
    Category.MEMBERSHIP_TIMELINE: MEMBERSHIP_TIMELINE,
    Category.PERSON_NORMALIZATION: PERSON_NORMALIZATION,
    Category.PERSONAL_BEST_CONSISTENCY: PERSONAL_BEST_CONSISTENCY,
    Category.RELATION_CACHE: RELATION_CACHE,
}
"""Every rule by family, families and rules in the order in which they run."""

RESERVED_NAMES = frozenset({"membership_order_anomaly"})
"""Retired names that must never be given to a rule again: older findings carry them."""


def all_rules() -> Sequence[Rule]:
    """Every rule, in order."""
    return [rule for rules in FAMILIES.values() for rule in rules]


def rule_by_code(code: str) -> Rule:
    """The rule with this code or name, in any case; raises LookupError with the known codes."""
    rule = _index().get(code.strip().casefold())
    if rule is not None:
        return rule
    known = ", ".join(rule.code for rule in all_rules())
    raise LookupError(f"there is no rule {code!r}; the rules are {known}")


@cache
def _index() -> Mapping[str, Rule]:
    return {key: rule for rule in all_rules() for key in (rule.code.casefold(), rule.name)}


@lru_cache(maxsize=64)
def enabled_rules(category: Category, configuration: RuleConfiguration) -> tuple[Rule, ...]:
    """The rules of a family that a configuration lets run."""
    return tuple(
        rule
        for rule in FAMILIES[category]
        if rule.code not in configuration.disabled_rules
        and (rule.enabled_by_default or rule.code in configuration.enabled_optional_rules)
    )


@lru_cache(maxsize=4096)
def rules_to_ask(
    category: Category, configuration: RuleConfiguration, empty_sections: frozenset[Section]
) -> tuple[Rule, ...]:
    """The enabled rules of a family that may fire on an athlete with these sections empty."""
    return tuple(rule for rule in enabled_rules(category, configuration) if empty_sections.isdisjoint(rule.needs))


def rule_set_version(configuration: RuleConfiguration) -> str:
    """Identity of what the rules decide: their codes and versions and the whole configuration; 12 hex digits."""
    rules = ";".join(
        f"{rule.code}={rule.version}" for category in FAMILIES for rule in enabled_rules(category, configuration)
    )
    return hashlib.sha256(f"{rules};{configuration.identity}".encode()).hexdigest()[:12]
