"""The rules of the family person_normalization, in the order in which they run."""

from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
