"""The rules of the family membership_timeline, in the order in which they run."""

from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
