"""What the rules of the family relation_cache compare with. Values a maintainer may change; each says its unit."""

from pydantic import BaseModel, ConfigDict


class RelationCacheThresholds(BaseModel):
    """Thresholds of the family relation_cache."""

    model_config = ConfigDict(extra="forbid", frozen=True)
