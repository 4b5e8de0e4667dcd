"""The state of one diagnosis: as JSON for LangGraph and its checkpoints, and as typed values for the nodes.

Belongs here: the shape of the state, how updates merge, and the translation between both forms. Nodes see typed
values only; checkpoints hold JSON only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from graphs.contracts import (
    CacheStatus,
    DiagnosisInput,
    DiagnosisIssue,
    DiagnosisSummary,
    FamilyReport,
    PersonRef,
    RunStatus,
    Runtime,
    SuggestedAction,
    Target,
)
from graphs.facts import Snapshot
from graphs.person_diagnosis.snapshot_codec import decode_snapshot, encode_snapshot
from graphs.rules.athlete import Athlete

JsonObject = dict[str, Any]


def _merge_by(key: str, left: list[JsonObject], right: list[JsonObject]) -> list[JsonObject]:
    known = {item[key] for item in left}
    return left + [item for item in right if item[key] not in known]


def merge_findings(left: list[JsonObject], right: list[JsonObject]) -> list[JsonObject]:
    """Appends findings that are not there yet, so that a node that ran twice adds nothing."""
    return _merge_by("fingerprint", left, right)


def merge_families(left: list[JsonObject], right: list[JsonObject]) -> list[JsonObject]:
    """Appends reports of families that are not there yet."""
    return _merge_by("category", left, right)


class PersonDiagnosisState(TypedDict, total=False):
    """The state as LangGraph keeps it: JSON values under the published names."""

    input: JsonObject
    target: JsonObject
    person: JsonObject | None
    candidates: list[JsonObject]
    candidateCount: int
    snapshot: JsonObject | None
    findings: Annotated[list[JsonObject], merge_findings]
    families: Annotated[list[JsonObject], merge_families]
    cacheStatus: CacheStatus | None
    summary: JsonObject | None
    actions: list[JsonObject]
    runtime: JsonObject


@dataclass(slots=True, kw_only=True)
class Diagnosis:
    """A diagnosis under way, as nodes see it. They change nothing in it: what runs them absorbs their updates."""

    input: DiagnosisInput
    target: Target
    candidates: tuple[PersonRef, ...] = ()
    candidate_count: int = 0
    athlete: Athlete | None = None
    findings: tuple[DiagnosisIssue, ...] = ()
    families: tuple[FamilyReport, ...] = ()
    cache_status: CacheStatus | None = None

    def require_athlete(self) -> Athlete:
        """The athlete, once the snapshot is loaded. Raises LookupError before."""
        if self.athlete is None:
            raise LookupError("the snapshot has not been loaded")
        return self.athlete

    def require_person_id(self) -> str:
        """The id of the athlete, once resolved. Raises LookupError before."""
        if self.target.person_id is None:
            raise LookupError("the athlete has not been resolved")
        return self.target.person_id

    def absorb(self, update: "Update") -> None:
        """Takes over what a node changed: findings and reports of families are added, all else replaces."""
        if "target" in update:
            self.target = update["target"]
        if "candidates" in update:
            self.candidates = tuple(update["candidates"])
        if "candidate_count" in update:
            self.candidate_count = update["candidate_count"]
        if "snapshot" in update:
            self.athlete = Athlete(update["snapshot"])
        if "findings" in update:
            self.findings += tuple(update["findings"])
        if "families" in update:
            self.families += tuple(update["families"])
        if "cache_status" in update:
            self.cache_status = update["cache_status"]


class Update(TypedDict, total=False):
    """What a node changes, as typed values. `findings` and `families` are added, all else replaces."""

    input: DiagnosisInput
    target: Target
    person: PersonRef
    candidates: Sequence[PersonRef]
    candidate_count: int
    snapshot: Snapshot
    findings: Sequence[DiagnosisIssue]
    families: Sequence[FamilyReport]
    cache_status: CacheStatus | None
    summary: DiagnosisSummary
    actions: Sequence[SuggestedAction]
    status: RunStatus


def initial_state(request: DiagnosisInput, runtime: Runtime) -> PersonDiagnosisState:
    """The state that a run starts with."""
    return {
        "input": request.to_json(),
        "target": Target().to_json(),
        "person": None,
        "candidates": [],
        "candidateCount": 0,
        "snapshot": None,
        "findings": [],
        "families": [],
        "cacheStatus": None,
        "summary": None,
        "actions": [],
        "runtime": runtime.to_json(),
    }


def read_state(state: PersonDiagnosisState) -> Diagnosis:
    """Typed values of a state. Raises pydantic.ValidationError when a value does not fit its contract."""
    snapshot = state.get("snapshot")
    return Diagnosis(
        input=DiagnosisInput.model_validate(state.get("input", {})),
        target=Target.model_validate(state.get("target", {})),
        candidates=tuple(PersonRef.model_validate(c) for c in state.get("candidates", [])),
        candidate_count=state.get("candidateCount", 0),
        athlete=Athlete(decode_snapshot(snapshot)) if snapshot else None,
        findings=tuple(DiagnosisIssue.model_validate(f) for f in state.get("findings", [])),
        families=tuple(FamilyReport.model_validate(f) for f in state.get("families", [])),
        cache_status=state.get("cacheStatus"),
    )


def write_update(update: Update, *, node: str, runtime: JsonObject) -> PersonDiagnosisState:
    """The JSON form of an update, with the node named as the current one."""
    written: PersonDiagnosisState = {"runtime": {**runtime, "currentNode": node}}
    if "status" in update:
        written["runtime"]["status"] = update["status"]
    if "input" in update:
        written["input"] = update["input"].to_json()
    if "target" in update:
        written["target"] = update["target"].to_json()
    if "person" in update:
        written["person"] = update["person"].to_json()
    if "candidates" in update:
        written["candidates"] = [c.to_json() for c in update["candidates"]]
    if "candidate_count" in update:
        written["candidateCount"] = update["candidate_count"]
    if "snapshot" in update:
        written["snapshot"] = encode_snapshot(update["snapshot"])
    if "findings" in update:
        written["findings"] = [f.to_json() for f in update["findings"]]
    if "families" in update:
        written["families"] = [f.to_json() for f in update["families"]]
    if "cache_status" in update:
        written["cacheStatus"] = update["cache_status"]
    if "summary" in update:
        written["summary"] = update["summary"].to_json()
    if "actions" in update:
        written["actions"] = [a.to_json() for a in update["actions"]]
    return written
