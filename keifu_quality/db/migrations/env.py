"""Alembic's entry: runs the revisions on the connection that `keifu_quality.db.migrate` hands over.

A module that defines further tables on `keifu_quality.db.agent.metadata` is imported here, so that a test can
compare the revisions with the definitions.
"""

from alembic import context

from keifu_quality.db import (
    agent,
    judgements,  # noqa: F401 its table is defined on the metadata of agent
    sweeps,  # noqa: F401
)

context.configure(connection=context.config.attributes["connection"], target_metadata=agent.metadata)
with context.begin_transaction():
    context.run_migrations()
