"""The rules of the family relation_cache, in the order in which they run."""

from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
