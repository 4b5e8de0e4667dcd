"""What a relation cache says that current results do not.

Belongs here: the comparison of entries with recounted matchups. Only what follows from shared races for certain
counts as a difference: a count, a date, and an opponent whose score is high enough before any point for hometown,
school or team is added.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from graphs.facts import Opponent
from graphs.rules.athlete import Athlete
from graphs.rules.relation_cache.instants import milliseconds
from graphs.rules.relation_cache.payload import PayloadReason, RelationEntry
from graphs.rules.relation_cache.scoring import MINIMUM_RAW_SCORE, score_floor
from graphs.rules.rule import Evidence, RuleContext

OF_SOMEBODY_OR_SOMETHING_ELSE = frozenset({PayloadReason.OUTDATED_SCHEMA, PayloadReason.PERSON_MISMATCH})
"""Defects that leave nothing to compare; any other fault leaves the entries that can be read comparable."""

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
    """All differences, by opponent; none where the payload is another athlete's or of an earlier builder.

    People who no longer exist are left out: they dangle (RC05).
    """
    reading = athlete.relation_payload
    if reading is None or not reading.reasons.isdisjoint(OF_SOMEBODY_OR_SOMETHING_ELSE):
        return ()
    if not reading.entries and not reading.names_everybody:
        return ()
    current = {opponent.person_id: opponent for opponent in athlete.opponents}
    found = [
        difference
        for entry in {entry.related_person_id: entry for entry in reading.entries}.values()
        if (difference := _compare(athlete, entry, current.get(entry.related_person_id))) is not None
    ]
    if reading.names_everybody:
        named = {entry.related_person_id for entry in reading.entries}
        found += _absent((opponent for opponent in current.values() if opponent.person_id not in named), context)
    return sorted(found, key=lambda difference: difference.person_id)


def _compare(athlete: Athlete, entry: RelationEntry, opponent: Opponent | None) -> RelationDifference | None:
    if opponent is None and not _exists(athlete, entry.related_person_id):
        return None
    current = opponent.matchups if opponent else 0
    latest = opponent.latest_match_at if opponent else None
    kind: Literal["matchup_count", "latest_match"]
    if entry.matchup_count is not None and entry.matchup_count != current:
        kind = "matchup_count"
    elif entry.latest_is_readable and _instant(entry.latest_match_at) != _instant(latest):
        kind = "latest_match"
    else:
        return None
    return RelationDifference(
        person_id=entry.related_person_id,
        kind=kind,
        stored_matchups=entry.matchup_count,
        current_matchups=current,
        stored_latest_match_at=entry.latest_match_at,
        current_latest_match_at=latest,
    )


def _absent(opponents: Iterable[Opponent], context: RuleContext) -> Iterator[RelationDifference]:
    """The opponents that the builder keeps for certain."""
    for opponent in opponents:
        if opponent.matchups < FEWEST_MATCHUPS_OF_A_KEPT_OPPONENT:
            continue
        floor = score_floor(opponent, context.now)
        if floor >= MINIMUM_RAW_SCORE:
            yield RelationDifference(
                person_id=opponent.person_id,
                kind="absent",
                stored_matchups=None,
                current_matchups=opponent.matchups,
                stored_latest_match_at=None,
                current_latest_match_at=opponent.latest_match_at,
                score_floor=round(floor, 1),
            )


def _exists(athlete: Athlete, person_id: str) -> bool:
    inputs = athlete.relation_inputs
    return inputs is not None and person_id in inputs.existing_person_ids


def _instant(moment: datetime | None) -> int | None:
    return None if moment is None else milliseconds(moment)
