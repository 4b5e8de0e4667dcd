"""PB14: a personal best that differs from the newest import payload."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import PayloadBest
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import BestRow, best_row, millis_of
from graphs.rules.racing import parsed_mark
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class LatestPayloadEvidence(Evidence):
    """The row, what the newest payload prints, and how many namesakes the payload may have meant instead."""

    best: BestRow
    payload_mark: str
    payload_source_id: str
    payload_file: str
    delta_millis: int
    source_differs: bool
    namesake_count: int


class NotMatchingLatestPayload(Rule):
    """A personal best differs from the newest import payload.

    Detects: a row whose mark or source is not that of the newest import payload with this athlete's name. The newest
    is the one of the highest edition, then leg, then file name.

    Why it matters: a list that was imported but did not arrive shows an import that went wrong.

    Example: 13:52.10 on record while the list of the latest edition says 13:45.67.

    Traps: payloads know names only, so a namesake's mark may be meant; the evidence says how many there are. Protected
    athletes differ on purpose and are skipped. Marks are compared as durations, never as text. The rule needs the
    import payloads at hand and is off unless it is asked for.

    What to do: run the site's audit over its payloads and look at the import of the file that is named.
    """

    code = "PB14"
    name = "not_matching_latest_payload"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests", "payload_bests")
    severities = (Severity.INFO,)
    evidence_type = LatestPayloadEvidence
    action = ActionTemplate(
        type=ActionType.SCRIPT,
        name="audit_payload_bests",
        reason="A personal best differs from the newest import payload; the site's read-only audit shows the import.",
        risk=RiskLevel.LOW,
        command="pnpm tsx scripts/maintenance/audit-personal-best-consistency.ts",
    )
    enabled_by_default = False

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every row that differs from the newest payload."""
        if not len(athlete.snapshot.payload_bests) or athlete.person.slug in context.configuration.protected_slugs:
            return
        newest: dict[str, PayloadBest] = {}
        for candidate in sorted(athlete.snapshot.payload_bests, key=_rank):
            if parsed_mark(candidate.mark, candidate.discipline).kind == "time":
                newest[candidate.discipline] = candidate
        for best in athlete.personal_bests:
            candidate = newest.get(best.discipline)
            if candidate is None:
                continue
            stored = millis_of(best, athlete.parsed_bests[best.id])
            printed = parsed_mark(candidate.mark, candidate.discipline).millis
            source_differs = (best.source.id if best.source else None) != candidate.source_id
            if stored is None or printed is None or (stored == printed and not source_differs):
                continue
            what = "another source" if stored == printed else candidate.mark
            yield Finding(
                key=(best.id,),
                severity=Severity.INFO,
                detail=f"{best.discipline} {best.mark}: {candidate.file_name} has {what}.",
                evidence=LatestPayloadEvidence(
                    best=best_row(best),
                    payload_mark=candidate.mark,
                    payload_source_id=candidate.source_id,
                    payload_file=candidate.file_name,
                    delta_millis=stored - printed,
                    source_differs=source_differs,
                    namesake_count=sum("strict" in other.shared_keys for other in athlete.candidates),
                ),
            )


def _rank(best: PayloadBest) -> tuple[int, int, str]:
    return (
        best.edition if best.edition is not None else -1,
        best.leg if best.leg is not None else -1,
        best.file_name,
    )
