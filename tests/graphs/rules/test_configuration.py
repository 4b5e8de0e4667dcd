"""The identity of a configuration."""

import subprocess
import sys

from graphs.rules.configuration import RuleConfiguration
from graphs.rules.registry import rule_set_version

PROGRAM = """
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.registry import rule_set_version
slugs = [f"athlete-{i}" for i in range(50)]
print(rule_set_version(RuleConfiguration(protected_slugs=slugs, known_distinct=[slugs[:9], slugs[9:]])))
"""


def test_the_rule_set_version_is_the_same_in_every_process() -> None:
    versions = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env={"PYTHONHASHSEED": seed}, check=True, capture_output=True, text=True
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(versions) == 1


def test_equal_settings_are_one_key() -> None:
    first = RuleConfiguration(protected_slugs=frozenset({"a", "b"}))
    second = RuleConfiguration(protected_slugs=frozenset({"b", "a"}))

    assert first == second
    assert hash(first) == hash(second)
    assert len({first, second}) == 1


def test_a_changed_threshold_changes_the_version() -> None:
    default = RuleConfiguration()
    changed = RuleConfiguration.model_validate({"personal_best_consistency": {"minimum_age_years": 12}})

    assert default.identity != changed.identity
    assert rule_set_version(default) != rule_set_version(changed)
