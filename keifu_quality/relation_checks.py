"""Checks of the relations alone, for opponents of athletes that an import touched.

Belongs here: what such a run is asked for, and the result that is stored of it, with all other families as the
athlete's newest result has them. Stays out: how two results are joined (`graphs.person_diagnosis.carry_over`), SQL.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from graphs.contracts import Category, DiagnosisInput, DiagnosisSummary, FamilyReport, TriggeredBy
from graphs.person_diagnosis.carry_over import Result, carry_over
from keifu_quality.db.chunk_results import ChunkRun
from keifu_quality.db.latest_results import StoredResult
from keifu_quality.roster import FINDINGS, outcome_of, stored_form

RELATIONS = (Category.RELATION_CACHE,)
FAMILIES = TypeAdapter(tuple[FamilyReport, ...])


def relation_check(person_id: str, *, triggered_by: TriggeredBy) -> DiagnosisInput:
    """The request for a check of one athlete's relations."""
    return DiagnosisInput(person_id=person_id, triggered_by=triggered_by, families=RELATIONS)


def made_whole(runs: Sequence[ChunkRun], earlier: Mapping[str, StoredResult]) -> Sequence[ChunkRun]:
    """These runs in their order, the checks of relations among them with what was found before, by person id.

    Hold the athletes, so that nobody stores another result in between. A check of an athlete that has no result yet
    stays as it is: its other families are not evaluated.
    """
    return [_made_whole(run, earlier) for run in runs]


def _made_whole(run: ChunkRun, by_person: Mapping[str, StoredResult]) -> ChunkRun:
    earlier = by_person.get(run.person_id or "")
    if earlier is None or run.families is None or run.result is None:
        return run
    whole = carry_over(
        Result(
            run_id=earlier.run_id,
            families=FAMILIES.validate_python(earlier.families),
            findings=FINDINGS.validate_python(earlier.findings),
        ),
        DiagnosisSummary.model_validate_json(run.result.summary),
        FINDINGS.validate_json(run.result.findings),
        evaluated=run.families,
        person_id=earlier.person_id,
        slug=run.person_slug or "",
    )
    return replace(
        run,
        outcome=outcome_of(whole.summary.families),
        result=stored_form(whole.summary, whole.findings, whole.actions),
    )
