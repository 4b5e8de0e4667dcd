"""PC04: a person made from one result row."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.profile_coverage.scope import is_athlete
from graphs.rules.profile_coverage.shell import is_shell
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class ShellPersonEvidence(Evidence):
    """The few rows behind the record, and the id of the source that most likely made it."""

    membership_count: int
    personal_best_count: int
    result_count: int
    created_by_source: str | None


class ShellPerson(Rule):
    """The record is a shell.

    Detects: a pending athlete without memberships and personal bests, with one result or none.

    Why it matters: a shell is legitimate, but it is the likeliest double of somebody else.

    Example: a name on one leg of one ekiden, without a school.

    Traps: missing fields of a shell are not reported as well (PC01). Coaches and staff are skipped.

    What to do: wait for more sources; look at the candidates of the same name first.
    """

    code = "PC04"
    name = "shell_person"
    category = Category.PROFILE_COVERAGE
    severities = (Severity.INFO,)
    evidence_type = ShellPersonEvidence
    action = ActionTemplate(
        type=ActionType.DEFER,
        name="wait_for_more_sources",
        reason="Nothing but one result row is known of this person.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding on a shell."""
        if not is_athlete(athlete.person) or not is_shell(athlete):
            return
        results, references = athlete.results, athlete.source_references
        made_by = results[0].source_id if results else None
        yield Finding(
            key=(),
            severity=Severity.INFO,
            detail=f"No memberships, no personal bests, {len(results)} result(s).",
            evidence=ShellPersonEvidence(
                membership_count=0,
                personal_best_count=0,
                result_count=len(results),
                created_by_source=made_by or (references[0].source.id if references else None),
            ),
        )
