"""PC03: a profile called verified that is not complete."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.affiliation import is_temporary, same_organization
from graphs.rules.athlete import Athlete
from graphs.rules.periods import SCHOOL_STAGES
from graphs.rules.profile_coverage.scope import is_athlete, is_foreign
from graphs.rules.racing import EKIDEN_TYPES
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class FailedCriterion(Evidence):
    """A criterion that fails, with the ids of the rows that fail it (at most twenty) and their number."""

    criterion: str
    row_ids: tuple[str, ...]
    row_count: int


@dataclass(frozen=True, slots=True)
class VerifiedIncompleteEvidence(Evidence):
    """The criteria that fail, in a fixed order, and what fails them."""

    failed_criteria: tuple[str, ...]
    failures: tuple[FailedCriterion, ...]


class VerifiedButIncomplete(Rule):
    """The profile is verified although it is incomplete.

    Detects: a verified athlete for whom one of these fails: a reading or a romanised name; an affiliation; schools
    that explain the results run for schools; birth date and hometown; a source for every best of the main
    disciplines; no conflicting row; a mark in every ekiden result that is over.

    Why it matters: verified tells maintainers to look no further.

    Example: a verified athlete ran the national high-school ekiden for a school that is not in the record.

    Traps: not every field is demanded: either form of the name will do, height and weight are never asked for, a
    foreign athlete needs no hometown, nobody needs bests. Teams for a day explain nothing and need no explanation. A
    single verified row does not count for the person. Coaches and staff are skipped.

    What to do: complete the record, or set the status back to pending.
    """

    code = "PC03"
    name = "verified_but_incomplete"
    category = Category.PROFILE_COVERAGE
    severities = (Severity.WARNING,)
    evidence_type = VerifiedIncompleteEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="review_person_status",
        reason="The person is verified although the record is incomplete.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with all criteria that fail."""
        if athlete.person.status != "verified" or not is_athlete(athlete.person):
            return
        failures = tuple(_failures(athlete, context))
        if failures:
            criteria = tuple(failure.criterion for failure in failures)
            yield Finding(
                key=(),
                severity=Severity.WARNING,
                detail=f"Verified, but these fail: {', '.join(criteria)}.",
                evidence=VerifiedIncompleteEvidence(failed_criteria=criteria, failures=failures),
            )


def _failures(athlete: Athlete, context: RuleContext) -> Iterator[FailedCriterion]:
    person = athlete.person
    thresholds = context.configuration.profile_coverage
    if not person.kana and not person.roman:
        yield _failure("reading_or_roman")
    if len(athlete.memberships) == 0:
        yield _failure("affiliation")
    unexplained = _unexplained_results(athlete)
    if unexplained:
        yield _failure("school_history", unexplained)
    if person.birth_date is None:
        yield _failure("birth_date")
    if not person.hometown and not is_foreign(person, thresholds):
        yield _failure("hometown")
    unsourced = [
        best.id
        for best in athlete.personal_bests
        if best.source is None and best.discipline in thresholds.main_disciplines
    ]
    if unsourced:
        yield _failure("personal_best_source", unsourced)
    rows = (*athlete.memberships, *athlete.personal_bests, *athlete.results)
    conflicting = [row.id for row in rows if row.status == "conflicting"]
    if conflicting:
        yield _failure("no_conflicting_row", conflicting)
    unmarked = [
        result.id
        for result in athlete.results
        if not (result.mark and result.mark.strip())
        and result.race.competition_type in EKIDEN_TYPES
        and athlete.race_dates[result.id].value < context.today
    ]
    if unmarked:
        yield _failure("ekiden_mark", unmarked)


def _unexplained_results(athlete: Athlete) -> list[str]:
    """Finishes for a school at which the athlete has no membership."""
    found: list[str] = []
    for result in athlete.finishes:
        organization = result.organization
        if organization is None or organization.type not in SCHOOL_STAGES or is_temporary(organization):
            continue
        if not any(same_organization(stay.organization, organization) for stay in athlete.athlete_memberships):
            found.append(result.id)
    return found


def _failure(criterion: str, row_ids: list[str] | None = None) -> FailedCriterion:
    ids = row_ids or []
    return FailedCriterion(criterion=criterion, row_ids=tuple(ids[:EVIDENCE_ROWS]), row_count=len(ids))
