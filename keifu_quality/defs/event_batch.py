"""Many materializations as one write to Dagster's event log.

Belongs here: the entries that `context.log_event` would make one at a time, made at once. Stays out: what they say
(`keifu_quality.defs.chunk_events`). An event by itself is five statements and two commits, whose waits cost more than
the diagnosis of the athlete; a batch of any size has as many.

Dagster offers batches to its own framework only: the entries are built as `DagsterEvent.asset_materialization` builds
them and handed to `EventLogStorage.store_event_batch`, which every storage has. The version of Dagster is pinned, and
the tests compare what is stored with what `context.log_event` stores.
"""

import logging
import os
import time
from collections.abc import Sequence

import dagster as dg
from dagster._core.events import StepMaterializationData


def log_materializations(
    context: dg.OpExecutionContext | dg.AssetExecutionContext, materializations: Sequence[dg.AssetMaterialization]
) -> None:
    """Logs these as events of the step, in this order. All or none are stored; raises what the storage raises."""
    if not materializations:
        return
    step_context = context.get_step_execution_context()
    step = step_context.step
    entries = [
        dg.EventLogEntry(
            error_info=None,
            level=logging.DEBUG,
            user_message="",
            run_id=context.run.run_id,
            timestamp=time.time(),
            step_key=step.key,
            job_name=step_context.job_name,
            dagster_event=dg.DagsterEvent(
                event_type_value=dg.DagsterEventType.ASSET_MATERIALIZATION.value,
                job_name=step_context.job_name,
                step_handle=step.handle,
                node_handle=step.node_handle,
                step_kind_value=step.kind.value,
                logging_tags=step_context.event_tags,
                event_specific_data=StepMaterializationData(materialization),
                message=f"Materialized value {' '.join(materialization.asset_key.path)}.",
                pid=os.getpid(),
            ),
        )
        for materialization in materializations
    ]
    context.instance.event_log_storage.store_event_batch(entries)
