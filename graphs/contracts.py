"""The published JSON shapes: what tools return, what a diagnosis consists of, what a state holds.

Belongs here: models whose field names other programs read (camelCase in JSON, snake_case in Python).
Stays out: facts of the business database (`graphs.facts`) and anything that decides something.
Fields may be added; none is renamed or removed. A name or a value that is not declared here is refused.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

T = TypeVar("T")


class Category(StrEnum):
    """The five families of checks, in the order in which they run."""

    PROFILE_COVERAGE = "profile_coverage"
    MEMBERSHIP_TIMELINE = "membership_timeline"
    PERSON_NORMALIZATION = "person_normalization"
    PERSONAL_BEST_CONSISTENCY = "personal_best_consistency"
    RELATION_CACHE = "relation_cache"


class Severity(StrEnum):
    """How bad a finding is; `rank` orders them, from 0 for info up to 3 for critical."""

    rank: int

    INFO = "info", 0
    WARNING = "warning", 1
    ERROR = "error", 2
    CRITICAL = "critical", 3

    def __new__(cls, value: str, rank: int) -> Self:
        """A member whose value is the text alone."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.rank = rank
        return member


class ActionType(StrEnum):
    """What kind of step an action proposes; none is ever executed by this product."""

    SCRIPT = "script"
    MANUAL_CHECK = "manual_check"
    RECOMPUTE = "recompute"
    DEFER = "defer"


class RiskLevel(StrEnum):
    """low: read-only, dry run or derived data. medium: audited or reversible. high: merges, splits, deletes."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


TriggeredBy = Literal["cli", "admin_api", "dagster_partition", "import_sensor", "schedule"]
MatchType = Literal["unique", "multiple", "not_found"]
CacheStatus = Literal["fresh", "stale", "missing", "invalid"]
RunStatus = Literal["running", "need_clarification", "completed", "failed"]
FamilyStatus = Literal["evaluated", "not_evaluated"]


class Contract(BaseModel):
    """Base of every published shape: camelCase aliases, immutable, unknown names refused."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, use_enum_values=False
    )

    def to_json(self) -> dict[str, Any]:
        """The JSON object as published, camelCase names, enums and times as text, absent values left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class ToolError(Contract):
    """Why a tool could not finish: a stable code for programs and a message for people."""

    code: str
    message: str


class ToolResult(Contract, Generic[T]):
    """The answer of one tool: data when `ok`, an error otherwise; never an empty list in place of an error."""

    ok: bool
    data: T | None = None
    error: ToolError | None = None

    @classmethod
    def success(cls, data: T) -> "ToolResult[T]":
        """A finished call."""
        return cls(ok=True, data=data)

    @classmethod
    def failure(cls, code: str, message: str) -> "ToolResult[T]":
        """A call that could not finish."""
        return cls(ok=False, error=ToolError(code=code, message=message))


class DiagnosisInput(Contract):
    """Whom to diagnose: at least one of slug, id and name; and what asked for it.

    `families` are those to be evaluated, all where absent.
    """

    person_slug: str | None = None
    person_id: str | None = None
    person_name: str | None = None
    triggered_by: TriggeredBy = "cli"
    families: tuple[Category, ...] | None = None


class PersonRef(Contract):
    """An athlete as a person recognises one, with what tells namesakes apart."""

    person_id: str
    person_slug: str
    display_name_ja: str
    matched_by: str | None = None
    organizations: tuple[str, ...] = ()
    active_years: str | None = None
    birth_date: str | None = None
    result_count: int | None = None


class ResolvePersonData(Contract):
    """Answer of `resolve_person_tool`: one athlete, or ranked candidates, or nobody."""

    match_type: MatchType
    person: PersonRef | None = None
    candidates: tuple[PersonRef, ...] = ()
    candidate_count: int = 0


class DiagnosisIssue(Contract):
    """A finding: one rule that fired on one athlete, with what it saw.

    `code` is the stable rule code (PC01 ...), `rule` its name. `fingerprint` identifies the finding over time and
    does not depend on wording, severity or evidence; `evidence_hash` changes when what was seen changes.
    """

    category: Category
    severity: Severity
    title: str
    detail: str
    evidence: dict[str, Any] = Field(default_factory=dict)
    source_tool: str
    code: str
    rule: str
    fingerprint: str
    evidence_hash: str
    actionable: bool = True
    """False where the finding is already handled or nothing can be done; no action is suggested then."""


class SuggestedAction(Contract):
    """A proposed next step for a person; `key` is stable per athlete and intent."""

    type: ActionType
    name: str
    reason: str
    command: str | None = None
    risk_level: RiskLevel
    related_issue_categories: tuple[Category, ...] = ()
    key: str
    related_fingerprints: tuple[str, ...] = ()
    held_because: str | None = None


class UnevaluatedRule(Contract):
    """A rule that could not finish, and the cause."""

    rule: str
    code: str
    message: str


class FamilyReport(Contract):
    """What one family of checks did: `not_evaluated` whenever any of its rules could not finish.

    `carried_from` is the earlier run whose word this is, where a run was not asked for the family.
    """

    category: Category
    status: FamilyStatus
    finding_counts: dict[Severity, int] = Field(default_factory=dict[Severity, int])
    not_evaluated: tuple[UnevaluatedRule, ...] = ()
    carried_from: str | None = None


class AuditData(Contract):
    """Answer of an audit tool: the findings of one family and the rules of it that could not finish."""

    findings: tuple[DiagnosisIssue, ...] = ()
    not_evaluated: tuple[UnevaluatedRule, ...] = ()


class RelationCacheData(AuditData):
    """Answer of `check_relation_cache_tool`; `cache_status` is null when the cache could not be judged."""

    cache_status: CacheStatus | None = None


class RecordState(Contract):
    """The size of an athlete's record, in rows."""

    memberships: int | None = None
    personal_bests: int | None = None
    race_results: int | None = None
    name_variants: int | None = None
    source_references: int | None = None
    relation_cache: CacheStatus | None = None


class DiagnosisSummary(Contract):
    """State of the record in numbers and words, family by family, the not-evaluated ones first."""

    headline: str
    record: RecordState
    families: tuple[FamilyReport, ...]
    severity_counts: dict[Severity, int]
    lines: tuple[str, ...]


class Target(Contract):
    """The athlete that a run settled on."""

    person_id: str | None = None
    person_slug: str | None = None
    resolved: bool = False


class Runtime(Contract):
    """Where a run stands; times in UTC."""

    run_id: str
    status: RunStatus
    current_node: str | None = None
    started_at: datetime
    error_message: str | None = None


class ChangesSince(Contract):
    """Fingerprints of findings that are new or gone since the run named, an earlier one of the same athlete."""

    run_id: str
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class DiagnosisReport(Contract):
    """One finished (or stopped) diagnosis as the command line, the assets and the admin API hand it out.

    `outcome`: completed, incomplete (some rule was not evaluated), not_found, ambiguous, failed or unchanged (nothing
    was to be done, an earlier run has the result); null while the run is under way.
    """

    run_id: str
    status: RunStatus
    outcome: Literal["completed", "incomplete", "not_found", "ambiguous", "failed", "unchanged"] | None = None
    graph_version: str
    rule_set_version: str
    input: DiagnosisInput
    target: Target
    person: PersonRef | None = None
    summary: DiagnosisSummary | None = None
    findings: tuple[DiagnosisIssue, ...] = ()
    actions: tuple[SuggestedAction, ...] = ()
    candidates: tuple[PersonRef, ...] = ()
    changes: ChangesSince | None = None
    trace_id: str | None = None
    started_at: datetime
    ended_at: datetime | None = None
    error: ToolError | None = None
