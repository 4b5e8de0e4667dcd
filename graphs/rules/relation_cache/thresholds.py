"""What the rules of the family relation_cache compare with. Values a maintainer may change; each says its unit."""

from pydantic import BaseModel, ConfigDict, Field


class RelationCacheThresholds(BaseModel):
    """Thresholds of the family relation_cache."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    write_margin_seconds: float = Field(default=5.0, ge=0)
    """Seconds. The builder reads before it stamps, so a write this shortly before the stamp may have been missed."""
    clock_skew_seconds: float = Field(default=300.0, ge=0)
    """Seconds by which a cache may be younger than now: clocks differ, and pages rebuild caches during a run."""
