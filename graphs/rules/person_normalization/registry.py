"""The rules of the family person_normalization, in the order in which they run."""

from graphs.rules.person_normalization.pn01_duplicate import DuplicateNormalizedName
from graphs.rules.person_normalization.pn02_uncertain import NameIdentityUncertain
from graphs.rules.person_normalization.pn03_distinct import SameNameDistinctPeople
from graphs.rules.person_normalization.pn04_variant_glyph import VariantGlyphCandidate
from graphs.rules.person_normalization.pn05_foreign_form import ForeignNameFormCandidate
from graphs.rules.person_normalization.pn06_romanization import RomanizationOrderDuplicate
from graphs.rules.person_normalization.pn07_overflow import CandidateOverflow
from graphs.rules.person_normalization.pn08_two_legs import TwoLegsSameEdition
from graphs.rules.person_normalization.pn09_duplicate_rows import DuplicateResultRows
from graphs.rules.person_normalization.pn10_impossible_career import ImpossibleCareerSequence
from graphs.rules.person_normalization.pn11_source_mismatch import SourceIdentityMismatch
from graphs.rules.person_normalization.pn12_search_key import SearchKeyOutOfSync
from graphs.rules.person_normalization.pn13_malformed_name import NameMalformed
from graphs.rules.person_normalization.pn14_resurrected import MergedPersonResurrected
from graphs.rules.person_normalization.pn15_slug_collision import SlugTruncationCollision
from graphs.rules.person_normalization.pn16_placeholder import PlaceholderName
from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    DuplicateNormalizedName(),
    NameIdentityUncertain(),
    SameNameDistinctPeople(),
    VariantGlyphCandidate(),
    ForeignNameFormCandidate(),
    RomanizationOrderDuplicate(),
    CandidateOverflow(),
    TwoLegsSameEdition(),
    DuplicateResultRows(),
    ImpossibleCareerSequence(),
    SourceIdentityMismatch(),
    SearchKeyOutOfSync(),
    NameMalformed(),
    MergedPersonResurrected(),
    SlugTruncationCollision(),
    PlaceholderName(),
)
