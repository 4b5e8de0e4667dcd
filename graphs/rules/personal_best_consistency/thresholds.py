"""What the rules of the family personal_best_consistency compare with. Values a maintainer may change; each says its unit."""

from pydantic import BaseModel, ConfigDict


class PersonalBestConsistencyThresholds(BaseModel):
    """Thresholds of the family personal_best_consistency."""

    model_config = ConfigDict(extra="forbid", frozen=True)
