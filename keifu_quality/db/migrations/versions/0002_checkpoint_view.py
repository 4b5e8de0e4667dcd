"""The view agent_checkpoints over LangGraph's own tables.

LangGraph keeps None, str, int, float and bool inside the checkpoint and every other value of a channel in
checkpoint_blobs, one row for each version of the channel. The view puts the state of the graph together from both
and leaves out the channels by which LangGraph steers ("__start__", "branch:to:...").

A checkpoint does not name the node it follows. Its versions_seen does: a node that ran has seen the version of the
channel that triggered it, versions only grow (they are zero-padded, so their text sorts as they do), and so the
node that saw the newest version ran last. That is null before the first node. Nodes of one superstep share a
version; this product's graph runs one at a time.
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

VIEW = r"""
CREATE VIEW agent_checkpoints AS
SELECT
    c.checkpoint_id AS id,
    c.thread_id AS run_id,
    (
        SELECT seen.key
        FROM jsonb_each(c.checkpoint -> 'versions_seen') AS seen
        CROSS JOIN LATERAL jsonb_each_text(seen.value) AS trigger
        WHERE seen.key NOT LIKE '\_\_%'
        ORDER BY trigger.value COLLATE "C" DESC
        LIMIT 1
    ) AS node_name,
    (
        SELECT coalesce(jsonb_object_agg(inline.key, inline.value), '{}')
        FROM jsonb_each(c.checkpoint -> 'channel_values') AS inline
        WHERE inline.key ~ '^[A-Za-z][A-Za-z0-9_]*$'
    ) || (
        SELECT coalesce(jsonb_object_agg(b.channel, convert_from(b.blob, 'UTF8')::jsonb), '{}')
        FROM jsonb_each_text(c.checkpoint -> 'channel_versions') AS version
        JOIN langgraph.checkpoint_blobs AS b
            ON b.thread_id = c.thread_id
            AND b.checkpoint_ns = c.checkpoint_ns
            AND b.channel = version.key
            AND b.version = version.value
        WHERE b.type = 'json' AND b.channel ~ '^[A-Za-z][A-Za-z0-9_]*$'
    ) AS state_json,
    (c.checkpoint ->> 'ts')::timestamptz AS created_at
FROM langgraph.checkpoints AS c
WHERE c.checkpoint_ns = ''
"""


def upgrade() -> None:
    op.execute(VIEW)


def downgrade() -> None:
    op.execute("DROP VIEW agent_checkpoints")
