"""Relation caches as the site builds them.

Belongs here: the scoring of the site's relation builder (generation 3) and the shape of its payload. Stays out: whether
a cache is right, which the product judges.

An entry is kept from 15 points on: shared origins and teams, 6 ln(1 + match-ups) + 5 ln(1 + dated match-ups) + 4 per
further stage, and 2 or 1 points where the last meeting is at most two or four years back.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from math import floor, log
from typing import Any

from keifu_quality.sample.athlete import Athlete
from keifu_quality.sample.calendar import Event
from keifu_quality.sample.rows import Membership

KEPT_FROM = 15.0
_ORIGIN_POINTS = {"junior_high_school": 5, "high_school": 6, "university": 5, "corporate_team": 4}
_TEAM_POINTS = {"high_school": (8, 2.0), "university": (10, 2.0), "corporate_team": (9, 1.5)}
_STAGES = tuple(_ORIGIN_POINTS)


class RelationBuilder:
    """Builds payloads from all results and memberships; `organization_types` maps organization ids to their type."""

    def __init__(
        self, athletes: Iterable[Athlete], events: Iterable[Event], organization_types: dict[str, str]
    ) -> None:
        self._types = organization_types
        self._runners = {event.race.id: Counter(row.person_id for row in event.results) for event in events}
        self._memberships = {athlete.person.id: _by_organization(athlete.memberships) for athlete in athletes}
        self._hometowns = {athlete.person.id: athlete.person.hometown for athlete in athletes}

    def shares_a_race(self, athlete: Athlete) -> bool:
        """Whether anybody else has a result in one of the athlete's races."""
        return any(len(self._runners[event.race.id]) > 1 for event in athlete.events)

    def payload(self, athlete: Athlete, generated_at: datetime) -> dict[str, Any]:
        """The payload of the athlete's cache; `generated_at` is UTC with whole milliseconds."""
        person_id = athlete.person.id
        own = self._memberships[person_id]
        races = {event.race.id: event for event in athlete.events}
        own_stage = {row.race_id: self._types.get(row.organization_id or "", "") for row in reversed(athlete.results)}
        matchups: Counter[str] = Counter()
        for race_id in races:
            matchups.update(self._runners[race_id])
        del matchups[person_id]
        likely = {
            other: count
            for other, count in matchups.items()
            # One or no shared stage and one match-up never reach 15 points without a shared organization.
            if count > 1 or not own.keys().isdisjoint(self._memberships[other])
        }
        meetings: defaultdict[str, list[Event]] = defaultdict(list)
        for race_id, event in races.items():
            for other in self._runners[race_id].keys() & likely.keys():
                meetings[other].extend([event] * self._runners[race_id][other])
        entries = [
            self._entry(person_id, other, likely[other], events, own_stage, generated_at)
            for other, events in meetings.items()
        ]
        kept = [entry for entry in entries if entry["rawScore"] >= KEPT_FROM]
        kept.sort(key=lambda entry: entry["relatedPersonId"])
        kept.sort(key=sort_key, reverse=True)
        return {"personId": person_id, "generatedAt": iso(generated_at), "topRelations": kept}

    def _entry(
        self,
        person_id: str,
        other: str,
        count: int,
        events: list[Event],
        own_stage: dict[str, str],
        now: datetime,
    ) -> dict[str, Any]:
        info, context = self._shared(person_id, other, now)
        dates = [_match_time(event) for event in events]
        dated = [moment for moment in dates if moment]
        stages = sorted(
            {own_stage[event.race.id] for event in events} & set(_STAGES),
            key=_STAGES.index,
        )
        latest = max(dated, default=None)
        matchup = [{"label": f"対戦{count}回", "contribution": 6 * log(1 + count)}]
        if dated:
            matchup.append({"label": f"対戦{len(dated)}年分", "contribution": 5 * log(1 + len(dated))})
        if len(stages) > 1:
            matchup.append({"label": f"{len(stages)}ステージで対戦", "contribution": 4.0 * (len(stages) - 1)})
        age = now - latest if latest else None
        recency = 0 if age is None else 2 if age < timedelta(days=731) else 1 if age < timedelta(days=1461) else 0
        raw = recency + sum(part["contribution"] for part in info + matchup)
        return {
            "relatedPersonId": other,
            "matchupCount": count,
            "stageCount": len(stages),
            "latestMatchAt": iso(latest) if latest else None,
            "rawScore": raw,
            "displayScore": display_score(raw),
            "hasHeadToHeadDetail": count >= 5,
            "context": context,
            "labels": {"info": info, "matchup": matchup},
            "matchupSignals": {
                "matchupCount": count,
                "matchupYearCount": len(dated),
                "stages": stages,
                "recency": recency,
            },
        }

    def _shared(self, person_id: str, other: str, now: datetime) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        mine, theirs = self._memberships[person_id], self._memberships[other]
        info: list[dict[str, Any]] = []
        hometown = self._hometowns[person_id]
        same_hometown = hometown is not None and hometown == self._hometowns[other]
        if same_hometown:
            info.append({"label": "同郷", "contribution": 3.0})
        origins: list[str] = []
        years_together = 0
        team_stages: list[str] = []
        for organization_id in mine.keys() & theirs.keys():
            stage = self._types[organization_id]
            if stage not in _ORIGIN_POINTS:
                continue
            origins.append(organization_id)
            info.append({"label": f"同じ{stage}", "contribution": float(_ORIGIN_POINTS[stage])})
            years = max(
                (_years_together(a, b, now.date()) for a in mine[organization_id] for b in theirs[organization_id]),
                default=0,
            )
            if years and stage in _TEAM_POINTS:
                base, per_year = _TEAM_POINTS[stage]
                info.append({"label": f"{stage}で{years}年重なる", "contribution": base + per_year * years})
                years_together += years
                team_stages.append(stage)
        context = {
            "sameHometown": same_hometown,
            "sharedOrigins": sorted(origins),
            "teamOverlapYears": years_together,
            "sharedTeamStages": sorted(team_stages),
        }
        return sorted(info, key=lambda part: part["label"]), context


def display_score(raw: float) -> float:
    """Three times the raw score, rounded half up to a tenth, at most 100."""
    return min(100.0, floor(raw * 30 + 0.5) / 10)


def sort_key(entry: dict[str, Any]) -> tuple[Any, ...]:
    """Order of entries, to be reversed; equal keys are ordered by ascending related person id."""
    return (entry["rawScore"], entry["matchupCount"], entry["latestMatchAt"] or "", entry["stageCount"])


def iso(moment: datetime) -> str:
    """The moment as JavaScript prints it, in UTC with milliseconds."""
    return moment.isoformat("T", "milliseconds") + "Z"


def _match_time(event: Event) -> datetime | None:
    return event.race.starts_at or event.edition.starts_on


def _by_organization(rows: list[Membership]) -> dict[str, list[Membership]]:
    grouped: dict[str, list[Membership]] = {}
    for row in rows:
        grouped.setdefault(row.organization_id, []).append(row)
    return grouped


def _years_together(a: Membership, b: Membership, today: date) -> int:
    start_a, start_b = _year(a.start_date, a.start_year), _year(b.start_date, b.start_year)
    if start_a is None or start_b is None:
        # The site counts one organization with an unknown start as one year together.
        return 1
    end_a = _year(a.end_date, a.end_year) or today.year
    end_b = _year(b.end_date, b.end_year) or today.year
    return max(0, min(end_a, end_b) - max(start_a, start_b) + 1)


def _year(moment: datetime | None, year: int | None) -> int | None:
    return moment.year if moment else year
