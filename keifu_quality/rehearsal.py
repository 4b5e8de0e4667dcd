"""A rehearsal of the rules: what would change in the findings of a whole roster.

Belongs here: the comparison of what the present rules say with what was said before, in constant memory but for the
ids of the athletes. Stays out: files of findings (`keifu_quality.rehearsal_baseline`) and printing. Nothing is stored
but the file that is asked for.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Engine

from graphs.ports import BusinessReader
from graphs.rules.registry import rule_set_version
from graphs.rules.rule import RuleContext
from keifu_quality.db.latest_results import latest_results
from keifu_quality.evaluation import CHUNK_SIZE, evaluate_roster
from keifu_quality.rehearsal_baseline import BaselineWriter, open_baseline
from keifu_quality.rehearsal_findings import AthleteFindings, FindingMark, present_findings, stored_findings

Progress = Callable[[int, int], None]
"""Told how many athletes of how many are done."""


class Previous(Protocol):
    """Knows earlier findings of athletes, by which versions of the rule set they were made, and who is gone since."""

    versions: Counter[str]
    gone: int

    def findings_of(self, athletes: Sequence[tuple[str, str]]) -> Mapping[str, AthleteFindings]:
        """The earlier findings of athletes, given as id and slug in the order of slugs, by slug.

        Athletes of whom nothing is known are left out.
        """
        ...


@dataclass(slots=True)
class RuleChanges:
    """What changed in the findings of one rule. Examples are slug and words."""

    before: int = 0
    now: int = 0
    new: int = 0
    gone: int = 0
    changed: int = 0
    examples: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, list[tuple[str, str]]])


@dataclass(slots=True)
class Rehearsal:
    """The outcome: changes by code, and how many athletes could be compared.

    `previous_versions` counts the athletes by the rule set version of their earlier findings; `gone_athletes` are those
    of a file who are not in the roster any more. `not_evaluated` counts
    by code the athletes on whom the rule could not finish before or now; their findings of that rule are not compared.
    """

    version: str
    athletes: int = 0
    compared: int = 0
    gone_athletes: int = 0
    previous_versions: Counter[str] = field(default_factory=Counter[str])
    not_evaluated: Counter[str] = field(default_factory=Counter[str])
    rules: dict[str, RuleChanges] = field(default_factory=dict[str, RuleChanges])

    def as_json(self) -> dict[str, Any]:
        """The outcome with camelCase names, rules by code."""
        return {
            "ruleSetVersion": self.version,
            "previousVersions": dict(self.previous_versions),
            "athletes": self.athletes,
            "compared": self.compared,
            "goneAthletes": self.gone_athletes,
            "notEvaluated": dict(sorted(self.not_evaluated.items())),
            "rules": [
                {
                    "code": code,
                    "before": changes.before,
                    "now": changes.now,
                    "new": changes.new,
                    "gone": changes.gone,
                    "changed": changes.changed,
                    "examples": {
                        kind: [{"slug": slug, "what": what} for slug, what in examples]
                        for kind, examples in changes.examples.items()
                    },
                }
                for code, changes in sorted(self.rules.items())
            ],
        }


class StoredResults:
    """Earlier findings from the newest diagnosis of each athlete in the agent database."""

    def __init__(self, agent: Engine) -> None:
        self._agent = agent
        self.versions: Counter[str] = Counter()
        self.gone = 0

    def findings_of(self, athletes: Sequence[tuple[str, str]]) -> Mapping[str, AthleteFindings]:
        """As `Previous` has it."""
        slugs = dict(athletes)
        found: dict[str, AthleteFindings] = {}
        for result in latest_results(self._agent, list(slugs)):
            self.versions[result.rule_set_version] += 1
            found[slugs[result.person_id]] = stored_findings(result)
        return found


class Rehearser:
    """Runs the present rules over athletes, given as id and slug in any order."""

    def __init__(
        self, reader: BusinessReader, athletes: Sequence[tuple[str, str]], context: RuleContext, agent: Engine
    ) -> None:
        self._reader = reader
        self._athletes = sorted(athletes, key=lambda athlete: athlete[1])
        self._context = context
        self._agent = agent

    def run(
        self,
        *,
        baseline: Path | None = None,
        save: Path | None = None,
        compare: bool = True,
        examples: int = 3,
        progress: Progress | None = None,
    ) -> Rehearsal:
        """Compares with a file of findings, or without one with what was stored, and writes the present findings.

        `compare=False` only counts and writes. Raises BaselineUnusable.
        """
        version = rule_set_version(self._context.configuration)
        outcome = Rehearsal(version)
        previous: Previous | None = None
        with ExitStack() as stack:
            if baseline is not None:
                previous = stack.enter_context(open_baseline(baseline))
            elif compare:
                previous = StoredResults(self._agent)
            writer = stack.enter_context(BaselineWriter(save, version)) if save is not None else None
            for start in range(0, len(self._athletes), CHUNK_SIZE):
                chunk = self._athletes[start : start + CHUNK_SIZE]
                self._run_chunk(chunk, previous, writer, outcome, examples)
                if progress is not None:
                    progress(start + len(chunk), len(self._athletes))
        if previous is not None:
            outcome.previous_versions = previous.versions
            outcome.gone_athletes = previous.gone
        return outcome

    def _run_chunk(
        self,
        chunk: Sequence[tuple[str, str]],
        previous: Previous | None,
        writer: BaselineWriter | None,
        outcome: Rehearsal,
        examples: int,
    ) -> None:
        before = previous.findings_of(chunk) if previous is not None else {}
        slugs = dict(chunk)
        for evaluated in evaluate_roster(self._reader, list(slugs), self._context):
            slug = slugs[evaluated.person_id]
            outcome.athletes += 1
            if writer is not None:
                writer.add(slug, evaluated)
            now = present_findings(evaluated)
            if slug in before:
                outcome.compared += 1
                compare_findings(slug, before[slug], now, outcome, examples)
            else:
                outcome.not_evaluated.update(now.blind)
                for mark in now.marks.values():
                    outcome.rules.setdefault(mark.code, RuleChanges()).now += 1


def compare_findings(
    slug: str, before: AthleteFindings, now: AthleteFindings, outcome: Rehearsal, examples: int
) -> None:
    """Adds one athlete to the outcome. Where a rule could not finish, nothing is said of it."""
    blind = before.blind | now.blind
    outcome.not_evaluated.update(blind)
    for fingerprint, mark in now.marks.items():
        changes = outcome.rules.setdefault(mark.code, RuleChanges())
        changes.now += 1
        old = before.marks.get(fingerprint)
        if mark.code in blind:
            continue
        if old is None:
            changes.new += 1
            _note(changes, "new", slug, f"{mark.severity}: {mark.detail}", examples)
        elif (old.severity, old.evidence_hash) != (mark.severity, mark.evidence_hash):
            changes.changed += 1
            _note(changes, "changed", slug, _difference(old, mark), examples)
    for fingerprint, mark in before.marks.items():
        changes = outcome.rules.setdefault(mark.code, RuleChanges())
        changes.before += 1
        if mark.code not in blind and fingerprint not in now.marks:
            changes.gone += 1
            _note(changes, "gone", slug, f"{mark.severity}: {mark.detail}".rstrip(": "), examples)


def _difference(old: FindingMark, new: FindingMark) -> str:
    if old.severity != new.severity:
        return f"{old.severity} → {new.severity}: {new.detail}"
    return f"{new.severity}, other evidence: {new.detail}"


def _note(changes: RuleChanges, kind: str, slug: str, what: str, most: int) -> None:
    examples = changes.examples.setdefault(kind, [])
    if len(examples) < most:
        examples.append((slug, what))
