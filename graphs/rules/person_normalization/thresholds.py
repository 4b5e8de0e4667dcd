"""What the rules of the family person_normalization compare with. Values a maintainer may change; each says its unit."""

from pydantic import BaseModel, ConfigDict


class PersonNormalizationThresholds(BaseModel):
    """Thresholds of the family person_normalization."""

    model_config = ConfigDict(extra="forbid", frozen=True)
