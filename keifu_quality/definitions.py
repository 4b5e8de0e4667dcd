"""The Dagster code location. Nothing but assembly."""

import dagster as dg

from keifu_quality.defs.assets import athlete_roster, person_diagnosis
from keifu_quality.defs.imports import diagnose_import, import_events
from keifu_quality.defs.jobs import diagnose_person
from keifu_quality.defs.purge import build_weekly_purge, purge_old_entries
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase, Tracing
from keifu_quality.defs.sensors import silent_changes, sweep_failed
from keifu_quality.defs.sweep import build_nightly_sweep, sweep_roster


def build_definitions() -> dg.Definitions:
    """The definitions of the code location."""
    return dg.Definitions(
        assets=[athlete_roster, person_diagnosis],
        jobs=[diagnose_person, diagnose_import, sweep_roster, purge_old_entries],
        schedules=[build_nightly_sweep(), build_weekly_purge()],
        sensors=[import_events, silent_changes, sweep_failed],
        resources={"business": BusinessDatabase(), "agent": AgentDatabase(), "tracing": Tracing()},
        # One athlete is one short step: a process of its own would double the time from click to result.
        executor=dg.in_process_executor,
    )


defs = build_definitions()
