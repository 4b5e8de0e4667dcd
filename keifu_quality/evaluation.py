"""All rules over many athletes, without runs: for measuring rules, not for diagnosing.

Belongs here: the chunked read and the evaluation of each athlete. Stays out: what is done with the findings
(`keifu_quality.accuracy`, `keifu_quality.rehearsal`), and stored diagnoses (`keifu_quality.diagnosis`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.contracts import Category, DiagnosisIssue, UnevaluatedRule
from graphs.ports import BusinessReader
from graphs.rules.athlete import Athlete
from graphs.rules.evaluate import evaluate_family
from graphs.rules.rule import RuleContext

CHUNK_SIZE = 250
"""Athletes read at once: enough that statements cost little, few enough that memory stays small."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What the rules say of one athlete, and the rules that could not finish."""

    person_id: str
    slug: str
    findings: tuple[DiagnosisIssue, ...]
    not_evaluated: tuple[UnevaluatedRule, ...]


def evaluate_roster(
    reader: BusinessReader, person_ids: Sequence[str], context: RuleContext, *, chunk_size: int = CHUNK_SIZE
) -> Iterator[Evaluated]:
    """Evaluates each athlete in the order of the ids; those who are gone are left out.

    Raises what the database raises when it cannot answer.
    """
    for start in range(0, len(person_ids), chunk_size):
        snapshots = reader.load_snapshots(person_ids[start : start + chunk_size])
        for person_id, snapshot in snapshots.items():
            athlete = Athlete(snapshot)
            families = [evaluate_family(category, athlete, context) for category in Category]
            yield Evaluated(
                person_id=person_id,
                slug=snapshot.person.slug,
                findings=tuple(finding for family in families for finding in family.findings),
                not_evaluated=tuple(rule for family in families for rule in family.not_evaluated),
            )
