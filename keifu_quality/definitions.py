"""The Dagster code location. Nothing but assembly."""

import dagster as dg

from keifu_quality.defs.assets import athlete_roster, person_diagnosis
from keifu_quality.defs.jobs import diagnose_person
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase, Tracing


def build_definitions() -> dg.Definitions:
    """The definitions of the code location."""
    return dg.Definitions(
        assets=[athlete_roster, person_diagnosis],
        jobs=[diagnose_person],
        resources={"business": BusinessDatabase(), "agent": AgentDatabase(), "tracing": Tracing()},
        # One athlete is one short step: a process of its own would double the time from click to result.
        executor=dg.in_process_executor,
    )


defs = build_definitions()
