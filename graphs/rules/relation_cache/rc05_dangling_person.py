"""RC05: a relation cache that names people who are gone."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import Category, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.relation_cache.recompute import recompute_relations
from graphs.rules.relation_cache.status import dangling_person_ids, inputs_of
from graphs.rules.rule import EVIDENCE_ROWS, Evidence, Finding, Rule, RuleContext

SHOWN_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class DanglingPerson(Evidence):
    """A named id without a person, and the audit record of the merge that removed it, where there is one."""

    person_id: str
    merge_audit_id: str | None


@dataclass(frozen=True, slots=True)
class RelationCacheDanglingPersonEvidence(Evidence):
    """The ids in order, at most twenty, and how many there are."""

    people: tuple[DanglingPerson, ...]
    dangling_count: int


class RelationCacheDanglingPerson(Rule):
    """The cached relations name people who no longer exist.

    Detects: an id in the payload without a person in the archive.

    Why it matters: a merge deletes a person but not the mention in other people's caches, so pages link to nobody.

    Example: two records of one runner were merged; the caches of forty opponents still name the removed id.

    Traps: a payload of an earlier builder is checked too, as far as its ids can be read. A deletion leaves no time
    stamp, so nothing but the ids shows it.

    What to do: rebuild every cache that names the id.
    """

    code = "RC05"
    name = "relation_cache_dangling_person"
    category = Category.RELATION_CACHE
    needs = ("relation_caches",)
    severities = (Severity.WARNING,)
    evidence_type = RelationCacheDanglingPersonEvidence
    action = recompute_relations("The cached relations name people who no longer exist; rebuild every cache that does.")

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with all ids."""
        cache = athlete.relation_cache
        if cache is None:
            return
        dangling = dangling_person_ids(athlete, cache)
        if dangling:
            audits = inputs_of(athlete).merge_audit_ids
            yield Finding(
                key=(),
                severity=Severity.WARNING,
                detail=f"{len(dangling)} named people do not exist, first {dangling[0][:SHOWN_CHARACTERS]}.",
                evidence=RelationCacheDanglingPersonEvidence(
                    people=tuple(
                        DanglingPerson(person_id=gone[:SHOWN_CHARACTERS], merge_audit_id=audits.get(gone))
                        for gone in dangling[:EVIDENCE_ROWS]
                    ),
                    dangling_count=len(dangling),
                ),
            )
