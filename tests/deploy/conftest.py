"""Fixtures of this folder."""

from tests.sample_fixtures import sample, sample_settings

__all__ = ["sample", "sample_settings"]
