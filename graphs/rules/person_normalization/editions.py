"""Editions whose rows are those of two races. Faults of the edition, which no athlete's record should answer for."""

from collections.abc import Sequence
from itertools import pairwise

from graphs.facts import RaceResult


def are_two_years(finishes: Sequence[RaceResult]) -> bool:
    """Whether grades rise by one from row to row: the edition holds the races of two years."""
    grades = sorted(r.grade_at_race for r in finishes if r.grade_at_race is not None)
    return len(grades) == len(finishes) and all(later - earlier == 1 for earlier, later in pairwise(grades))
