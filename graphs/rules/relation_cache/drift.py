"""What a relation cache says that current results do not.

Belongs here: the comparison of entries with recounted matchups. Only what follows from shared races for certain
counts as a difference: a count, a date, and an opponent whose score is high enough before any point for hometown,
school or team is added.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from graphs.facts import Opponent
from graphs.rules.athlete import Athlete
from graphs.rules.relation_cache.instants import milliseconds
from graphs.rules.relation_cache.payload import PayloadReason, RelationEntry
from graphs.rules.relation_cache.scoring import MINIMUM_RAW_SCORE, score_floor
from graphs.rules.rule import Evidence, RuleContext

READABLE_IN_SPITE_OF = frozenset({PayloadReason.ORDER, PayloadReason.CLOCK})
"""Defects that leave the entries comparable."""

FEWEST_MATCHUPS_OF_A_KEPT_OPPONENT = 2
"""One shared race never reaches the builder's minimum by itself."""


@dataclass(frozen=True, slots=True)
class RelationDifference(Evidence):
    """One opponent of whom cache and results differ; times in UTC, null where there is none or no such entry.

    `absent` gives the lowest score that the builder can come to, in points.
    """

    person_id: str
    kind: Literal["matchup_count", "latest_match", "absent"]
    stored_matchups: int | None
    current_matchups: int
    stored_latest_match_at: datetime | None
    current_latest_match_at: datetime | None
    score_floor: float | None = None


def relation_differences(athlete: Athlete, context: RuleContext) -> Sequence[RelationDifference]:
    """All differences, by opponent; none where the payload cannot be compared entry by entry.

    People who no longer exist are left out: they dangle (RC05).
    """
    reading = athlete.relation_payload
    if reading is None or not reading.reasons <= READABLE_IN_SPITE_OF:
        return ()
    current = {opponent.person_id: opponent for opponent in athlete.opponents}
    found: list[RelationDifference] = []
    for entry in reading.entries:
        opponent = current.pop(entry.related_person_id, None)
        if opponent is None:
            if _exists(athlete, entry.related_person_id):
                found.append(_difference("matchup_count", entry, None))
        elif opponent.matchups != entry.matchup_count:
            found.append(_difference("matchup_count", entry, opponent))
        elif _instant(opponent.latest_match_at) != _instant(entry.latest_match_at):
            found.append(_difference("latest_match", entry, opponent))
    for opponent in current.values():
        if opponent.matchups < FEWEST_MATCHUPS_OF_A_KEPT_OPPONENT:
            continue
        floor = score_floor(opponent, context.now)
        if floor >= MINIMUM_RAW_SCORE:
            found.append(
                RelationDifference(
                    person_id=opponent.person_id,
                    kind="absent",
                    stored_matchups=None,
                    current_matchups=opponent.matchups,
                    stored_latest_match_at=None,
                    current_latest_match_at=opponent.latest_match_at,
                    score_floor=round(floor, 1),
                )
            )
    return sorted(found, key=lambda difference: difference.person_id)


def _exists(athlete: Athlete, person_id: str) -> bool:
    inputs = athlete.relation_inputs
    return inputs is not None and person_id in inputs.existing_person_ids


def _difference(
    kind: Literal["matchup_count", "latest_match"], entry: RelationEntry, opponent: Opponent | None
) -> RelationDifference:
    return RelationDifference(
        person_id=entry.related_person_id,
        kind=kind,
        stored_matchups=entry.matchup_count,
        current_matchups=opponent.matchups if opponent else 0,
        stored_latest_match_at=entry.latest_match_at,
        current_latest_match_at=opponent.latest_match_at if opponent else None,
    )


def _instant(moment: datetime | None) -> int | None:
    return None if moment is None else milliseconds(moment)
