"""The assets: the roster as partition keys, and the diagnosis of an athlete."""

from collections.abc import Iterator

import dagster as dg

from graphs.contracts import DiagnosisInput, DiagnosisReport
from keifu_quality.app import open_index
from keifu_quality.chunk_diagnosis import diagnose_athletes
from keifu_quality.db.roster_state import roster_state
from keifu_quality.defs.checks import FAMILY_CHECKS, failed_evaluations, family_results
from keifu_quality.defs.chunk_events import ChunkEvents
from keifu_quality.defs.keys import UNUSABLE_SHOWN, bring_keys_in_step
from keifu_quality.defs.metadata import candidates_metadata, report_metadata
from keifu_quality.defs.partitions import ATHLETES
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase, Tracing, diagnostician
from keifu_quality.defs.roster_checks import roster_results
from keifu_quality.logs import configure_logs_for_dagster
from keifu_quality.settings import load_settings

RANGE_SIZE = 500
"""Partitions of one run of a backfill; Dagster's bookkeeping of a run grows with them."""


@dg.asset(group_name="roster", kinds={"postgres"})
def athlete_roster(
    context: dg.AssetExecutionContext, business: BusinessDatabase, agent: AgentDatabase
) -> dg.MaterializeResult:
    """All athletes of the archive: their slugs as partition keys of `person_diagnosis`, their names in the index.

    Materialize it after athletes were added, renamed, merged or deleted.
    """
    refresh, changes = bring_keys_in_step(context, business, agent)
    return dg.MaterializeResult(
        metadata={
            "athletes": len(changes.keys) + len(changes.unusable),
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
    backfill_policy=dg.BackfillPolicy.multi_run(RANGE_SIZE),
    # A range marks the partitions of those that it diagnosed, and not of those that failed.
    output_required=False,
    deps=[athlete_roster],
    check_specs=FAMILY_CHECKS,
    group_name="diagnosis",
    kinds={"langgraph", "postgres"},
)
def person_diagnosis(
    context: dg.AssetExecutionContext, business: BusinessDatabase, agent: AgentDatabase, tracing: Tracing
) -> Iterator[dg.MaterializeResult | dg.AssetCheckResult]:
    """The data-quality diagnosis of one athlete: findings with evidence, state of the record, suggested actions.

    Reads the archive and changes nothing there; the run, its events, checkpoints and result go to the agent database.
    A range of partitions is diagnosed in chunks, without checkpoints.
    """
    if len(context.partition_keys) == 1:
        yield _diagnose_one(context, business, agent, tracing)
    else:
        yield from _diagnose_range(context, business, agent)


def _diagnose_one(
    context: dg.AssetExecutionContext, business: BusinessDatabase, agent: AgentDatabase, tracing: Tracing
) -> dg.MaterializeResult:
    request = DiagnosisInput(person_slug=context.partition_key, triggered_by="dagster_partition")
    with diagnostician(business, agent) as service:
        report = service.diagnose(request, dagster_run_id=context.run.run_id)
    failure = _failure(report)
    if failure is not None:
        # A yielded result would be tied to the partition's last materialization, and the UI shows only results for the
        # newest materialization of all.
        for evaluation in failed_evaluations(report, failure.description or ""):
            context.log_event(evaluation)  # pyright: ignore[reportArgumentType] accepted, missing from its annotation
        raise failure
    return dg.MaterializeResult(
        metadata=report_metadata(report, trace_url=tracing.trace_url(report.trace_id)),
        check_results=list(family_results(report)),
    )


def _diagnose_range(
    context: dg.AssetExecutionContext, business: BusinessDatabase, agent: AgentDatabase
) -> Iterator[dg.AssetCheckResult]:
    configure_logs_for_dagster()
    keys = set(context.partition_keys)
    events = ChunkEvents(context, keys)
    with business.open() as opened, agent.open() as engine:
        index = open_index(opened, engine)
        index.refresh()
        slugs = {person_id: slug for person_id, slug in index.people() if slug in keys}
        diagnose_athletes(
            load_settings(),
            opened,
            engine,
            list(slugs),
            triggered_by="dagster_partition",
            dagster_run_id=context.run.run_id,
            chunk_done=events.chunk_done,
        )
        state = roster_state(engine)
    yield from roster_results(state)
    missing = sorted(keys - set(slugs.values()))
    events.gone.extend(missing)
    events.require_all_diagnosed(also_gone=True)


def require_diagnosis(report: DiagnosisReport) -> None:
    """Raises dagster.Failure, with what to do, unless the report holds a diagnosis."""
    failure = _failure(report)
    if failure is not None:
        raise failure


def _failure(report: DiagnosisReport) -> dg.Failure | None:
    if report.summary is not None:
        return None
    metadata: dict[str, dg.MetadataValue] = {"run_id": dg.MetadataValue.text(report.run_id)}
    named = report.input.person_slug or report.input.person_id or report.input.person_name
    if report.outcome == "not_found":
        return dg.Failure(
            f"Nobody in the archive is called {named}. If the athlete was renamed, merged or deleted, materialize "
            "athlete_roster to bring the partitions up to date.",
            metadata=metadata,
            allow_retries=False,
        )
    if report.outcome == "ambiguous":
        metadata["candidates"] = candidates_metadata(report)
        return dg.Failure(
            f"{named} may be several people: {', '.join(c.person_slug for c in report.candidates)}. Launch the job "
            "diagnose_person again with `clarification` set to one of these slugs.",
            metadata=metadata,
            allow_retries=False,
        )
    reason = report.error.message if report.error is not None else "the run left no result"
    return dg.Failure(
        f"The diagnosis of {named} failed: {reason}\nWhen the cause is gone, launch it again. How far it came: "
        f"keifu inspect {report.run_id}",
        metadata=metadata,
    )
