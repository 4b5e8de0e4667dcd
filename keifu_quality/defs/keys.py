"""Keeping the partition keys in step with the archive.

Belongs here: the way from the archive's athletes to keys. Stays out: which slugs can be keys, and adding and removing
(`defs.partitions`).
"""

import dagster as dg

from keifu_quality.app import open_index
from keifu_quality.db.index_refresh import IndexRefresh
from keifu_quality.defs.partitions import KeyChanges, synchronise
from keifu_quality.defs.resources import AgentDatabase, BusinessDatabase

UNUSABLE_SHOWN = 50


def bring_keys_in_step(
    context: dg.OpExecutionContext | dg.AssetExecutionContext, business: BusinessDatabase, agent: AgentDatabase
) -> tuple[IndexRefresh, KeyChanges]:
    """Makes the names index and the partitions those of the archive's athletes; warns of slugs that cannot be keys."""
    with business.open() as opened, agent.open() as engine:
        index = open_index(opened, engine)
        refresh = index.refresh()
        changes = synchronise(context.instance, index.slugs())
    for slug in changes.unusable[:UNUSABLE_SHOWN]:
        context.log.warning(f"the slug {slug!r} cannot be a partition key; diagnose it with the job diagnose_person")
    return refresh, changes
