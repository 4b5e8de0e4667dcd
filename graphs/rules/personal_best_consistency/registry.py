"""The rules of the family personal_best_consistency, in the order in which they run."""

from graphs.rules.personal_best_consistency.pb01_duplicate import DuplicatePersonalBests
from graphs.rules.personal_best_consistency.pb02_several_rows import SeveralRowsPerDiscipline
from graphs.rules.personal_best_consistency.pb03_conflicting import ConflictingPersonalBest
from graphs.rules.personal_best_consistency.pb04_missing_millis import MissingMarkMillis
from graphs.rules.personal_best_consistency.pb05_not_canonical import MarkNotCanonical
from graphs.rules.personal_best_consistency.pb06_millis_mismatch import MarkMillisMismatch
from graphs.rules.personal_best_consistency.pb07_implausible import MarkImplausible
from graphs.rules.personal_best_consistency.pb08_slower_than_result import SlowerThanRaceResult
from graphs.rules.personal_best_consistency.pb09_missing import MissingForRacedDiscipline
from graphs.rules.personal_best_consistency.pb10_provenance import ProvenanceIncomplete
from graphs.rules.personal_best_consistency.pb11_date_or_stage import DateOrStageInconsistent
from graphs.rules.personal_best_consistency.pb12_discipline_order import DisciplineOrderViolation
from graphs.rules.personal_best_consistency.pb13_precision import PrecisionMismatch
from graphs.rules.personal_best_consistency.pb14_latest_payload import NotMatchingLatestPayload
from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    DuplicatePersonalBests(),
    SeveralRowsPerDiscipline(),
    ConflictingPersonalBest(),
    MissingMarkMillis(),
    MarkNotCanonical(),
    MarkMillisMismatch(),
    MarkImplausible(),
    SlowerThanRaceResult(),
    MissingForRacedDiscipline(),
    ProvenanceIncomplete(),
    DateOrStageInconsistent(),
    DisciplineOrderViolation(),
    PrecisionMismatch(),
    NotMatchingLatestPayload(),
)
