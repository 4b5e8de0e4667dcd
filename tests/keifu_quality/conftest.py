"""Fixtures of this folder."""

from tests.sample_fixtures import changing, sample, sample_settings

__all__ = ["changing", "sample", "sample_settings"]
