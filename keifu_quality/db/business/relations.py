"""What surrounds an athlete in its races, as the site's relation builder sees it.

Belongs here: opponents and the newest change of the builder's inputs, computed from rows that were read once for all
the athletes of a batch. Stays out: SQL, the builder's scores, and the judgement of a cache.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import overload

from graphs.facts import Membership, Opponent, Person, RaceResult, RelationInputs
from graphs.lazy import lazy_property
from graphs.rules.relation_cache.scoring import STAGES
from keifu_quality.db.business.rows import instant


class OpponentsOfRaces(Sequence[Opponent]):
    """Everybody else in an athlete's races, by id, computed when somebody looks.

    Most athletes of a sweep have hundreds of opponents and no cache to compare them with; for those only the number is
    ever asked. Rows of an opponent count one by one, the athlete's own double rows of a race count once.
    """

    def __init__(
        self, person_id: str, results: Sequence[RaceResult], people_of_races: Mapping[str, Mapping[str, int]]
    ) -> None:
        """`people_of_races` says by race whose rows it has and how many."""
        self._person_id = person_id
        self._results = results
        self._people_of_races = people_of_races

    @overload
    def __getitem__(self, index: int) -> Opponent: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Opponent]: ...
    def __getitem__(self, index: int | slice) -> Opponent | Sequence[Opponent]:
        return self._opponents[index]

    def __iter__(self) -> Iterator[Opponent]:
        return iter(self._opponents)

    def __len__(self) -> int:
        return self._count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._opponents == tuple(other)

    def __hash__(self) -> int:
        return hash(self._opponents)

    def __repr__(self) -> str:
        return repr(self._opponents)

    @lazy_property
    def _count(self) -> int:
        people = [self._people_of_races[result.race.id] for result in self._results]
        # Most athletes have one race, whose people are told apart already.
        met = people[0] if len(people) == 1 else set().union(*people)
        return len(met) - (self._person_id in met)

    @lazy_property
    def _opponents(self) -> tuple[Opponent, ...]:
        stages_of_race: defaultdict[str, set[str]] = defaultdict(set)
        day_of_race: dict[str, datetime | None] = {}
        for result in self._results:
            race = result.race
            day_of_race[race.id] = race.starts_at or race.edition_starts_on
            if result.organization is not None and result.organization.type in STAGES:
                stages_of_race[race.id].add(result.organization.type)
        matchups: Counter[str] = Counter()
        dated: Counter[str] = Counter()
        latest: dict[str, datetime] = {}
        stages: defaultdict[str, set[str]] = defaultdict(set)
        for race_id, day in day_of_race.items():
            people = self._people_of_races[race_id]
            matchups.update(people)
            for opponent_id in people:
                stages[opponent_id] |= stages_of_race[race_id]
            if day is not None:
                dated.update(people)
                latest.update({other: day for other in people if other not in latest or latest[other] < day})
        matchups.pop(self._person_id, None)
        return tuple(
            Opponent(other, count, dated[other], latest.get(other), tuple(sorted(stages[other])))
            for other, count in sorted(matchups.items())
        )


def relation_inputs(
    person: Person,
    results: Sequence[RaceResult],
    memberships: Sequence[Membership],
    others_changed_at: datetime | None,
    related: Mapping[str, datetime | None],
    merge_audit_ids: Mapping[str, str],
) -> RelationInputs:
    """When the builder's inputs for this athlete last changed.

    `related` holds, of the people that the cached payload names, those that exist, with the newest change of their
    memberships. That and `others_changed_at`, of everybody else's rows in the athlete's races, are naive in UTC.
    """
    membership_changes = [m.updated_at for m in memberships]
    membership_changes += [instant(changed_at) for changed_at in related.values() if changed_at is not None]
    return RelationInputs(
        own_results=max((max(r.created_at, r.updated_at) for r in results), default=None),
        other_results=None if others_changed_at is None else instant(others_changed_at),
        races=max((r.race.updated_at for r in results), default=None),
        memberships=max(membership_changes, default=None),
        profile=person.updated_at,
        existing_person_ids=frozenset(related),
        merge_audit_ids=merge_audit_ids,
    )
