"""How the site's relation builder scores an opponent, as far as the archive lets it be recomputed.

Belongs here: the builder's constants and the part of the score that follows from shared races alone. Stays out:
points for hometown, school and team, which only ever add to the score.
"""

from datetime import datetime, timedelta
from math import log1p

from graphs.facts import Opponent

MINIMUM_RAW_SCORE = 15.0
"""The builder keeps an opponent from this raw score on."""

HEAD_TO_HEAD_MATCHUPS = 5
"""From this many matchups on an entry links to a head-to-head page."""

STAGES = frozenset({"junior_high_school", "high_school", "university", "corporate_team"})
"""Organization types that the builder counts as stages."""

DISPLAY_FACTOR = 3
DISPLAY_MAXIMUM = 100.0

MATCHUP_WEIGHT = 6.0
DATED_MATCHUP_WEIGHT = 5.0
STAGE_WEIGHT = 4.0

RECENCY_BONUS = ((timedelta(days=2 * 365 - 1), 2.0), (timedelta(days=4 * 365 - 1), 1.0))
"""Points for a latest match within two or four years of 365 days; one day less, so that the bound stays a bound."""


def display_score(raw_score: float) -> float:
    """What the page shows for a raw score, before rounding to one decimal."""
    return min(DISPLAY_MAXIMUM, DISPLAY_FACTOR * raw_score)


def score_floor(opponent: Opponent, now: datetime) -> float:
    """A raw score that the builder gives this opponent at least, in points.

    The builder counts every dated matchup as a year of its own, even two in one year; so does this.
    """
    score = MATCHUP_WEIGHT * log1p(opponent.matchups) + DATED_MATCHUP_WEIGHT * log1p(opponent.dated_matchups)
    score += STAGE_WEIGHT * max(len(STAGES.intersection(opponent.stages)) - 1, 0)
    if opponent.latest_match_at is not None:
        age = now - opponent.latest_match_at
        score += next((points for limit, points in RECENCY_BONUS if age <= limit), 0.0)
    return score
