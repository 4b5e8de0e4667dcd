"""Jobs of ops: the diagnosis of one athlete named by slug, id or name."""

import dagster as dg

from graphs.contracts import DiagnosisInput
from keifu_quality.defs.assets import require_diagnosis
from keifu_quality.defs.checks import ASSET, family_results
from keifu_quality.defs.metadata import report_metadata
from keifu_quality.defs.partitions import ATHLETES
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase, Tracing, diagnostician


class DiagnosePersonConfig(dg.Config):
    """Whom to diagnose: one of slug, id and name; and the slug that answers the question if a name means several."""

    person_slug: str | None = None
    person_id: str | None = None
    person_name: str | None = None
    clarification: str | None = None


@dg.op
def diagnose_person_op(
    context: dg.OpExecutionContext,
    config: DiagnosePersonConfig,
    business: BusinessDatabase,
    agent: AgentDatabase,
    tracing: Tracing,
) -> None:
    """Diagnoses the athlete and, where its slug is a partition, marks that partition as materialized."""
    request = DiagnosisInput(
        person_slug=config.person_slug or None,
        person_id=config.person_id or None,
        person_name=config.person_name or None,
        triggered_by="dagster_partition",
    )
    with diagnostician(business, agent) as service:
        report = service.diagnose(request, clarification=config.clarification or None, dagster_run_id=context.run_id)
    require_diagnosis(report)
    metadata = report_metadata(report, trace_url=tracing.trace_url(report.trace_id))
    context.add_output_metadata(metadata)
    slug = report.target.person_slug or ""
    if context.instance.has_dynamic_partition(ATHLETES.name or "", slug):
        context.log_event(dg.AssetMaterialization(asset_key=ASSET, partition=slug, metadata=metadata))
    for result in family_results(report):
        context.log.info(f"{result.check_name}: {result.description}")


@dg.job(executor_def=dg.in_process_executor)
def diagnose_person() -> None:
    """Diagnose one athlete by slug, id or name; see the launchpad for the config."""
    diagnose_person_op()
