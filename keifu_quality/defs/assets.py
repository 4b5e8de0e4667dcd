"""The assets: the roster as partition keys, and the diagnosis of an athlete."""

import dagster as dg

from graphs.contracts import DiagnosisInput, DiagnosisReport
from keifu_quality.app import open_index
from keifu_quality.defs.checks import FAMILY_CHECKS, family_results
from keifu_quality.defs.metadata import candidates_metadata, report_metadata
from keifu_quality.defs.partitions import ATHLETES, synchronise
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase, Tracing, diagnostician

UNUSABLE_SHOWN = 50


@dg.asset(group_name="roster", kinds={"postgres"})
def athlete_roster(
    context: dg.AssetExecutionContext, business: BusinessDatabase, agent: AgentDatabase
) -> dg.MaterializeResult:
    """All athletes of the archive: their slugs as partition keys of `person_diagnosis`, their names in the index.

    Materialize it after athletes were added, renamed, merged or deleted.
    """
    with business.open() as opened, agent.open() as engine:
        index = open_index(opened, engine)
        refresh = index.refresh()
        changes = synchronise(context.instance, index.slugs())
    for slug in changes.unusable[:UNUSABLE_SHOWN]:
        context.log.warning(f"the slug {slug!r} cannot be a partition key; diagnose it with the job diagnose_person")
    return dg.MaterializeResult(
        metadata={
            "athletes": changes.total + len(changes.unusable),
            "keys_added": len(changes.added),
            "keys_removed": len(changes.removed),
            "slugs_that_cannot_be_keys": dg.MetadataValue.json(list(changes.unusable[:UNUSABLE_SHOWN])),
            "slugs_that_cannot_be_keys_count": len(changes.unusable),
            "names_added": refresh.added,
            "names_changed": refresh.changed,
            "names_removed": refresh.removed,
        }
    )


@dg.asset(
    partitions_def=ATHLETES,
    deps=[athlete_roster],
    check_specs=FAMILY_CHECKS,
    group_name="diagnosis",
    kinds={"langgraph", "postgres"},
)
def person_diagnosis(
    context: dg.AssetExecutionContext, business: BusinessDatabase, agent: AgentDatabase, tracing: Tracing
) -> dg.MaterializeResult:
    """The data-quality diagnosis of one athlete: findings with evidence, state of the record, suggested actions.

    Reads the archive and changes nothing there; the run, its events, checkpoints and result go to the agent database.
    """
    request = DiagnosisInput(person_slug=context.partition_key, triggered_by="dagster_partition")
    with diagnostician(business, agent) as service:
        report = service.diagnose(request, dagster_run_id=context.run.run_id)
    require_diagnosis(report)
    return dg.MaterializeResult(
        metadata=report_metadata(report, trace_url=tracing.trace_url(report.trace_id)),
        check_results=list(family_results(report)),
    )


def require_diagnosis(report: DiagnosisReport) -> None:
    """Raises dagster.Failure, with what to do, unless the report holds a diagnosis."""
    if report.summary is not None:
        return
    metadata: dict[str, dg.MetadataValue] = {"run_id": dg.MetadataValue.text(report.run_id)}
    named = report.input.person_slug or report.input.person_id or report.input.person_name
    if report.outcome == "not_found":
        raise dg.Failure(
            f"Nobody in the archive is called {named}. If the athlete was renamed, merged or deleted, materialize "
            "athlete_roster to bring the partitions up to date.",
            metadata=metadata,
            allow_retries=False,
        )
    if report.outcome == "ambiguous":
        metadata["candidates"] = candidates_metadata(report)
        raise dg.Failure(
            f"{named} may be several people: {', '.join(c.person_slug for c in report.candidates)}. Launch the job "
            "diagnose_person again with `clarification` set to one of these slugs.",
            metadata=metadata,
            allow_retries=False,
        )
    reason = report.error.message if report.error is not None else "the run left no result"
    raise dg.Failure(f"The diagnosis of {named} failed: {reason}", metadata=metadata)
