"""What the rules of the family membership_timeline compare with. Values a maintainer may change; each says its unit."""

from pydantic import BaseModel, ConfigDict


class MembershipTimelineThresholds(BaseModel):
    """Thresholds of the family membership_timeline."""

    model_config = ConfigDict(extra="forbid", frozen=True)
