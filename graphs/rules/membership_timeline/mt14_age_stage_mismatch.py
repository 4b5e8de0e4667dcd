"""MT14: an entry into a school that does not fit the birth date."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.affiliation import EMPLOYERS, is_abroad, is_foreign, is_technical_college
from graphs.rules.athlete import Athlete
from graphs.rules.membership_timeline.evidence import MembershipRow, described, membership_row
from graphs.rules.membership_timeline.pairs import has_graduate_words
from graphs.rules.membership_timeline.stays import dated_stays
from graphs.rules.membership_timeline.thresholds import MembershipTimelineThresholds
from graphs.rules.periods import start_of
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.school_year import academic_year, cohort, entry_gap


@dataclass(frozen=True, slots=True)
class AgeStageEvidence(Evidence):
    """The birth date with its school cohort, the year of entry, and the years between it and the normal entry."""

    birth_date: date
    cohort: int
    membership: MembershipRow
    entry: int
    gap: int


class AgeStageMismatch(Rule):
    """The entry into a school does not fit the birth date.

    Detects: the years between the normal entry of the birth cohort and the stored entry into a high school or a
    university. An error for an entry before the normal one (university: more than one year before); a warning for
    two years and more after it (university: three).

    Why it matters: either the birth date or the row belongs to somebody else.

    Example: born on 2004-05-01, high school from 2019-04-01: one year too early.

    Traps: a child born on 1 April belongs to the older class. One or two years of preparing for an entrance
    examination are normal, one year early into a university exists. Foreign students and schools abroad are left
    out. A technical college is entered as a high school is, however it is stored. Somebody who worked before, a
    graduate school and a second school of the stage may start at any later age. A start known by its year only is
    the first season seen, so it can be too early but not too late.

    What to do: check the birth date first, then the entry.
    """

    code = "MT14"
    name = "age_stage_mismatch"
    category = Category.MEMBERSHIP_TIMELINE
    needs = ("memberships",)
    severities = (Severity.ERROR, Severity.WARNING)
    evidence_type = AgeStageEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="verify_birth_or_entry",
        reason="An entry into a school does not fit the birth date; verify both.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per school row that does not fit."""
        birth = athlete.person.birth_date
        if athlete.person.type != "athlete" or birth is None or is_foreign(athlete.person):
            return
        thresholds = context.configuration.membership_timeline
        worked_since: date | None = None
        seen: set[str] = set()
        for stay in dated_stays(athlete):
            start, stage = start_of(stay), stay.organization.type
            if start is None:
                continue
            if stage in EMPLOYERS:
                worked_since = worked_since or start
            if stage not in ("high_school", "university") or is_abroad(stay.organization):
                continue
            if is_technical_college(stay.organization):
                stage = "high_school"
            entry = academic_year(start)
            gap = entry_gap(birth, entry, stage)
            may_be_late = (
                stage in seen or worked_since is not None or stay.start_date is None or has_graduate_words(stay)
            )
            seen.add(stage)
            severity = _severity(stage, gap, thresholds)
            if severity is None or (severity is Severity.WARNING and may_be_late):
                continue
            yield Finding(
                key=(stay.id,),
                severity=severity,
                detail=f"Born on {birth}, {described(stay)}: {abs(gap)} years {'before' if gap < 0 else 'after'} "
                "the normal entry.",
                evidence=AgeStageEvidence(
                    birth_date=birth,
                    cohort=cohort(birth),
                    membership=membership_row(stay),
                    entry=entry,
                    gap=gap,
                ),
            )


def _severity(
    stage: Literal["high_school", "university"], gap: int, thresholds: MembershipTimelineThresholds
) -> Severity | None:
    university = stage == "university"
    if gap < (thresholds.earliest_university_gap if university else thresholds.earliest_high_school_gap):
        return Severity.ERROR
    if gap >= (thresholds.late_university_gap if university else thresholds.late_high_school_gap):
        return Severity.WARNING
    return None
