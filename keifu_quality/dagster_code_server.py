"""Where the code server of a run listens, and whether it answers.

Belongs here: what a run's tag says of the code server that it was launched for. Stays out: launching and watching runs
(`keifu_quality.dagster_launcher`), starting code servers.
"""

import json
from collections.abc import Mapping
from typing import Any

from dagster import DagsterRun
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.storage.tags import GRPC_INFO_TAG
from dagster._grpc.client import DagsterGrpcClient

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def code_server_of(run: DagsterRun) -> Mapping[str, Any]:
    """What the launcher noted of the code server: `host` with `socket` or `port`; empty before the launch."""
    return json.loads(run.tags.get(GRPC_INFO_TAG, "{}"))


def is_of_this_machine(code_server: Mapping[str, Any]) -> bool:
    """Whether only this machine can reach the code server."""
    return bool(code_server.get("socket")) or code_server.get("host") in LOOPBACK


def answers(code_server: Mapping[str, Any]) -> bool:
    """Whether the code server answers."""
    client = DagsterGrpcClient(
        host=code_server.get("host", "localhost"), port=code_server.get("port"), socket=code_server.get("socket")
    )
    try:
        client.ping("")
    except DagsterUserCodeUnreachableError:
        return False
    return True
