"""PN14: a merged person that came back."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class ResurrectedEvidence(Evidence):
    """The merge that removed the slug, and who was to take its place."""

    audit_id: str
    slug: str
    canonical_person_id: str | None
    canonical_slug: str | None
    merged_at: datetime
    created_at: datetime


class MergedPersonResurrected(Rule):
    """A merged record exists again.

    Detects: the athlete's slug is the removed slug of a recorded merge.

    Why it matters: the importer finds people by slug, so running an old payload again made the merged person anew;
    the results are split once more, and each further run does it again.

    Example: taro-reimi was merged into reimi-taro; an old payload was imported and taro-reimi is back.

    Traps: a merge whose canonical person has taken over the slug is in order.

    What to do: merge again, and put the canonical slug into the payload before it is imported another time.
    """

    code = "PN14"
    name = "merged_person_resurrected"
    category = Category.PERSON_NORMALIZATION
    needs = ("merge_records",)
    severities = (Severity.CRITICAL,)
    evidence_type = ResurrectedEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="re_merge_and_fix_payload",
        reason="A merged record was made again by an import; merge it and correct the slug in the payload.",
        risk=RiskLevel.HIGH,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for the newest merge that removed the slug."""
        person = athlete.person
        merges = [
            m for m in athlete.merge_records if m.merged_slug == person.slug and m.canonical_person_id != person.id
        ]
        if not merges:
            return
        merge = merges[-1]
        canonical = merge.canonical_slug or merge.canonical_person_id or "another person"
        yield Finding(
            key=(person.slug,),
            severity=Severity.CRITICAL,
            detail=f"{person.slug} was merged into {canonical} on {merge.created_at.date()} and exists again.",
            evidence=ResurrectedEvidence(
                audit_id=merge.audit_id,
                slug=person.slug,
                canonical_person_id=merge.canonical_person_id,
                canonical_slug=merge.canonical_slug,
                merged_at=merge.created_at,
                created_at=person.created_at,
            ),
        )
