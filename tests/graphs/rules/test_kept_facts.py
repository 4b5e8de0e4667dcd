"""What rules keep from one athlete to the next never speaks of another athlete, nor hides rows that were not read."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from graphs.contracts import AuditData, Category
from graphs.facts import FactsUnavailableError, Snapshot, Unavailable
from graphs.rules.athlete import Athlete
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.evaluate import evaluate_family
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.membership_timeline.windows import races_of_members
from graphs.rules.rule import RuleContext
from tests.graphs.rules.facts_builder import build_snapshot

CONTEXT = RuleContext(
    today=date(2026, 11, 1), now=datetime(2026, 11, 1, 3, tzinfo=UTC), configuration=RuleConfiguration()
)
SCHOOL = "university:例示大学"


def runner(person: dict[str, Any] | None = None, *, races: int = 1, member: bool = True) -> Snapshot:
    """An athlete with races for one university, as a member of it or not."""
    stay = {"organization": SCHOOL, "start_date": date(2022, 4, 1), "end_date": date(2026, 3, 31)}
    return build_snapshot(
        {
            "person": {"birth_date": None, "roman": None, "nationality": None, **(person or {})},
            "memberships": [stay] if member else [],
            "results": [
                {"race": {"leg": leg, "on": date(2024, 1, 2)}, "organization": SCHOOL, "grade_at_race": 2}
                for leg in range(1, races + 1)
            ],
        }
    )


def audit(family: Category, snapshot: Snapshot, context: RuleContext = CONTEXT) -> AuditData:
    return evaluate_family(family, Athlete(snapshot), context)


def test_missing_fields_are_those_of_the_athlete_asked_for() -> None:
    snapshots = [
        runner(),
        runner(races=2),
        runner({"roman": "REIJI Taro"}),
        runner({"roman": "", "birth_date": date(2003, 5, 1)}),
        runner(),
    ]
    found = [audit(Category.PROFILE_COVERAGE, snapshot).findings[0] for snapshot in snapshots]
    assert [finding.code for finding in found] == ["PC01"] * 5
    assert [finding.evidence["resultCount"] for finding in found] == [1, 2, 1, 1, 1]
    assert ["displayNameRoman" in finding.evidence["missing"] for finding in found] == [True, True, False, True, True]
    assert ["birthDate" in finding.evidence["missing"] for finding in found] == [True, True, True, False, True]
    assert found[0] == found[4] != found[1]


def test_a_source_makes_missing_fields_actionable_for_its_athlete_only() -> None:
    bare = runner()
    sourced = replace(bare, source_references=build_snapshot({"source_references": [{}]}).source_references)
    found = [audit(Category.PROFILE_COVERAGE, snapshot).findings[0] for snapshot in (bare, sourced, bare)]
    assert [finding.actionable for finding in found] == [False, True, False]


def test_stays_are_those_of_the_athlete_asked_for() -> None:
    member, guest = Athlete(runner()), Athlete(runner(member=False))
    assert [len(group.stays) for athlete in (member, guest, member) for group in races_of_members(athlete)] == [1, 0, 1]
    codes = [
        {finding.code for finding in audit(Category.MEMBERSHIP_TIMELINE, athlete.snapshot).findings}
        for athlete in (member, guest, member)
    ]
    assert codes == [set(), {"MT10"}, set()]


@pytest.mark.parametrize("section", ["memberships", "results"])
def test_rows_that_could_not_be_read_raise_at_every_look(section: str) -> None:
    rows = Unavailable[Any](table=section, code="permission_denied", message=f"cannot read {section}")
    broken = Athlete(replace(runner(), **{section: rows}))
    races_of_members(Athlete(runner()))
    for _ in range(2):
        with pytest.raises(FactsUnavailableError, match=section):
            races_of_members(broken)


def test_absent_teams_are_those_of_the_configuration_asked_for() -> None:
    snapshot = runner()
    organization, race = snapshot.results[0].organization, snapshot.results[0].race
    assert organization is not None
    teams = ((race.competition_slug, race.edition_number or 0, organization.slug),)
    race = replace(race, edition_number=race.edition_number or 0)
    snapshot = replace(snapshot, results=(replace(snapshot.results[0], race=race),))
    listed = RuleConfiguration(membership_timeline=MembershipTimelineThresholds(absent_teams=teams))
    found = [
        [finding.code for finding in audit(Category.MEMBERSHIP_TIMELINE, snapshot, context).findings]
        for context in (CONTEXT, replace(CONTEXT, configuration=listed), CONTEXT)
    ]
    assert found == [[], ["MT16"], []]
