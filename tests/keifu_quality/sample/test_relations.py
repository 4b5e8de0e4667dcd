from datetime import date, datetime
from math import log
from typing import Any

import pytest

from keifu_quality.sample.relations import RelationBuilder, display_score
from keifu_quality.sample.workshop import Workshop

NOW = datetime(2026, 10, 31, 5)  # noqa: DTZ001 the archive's times are naive UTC


@pytest.fixture
def workshop() -> Workshop:
    return Workshop(30, 1, date(2026, 11, 1))


def relations(w: Workshop) -> list[dict[str, Any]]:
    builder = RelationBuilder(w.athletes, w.calendar.events, w.organization_types)
    return builder.payload(w.athletes[0], NOW)["topRelations"]


def test_university_team_mates_score_by_team_years_and_match_ups(workshop: Workshop) -> None:
    w = workshop
    university = w.organizations.universities[0]
    first, mate = w.athlete(), w.athlete()
    w.school(first, university, 2019)
    w.school(mate, university, 2021)
    for number in range(2):
        event = w.calendar.time_trial("m5000", date(2021, 6, 8), number)
        for athlete in (first, mate):
            w.result(athlete, event, university)

    [entry] = relations(w)

    # Calendar years 2021, 2022 and 2023 are common; the meetings are more than four years back.
    assert entry["rawScore"] == pytest.approx(5 + 10 + 2 * 3 + 6 * log(3) + 5 * log(3))
    assert entry["context"]["teamOverlapYears"] == 3
    assert (entry["matchupCount"], entry["stageCount"]) == (2, 1)
    assert entry["latestMatchAt"] == "2021-06-08T03:10:00.000Z"
    assert not entry["hasHeadToHeadDetail"]


def test_strangers_are_kept_once_they_met_often_enough(workshop: Workshop) -> None:
    w = workshop
    first, other, rare = w.athlete(), w.athlete(), w.athlete()
    for number in range(3):
        event = w.calendar.time_trial("m5000", date(2026, 6, 8), number)
        for athlete in (first, other) if number else (first, other, rare):
            w.result(athlete, event, None)

    [entry] = relations(w)

    assert entry["relatedPersonId"] == other.person.id
    assert entry["rawScore"] == pytest.approx(2 + 6 * log(4) + 5 * log(4))


def test_results_without_a_mark_count_as_meetings(workshop: Workshop) -> None:
    w = workshop
    first, other = w.athlete(), w.athlete()
    for number in range(3):
        event = w.calendar.time_trial("m5000", date(2026, 6, 8), number)
        w.result(first, event, None)
        w.result(other, event, None, mark="DNS")

    [entry] = relations(w)

    assert entry["matchupCount"] == 3


@pytest.mark.parametrize(("raw", "shown"), [(15.0, 45.0), (15.02, 45.1), (33.34, 100.0), (20.016, 60.0)])
def test_the_shown_score_is_three_times_the_raw_one_up_to_a_hundred(raw: float, shown: float) -> None:
    assert display_score(raw) == shown
