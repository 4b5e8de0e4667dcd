"""Which stage of a career a personal best claims, and whether the athlete's stays agree.

Belongs here: the comparison of flags and stage text with memberships. It goes by academic years, so that a race in
March by somebody who has just graduated still counts as the stage that ends then.
"""

import unicodedata
from collections.abc import Sequence
from datetime import date
from typing import Literal

from graphs.facts import Membership, PersonalBest
from graphs.rules.athlete import Athlete
from graphs.rules.periods import end_of, start_of
from graphs.text.school_year import academic_year

CareerStage = Literal["junior_high_school", "high_school", "university", "corporate_team"]

_STAGE_WORDS: dict[str, CareerStage] = {
    "junior_high_school": "junior_high_school",
    "junior_high": "junior_high_school",
    "中学": "junior_high_school",
    "中学校": "junior_high_school",
    "high_school": "high_school",
    "highschool": "high_school",
    "hs": "high_school",
    "高校": "high_school",
    "高等学校": "high_school",
    "university": "university",
    "college": "university",
    "大学": "university",
    "学生": "university",
    "corporate_team": "corporate_team",
    "corporate": "corporate_team",
    "実業団": "corporate_team",
}

_STAGES: tuple[CareerStage, ...] = ("junior_high_school", "high_school", "university", "corporate_team")


def stage_of_text(text: str | None) -> CareerStage | None:
    """The stage that free text names; None for text that nobody knows, which contradicts nothing."""
    if not text:
        return None
    folded = unicodedata.normalize("NFKC", text).strip().casefold().replace("-", "_").replace(" ", "_")
    return _STAGE_WORDS.get(folded)


def claimed_stages(best: PersonalBest) -> Sequence[CareerStage]:
    """The stages that a row claims by its flags or its text, in the order of a career."""
    named = stage_of_text(best.stage)
    claimed: set[CareerStage] = {named} if named else set()
    if best.is_high_school_pb:
        claimed.add("high_school")
    if best.is_college_pb:
        claimed.add("university")
    return [stage for stage in _STAGES if stage in claimed]


def known_stages(athlete: Athlete) -> frozenset[str]:
    """The stages of which the athlete has a stay, dated or not."""
    return frozenset(m.organization.type for m in athlete.athlete_memberships if m.organization.type in _STAGES)


def contradicting_stays(
    athlete: Athlete, stage: CareerStage, day: date, extra_university_years: int
) -> Sequence[Membership]:
    """The stays that speak against a mark of this stage on this day; empty where none does.

    Those are stays of other stages in that academic year, else every dated stay of the claimed stage when all of them
    lie elsewhere. Nothing speaks against a stage without a dated stay in a year of which nothing is known. A student
    may run on for some years after the projected graduation where no later stay is on record.
    """
    year = academic_year(day)
    dated = [m for m in athlete.athlete_memberships if m.organization.type in _STAGES and start_of(m) is not None]
    same = [m for m in dated if m.organization.type == stage]
    if any(_runs_in(m, year, 0) for m in same):
        return ()
    others = [m for m in dated if m.organization.type != stage and _runs_in(m, year, 0)]
    if not others and stage == "university" and any(_runs_in(m, year, extra_university_years) for m in same):
        return ()
    return others or same


def _runs_in(membership: Membership, year: int, extra_years: int) -> bool:
    start, end = start_of(membership), end_of(membership)
    if start is None or academic_year(start) > year:
        return False
    return end is None or year <= academic_year(end) + extra_years
