"""PB10: personal bests that do not say where they come from."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import PersonalBest
from graphs.rules.athlete import Athlete
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class ProvenanceGap(Evidence):
    """A row and what it lacks; `organization_id` is named where it points at nothing."""

    id: str
    discipline: str
    mark: str
    missing: tuple[str, ...]
    organization_id: str | None


@dataclass(frozen=True, slots=True)
class ProvenanceEvidence(Evidence):
    """The rows with a gap, and how many rows the athlete has."""

    gaps: tuple[ProvenanceGap, ...]
    gap_count: int
    best_count: int


class ProvenanceIncomplete(Rule):
    """Personal bests do not say where they come from.

    Detects: rows without a source, or without day, meet and venue all at once; one finding for the athlete. Rows whose
    organization no longer exists are a finding of their own.

    Why it matters: a mark without a source cannot be checked, and a reference to a removed organization breaks what
    is grouped by team.

    Example: three bests from an entry list, with marks and nothing else.

    Traps: the importer never fills day, meet and venue, so their absence is the normal state: it informs and suggests
    nothing. References dangle after two organizations were merged, since no foreign key follows; that is a warning.

    What to do: point a dangling reference at the organization that the old one was merged into.
    """

    code = "PB10"
    name = "provenance_incomplete"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.INFO, Severity.WARNING)
    evidence_type = ProvenanceEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="complete_provenance",
        reason="A personal best refers to an organization that no longer exists; refer to the one it was merged into.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """At most two findings: what is missing, and what dangles."""
        if not len(athlete.snapshot.personal_bests):
            return
        incomplete = [gap for best in athlete.personal_bests if (gap := _gap(best)).missing]
        if incomplete:
            missing = sorted({name for gap in incomplete for name in gap.missing})
            yield _finding(athlete, "incomplete", Severity.INFO, incomplete, f"lack {', '.join(missing)}")
        dangling = [
            _gap(best)
            for best in athlete.personal_bests
            if best.organization_id is not None and not best.organization_exists
        ]
        if dangling:
            yield _finding(
                athlete, "dangling", Severity.WARNING, dangling, "refer to an organization that does not exist"
            )


def _gap(best: PersonalBest) -> ProvenanceGap:
    unplaced = best.achieved_on is None and not (best.competition_name or "").strip() and not (best.venue or "").strip()
    missing = (["achievedOn", "competitionName", "venue"] if unplaced else []) + ([] if best.source else ["sourceId"])
    return ProvenanceGap(
        id=best.id,
        discipline=best.discipline,
        mark=best.mark,
        missing=tuple(missing),
        organization_id=None if best.organization_exists else best.organization_id,
    )


def _finding(athlete: Athlete, key: str, severity: Severity, gaps: list[ProvenanceGap], what: str) -> Finding:
    total = len(athlete.personal_bests)
    return Finding(
        key=(key,),
        severity=severity,
        detail=f"{len(gaps)} of {total} personal bests {what}.",
        evidence=ProvenanceEvidence(gaps=tuple(gaps[:EVIDENCE_ROWS]), gap_count=len(gaps), best_count=total),
        actionable=severity is not Severity.INFO,
    )
