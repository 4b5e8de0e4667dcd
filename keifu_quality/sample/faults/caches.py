"""Relation caches that are missing, old, broken or wrong.

Belongs here: RC01 to RC05. Stays out: how a right cache is built (`keifu_quality.sample.relations`).

Every form has two training mates, so that the cache has entries that are there for sure.
"""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from functools import partial
from typing import Any

from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.faults.bases import own_race, pick
from keifu_quality.sample.faults.form import Form, form
from keifu_quality.sample.relations import display_score, iso, sort_key
from keifu_quality.sample.rows import PlayerRelationCache
from keifu_quality.sample.workshop import Workshop

SQUAD = 3
_RACES = 6
Caches = dict[str, Any]
Change = Callable[[Workshop, PlayerRelationCache], None]


def squad(w: Workshop) -> tuple[Athlete, Athlete, Athlete]:
    """Three of one university class who ran six races together; the first has a cache for sure."""
    entry, university = w.academic_year - 6, pick(w, "university")
    members = (w.athlete(), w.athlete(), w.athlete())
    for athlete in members:
        w.school(athlete, university, entry)
    # The mates differ, so that the order of the entries is not left to chance.
    for number in range(_RACES):
        event = own_race(w, "m10000", entry + number % 4, month=5 + number, day=9)
        for athlete in members[: 2 if number == 0 else 3]:
            w.result(athlete, event, university)
    members[0].wants_cache = True
    for mate in members[1:]:
        mate.form = "clean/training_mate"
    return members


def resort(payload: dict[str, Any]) -> None:
    """Puts the entries into the builder's order again."""
    entries = payload["topRelations"]
    entries.sort(key=lambda entry: entry["relatedPersonId"])
    entries.sort(key=sort_key, reverse=True)


@form("RC01", people=SQUAD)
def no_cache_beside_opponents(w: Workshop) -> None:
    athlete, _first, _second = squad(w)
    athlete.wants_cache = False
    athlete.expect("RC01", "info")


def _touched(w: Workshop, what: str) -> None:
    athlete, mate, _other = squad(w)

    def touch(caches: Caches) -> None:
        moment = caches[athlete.person.id].generated_at + timedelta(minutes=10)
        row = {
            "own_result": athlete.results[1],
            "result_of_an_opponent": mate.results[1],
            "race": athlete.events[1].race,
            "membership": athlete.memberships[0],
            "membership_of_an_opponent": mate.memberships[0],
            "profile": athlete.person,
        }[what]
        row.updated_at = moment

    w.after_caches.append(touch)
    athlete.expect("RC02", "info")


TOUCHED = tuple(
    Form("RC02", f"{what}_changed_later", SQUAD, partial(_touched, what=what))
    for what in ("own_result", "result_of_an_opponent", "race", "membership", "membership_of_an_opponent", "profile")
)


@form("RC02", people=SQUAD)
def changed_later_and_wrong(w: Workshop) -> None:
    athlete, _mate, _other = squad(w)

    def spoil(caches: Caches) -> None:
        cache = caches[athlete.person.id]
        _one_match_less(w, cache)
        athlete.results[0].updated_at = cache.generated_at + timedelta(minutes=10)

    w.after_caches.append(spoil)
    athlete.expect("RC02", "warning")
    athlete.expect("RC04", "warning")


def _changed(w: Workshop, change: Change, code: str, severity: str, undecided: tuple[str, ...]) -> None:
    athlete, _mate, _other = squad(w)
    w.after_caches.append(lambda caches: change(w, caches[athlete.person.id]))
    athlete.expect(code, severity)
    athlete.undecided |= set(undecided)


def _entries(cache: PlayerRelationCache) -> list[dict[str, Any]]:
    return cache.payload["topRelations"]


def _no_relations(_w: Workshop, cache: PlayerRelationCache) -> None:
    del cache.payload["topRelations"]


def _a_list(_w: Workshop, cache: PlayerRelationCache) -> None:
    cache.payload = _entries(cache)


def _entry_without_context(_w: Workshop, cache: PlayerRelationCache) -> None:
    del _entries(cache)[0]["context"]


def _count_as_text(_w: Workshop, cache: PlayerRelationCache) -> None:
    _entries(cache)[0]["matchupCount"] = "6"


def _of_somebody_else(w: Workshop, cache: PlayerRelationCache) -> None:
    cache.payload["personId"] = w.athletes[0].person.id


def _self(_w: Workshop, cache: PlayerRelationCache) -> None:
    _entries(cache)[0]["relatedPersonId"] = cache.person_id


def _twice(_w: Workshop, cache: PlayerRelationCache) -> None:
    entries = _entries(cache)
    entries.insert(1, dict(entries[0]))


def _unsorted(_w: Workshop, cache: PlayerRelationCache) -> None:
    _entries(cache).reverse()


def _too_few_points(_w: Workshop, cache: PlayerRelationCache) -> None:
    last = _entries(cache)[-1]
    last["rawScore"], last["displayScore"] = 9.5, 28.5


def _display_score(_w: Workshop, cache: PlayerRelationCache) -> None:
    last = _entries(cache)[-1]
    last["rawScore"], last["displayScore"] = 16.25, 40.0


def _detail_flag(_w: Workshop, cache: PlayerRelationCache) -> None:
    entry = _entries(cache)[0]
    entry["hasHeadToHeadDetail"] = not entry["hasHeadToHeadDetail"]


def _signals(_w: Workshop, cache: PlayerRelationCache) -> None:
    _entries(cache)[0]["matchupSignals"]["matchupCount"] += 2


def _clock_ahead(w: Workshop, cache: PlayerRelationCache) -> None:
    cache.generated_at = datetime.combine(w.as_of + timedelta(days=900), time(3))
    cache.payload["generatedAt"] = iso(cache.generated_at)


def _other_time(_w: Workshop, cache: PlayerRelationCache) -> None:
    cache.payload["generatedAt"] = iso(cache.generated_at - timedelta(hours=5))


def _first_generation(_w: Workshop, cache: PlayerRelationCache) -> None:
    cache.payload["topRelations"] = [
        {"relatedPersonId": entry["relatedPersonId"], "score": 61, "reasons": ["同じ大学", "対戦6回"]}
        for entry in _entries(cache)
    ]


def _second_generation(_w: Workshop, cache: PlayerRelationCache) -> None:
    cache.payload["topRelations"] = [
        {
            "relatedPersonId": entry["relatedPersonId"],
            "score": 61,
            "matchupCount": entry["matchupCount"],
            "latestMatchAt": entry["latestMatchAt"],
            "context": {
                "sharedTeamStages": ["university"],
                "sharedHometown": False,
                "sharedHighSchool": False,
                "sharedUniversity": True,
            },
        }
        for entry in _entries(cache)
    ]


INVALID = tuple(
    Form(
        "RC03",
        change.__name__.removeprefix("_"),
        SQUAD,
        partial(_changed, change=change, code="RC03", severity=severity, undecided=("RC02", "RC04", "RC05")),
    )
    for change, severity in (
        (_no_relations, "warning"),
        (_second_generation, "info"),
        (_of_somebody_else, "warning"),
        (_self, "warning"),
        (_twice, "warning"),
        (_unsorted, "warning"),
        (_too_few_points, "warning"),
        (_clock_ahead, "warning"),
        (_other_time, "warning"),
        (_display_score, "warning"),
        (_detail_flag, "warning"),
        (_signals, "warning"),
        (_a_list, "warning"),
        (_entry_without_context, "warning"),
        (_count_as_text, "warning"),
        (_first_generation, "info"),
    )
)


def _one_match_less(_w: Workshop, cache: PlayerRelationCache) -> None:
    entry = _entries(cache)[-1]
    entry["matchupCount"] -= 1
    entry["matchupSignals"]["matchupCount"] -= 1
    entry["hasHeadToHeadDetail"] = entry["matchupCount"] >= 5
    resort(cache.payload)


def _older_meeting(_w: Workshop, cache: PlayerRelationCache) -> None:
    _entries(cache)[0]["latestMatchAt"] = "2019-06-09T03:10:00.000Z"
    resort(cache.payload)


def _opponent_left_out(_w: Workshop, cache: PlayerRelationCache) -> None:
    del _entries(cache)[0]


DRIFT = tuple(
    Form(
        "RC04",
        change.__name__.removeprefix("_"),
        SQUAD,
        partial(_changed, change=change, code="RC04", severity="warning", undecided=("RC02",)),
    )
    for change in (_one_match_less, _older_meeting, _opponent_left_out)
)


def _gone(w: Workshop, cache: PlayerRelationCache) -> None:
    entry = _entries(cache)[-1]
    gone = {**entry, "relatedPersonId": w.new_id("person"), "rawScore": 15.5, "displayScore": display_score(15.5)}
    _entries(cache).append(gone)
    resort(cache.payload)


DANGLING = (
    Form(
        "RC05",
        "person_who_is_gone",
        SQUAD,
        partial(_changed, change=_gone, code="RC05", severity="warning", undecided=("RC02", "RC03", "RC04")),
    ),
)
