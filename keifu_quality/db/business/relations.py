"""What surrounds an athlete in its races, as the site's relation builder sees it.

Belongs here: opponents and the newest change of the builder's inputs, computed from rows that were read once for all
the athletes of a batch. Stays out: SQL, the builder's scores, and the judgement of a cache.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from graphs.facts import Membership, Opponent, Person, RaceResult, RelationInputs
from graphs.rules.relation_cache.scoring import STAGES
from keifu_quality.db.business.rows import instant


class RaceRows:
    """The result rows of races: whose they are, how many, and when they last changed."""

    def __init__(self, rows: Iterable[tuple[str, str, datetime]]) -> None:
        """`rows` hold race id, person id and the later of createdAt and updatedAt, naive in UTC."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        changes: defaultdict[str, dict[str, datetime]] = defaultdict(dict)
        for race_id, person_id, changed_at in rows:
            counts[race_id][person_id] += 1
            known = changes[race_id].get(person_id)
            if known is None or known < changed_at:
                changes[race_id][person_id] = changed_at
        self._counts = counts
        self._changes = changes
        self._newest = {race_id: _two_newest(people) for race_id, people in changes.items()}

    def opponents(self, person_id: str, results: Sequence[RaceResult]) -> tuple[Opponent, ...]:
        """Everybody else in the races of these results, by id.

        Rows of an opponent count one by one; own double rows of a race count once.
        """
        stages_of_race: defaultdict[str, set[str]] = defaultdict(set)
        day_of_race: dict[str, datetime | None] = {}
        for result in results:
            race = result.race
            day_of_race[race.id] = race.starts_at or race.edition_starts_on
            if result.organization is not None and result.organization.type in STAGES:
                stages_of_race[race.id].add(result.organization.type)
        matchups: Counter[str] = Counter()
        dated: Counter[str] = Counter()
        latest: dict[str, datetime] = {}
        stages: defaultdict[str, set[str]] = defaultdict(set)
        for race_id, day in sorted(day_of_race.items(), key=lambda item: (item[1] is not None, item[1], item[0])):
            rows = self._counts[race_id]
            matchups.update(rows)
            if day is not None:
                dated.update(rows)
                latest.update(dict.fromkeys(rows, day))
            race_stages = stages_of_race[race_id]
            if race_stages:
                for opponent_id in rows:
                    stages[opponent_id] |= race_stages
        matchups.pop(person_id, None)
        return tuple(
            Opponent(other, count, dated[other], latest.get(other), tuple(sorted(stages[other])))
            for other, count in sorted(matchups.items())
        )

    def newest_of_others(self, person_id: str, race_ids: Iterable[str]) -> datetime | None:
        """When a row of somebody else in these races last changed, naive in UTC."""
        times = [
            changed_at
            for race_id in race_ids
            for other, changed_at in self._newest.get(race_id, ())
            if other != person_id
        ]
        return max(times, default=None)


def relation_inputs(
    person: Person,
    results: Sequence[RaceResult],
    memberships: Sequence[Membership],
    race_rows: RaceRows,
    related: Mapping[str, datetime | None],
    merge_audit_ids: Mapping[str, str],
) -> RelationInputs:
    """When the builder's inputs for this athlete last changed.

    `related` holds, of the people that the cached payload names, those that exist, with the newest change of their
    memberships (naive in UTC).
    """
    others = race_rows.newest_of_others(person.id, {result.race.id for result in results})
    membership_changes = [m.updated_at for m in memberships]
    membership_changes += [instant(changed_at) for changed_at in related.values() if changed_at is not None]
    return RelationInputs(
        own_results=max((max(r.created_at, r.updated_at) for r in results), default=None),
        other_results=None if others is None else instant(others),
        races=max((r.race.updated_at for r in results), default=None),
        memberships=max(membership_changes, default=None),
        profile=person.updated_at,
        existing_person_ids=frozenset(related),
        merge_audit_ids=merge_audit_ids,
    )


def _two_newest(changes: Mapping[str, datetime]) -> Sequence[tuple[str, datetime]]:
    # Leaving one person out never takes away more than the newest.
    return sorted(changes.items(), key=lambda item: item[1], reverse=True)[:2]
