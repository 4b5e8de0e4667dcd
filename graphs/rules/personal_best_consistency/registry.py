"""The rules of the family personal_best_consistency, in the order in which they run."""

from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
