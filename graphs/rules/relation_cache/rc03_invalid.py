"""RC03: a relation cache that cannot be used as it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from graphs.contracts import Category, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.relation_cache.payload import PayloadReason
from graphs.rules.relation_cache.recompute import recompute_relations
from graphs.rules.relation_cache.status import cache_defects
from graphs.rules.rule import EVIDENCE_ROWS, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class PayloadDefectEvidence(Evidence):
    """One fault and where it lies."""

    reason: PayloadReason
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class RelationCacheInvalidEvidence(Evidence):
    """The gravest reason and its first place, then the faults in the order of the JSON, at most twenty."""

    reason: PayloadReason
    path: str
    defects: tuple[PayloadDefectEvidence, ...]
    defect_count: int
    generated_at: datetime


class RelationCacheInvalid(Rule):
    """The cached relations are not what the site's builder writes.

    Detects: the payload has the wrong shape or was written by an earlier builder, belongs to another athlete, names
    the athlete itself or somebody twice, is not sorted, holds a score below the builder's minimum, carries another
    time than its row, or was generated in the future.

    Why it matters: the page throws such a row away or, worse, shows it.

    Example: the payload of one athlete stands in the row of another.

    Traps: payloads of earlier builders are old, not corrupt, and only inform; an empty list is valid; the builder
    counts every dated race as a year of its own, which is its habit and no fault. People who no longer exist are
    RC05. A payload beyond the reading limit is not judged at all.

    What to do: rebuild the cache.
    """

    code = "RC03"
    name = "relation_cache_invalid"
    category = Category.RELATION_CACHE
    needs = ("relation_caches",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = RelationCacheInvalidEvidence
    action = recompute_relations("The cached relations fail their validator.")

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with all faults."""
        cache = athlete.relation_cache
        if cache is None:
            return
        defects = cache_defects(athlete, cache, context)
        if not defects:
            return
        ranks = list(PayloadReason)
        gravest = min(defects, key=lambda defect: ranks.index(defect.reason))
        outdated = gravest.reason is PayloadReason.OUTDATED_SCHEMA
        more = f" ({len(defects)} faults in all)" if len(defects) > 1 else ""
        yield Finding(
            key=(),
            severity=Severity.INFO if outdated else Severity.WARNING,
            detail=f"{gravest.reason.value}: {gravest.path} {gravest.message}{more}.",
            evidence=RelationCacheInvalidEvidence(
                reason=gravest.reason,
                path=gravest.path,
                defects=tuple(
                    PayloadDefectEvidence(reason=defect.reason, path=defect.path, message=defect.message)
                    for defect in defects[:EVIDENCE_ROWS]
                ),
                defect_count=len(defects),
                generated_at=cache.generated_at,
            ),
        )
