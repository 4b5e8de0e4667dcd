"""What the rules of the family profile_coverage compare with. Values a maintainer may change; each says its unit."""

from pydantic import BaseModel, ConfigDict


class ProfileCoverageThresholds(BaseModel):
    """Thresholds of the family profile_coverage."""

    model_config = ConfigDict(extra="forbid", frozen=True)
