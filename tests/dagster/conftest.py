"""Fixtures of this folder."""

import dagster as dg
import pytest

from keifu_quality.definitions import build_definitions
from tests.dagster.instance import Deployment
from tests.sample_fixtures import sample, sample_settings

__all__ = ["sample", "sample_settings"]


@pytest.fixture(scope="module")
def definitions(deployed: Deployment) -> dg.Definitions:
    """The code location as it is in the environment of the module's deployment."""
    del deployed
    return build_definitions()
