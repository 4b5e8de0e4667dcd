"""What a rule is.

Belongs here: the base class, the finding that a rule yields, the action that it suggests, the context that it may
look at, fingerprints. Stays out: any particular rule, and the registry (`graphs.rules.registry`).

A rule lives in a file of its own under the folder of its family. Its docstring is its documentation: the first
line is the title of its findings; then sections `Detects`, `Why it matters`, `Example`, `Traps` and `What to do`.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar

import orjson

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete, Section
from graphs.rules.configuration import RuleConfiguration

EVIDENCE_ROWS = 20
"""Rows of evidence that a finding keeps; beyond that it keeps a count."""


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What a rule may know besides the athlete: today's date in Japan, the instant in UTC, the configuration."""

    today: date
    now: datetime
    configuration: RuleConfiguration


@dataclass(frozen=True, slots=True)
class ActionTemplate:
    """The step that a rule suggests. `command` may hold `{slug}`; it never writes without a dry run."""

    type: ActionType
    name: str
    reason: str
    risk: RiskLevel
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Base of the typed evidence of a rule: a frozen dataclass, closed and sorted into JSON by field name.

    Values are text, numbers, booleans, dates, None, other evidence dataclasses, or tuples of those.
    """


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that fired. `key` is its natural key within the athlete: row ids, discipline, name group.

    `actionable` is False where the finding is already handled or nothing can be done: no action then.
    """

    key: tuple[str, ...]
    severity: Severity
    detail: str
    evidence: Evidence
    actionable: bool = True


class Rule(ABC):
    """A named check with a stable code. Stateless: one instance serves every athlete."""

    code: ClassVar[str]
    name: ClassVar[str]
    category: ClassVar[Category]
    severities: ClassVar[tuple[Severity, ...]]
    """Every severity that the rule can give, the usual one first."""
    evidence_type: ClassVar[type[Evidence]]
    action: ClassVar[ActionTemplate | None]
    needs: ClassVar[tuple[Section, ...]] = ()
    """Sections without whose rows the rule cannot fire: it is not asked where one of them was read and is empty, or for
    `several_…` has fewer than two rows."""
    judgement: ClassVar[bool] = False
    """True where the data alone cannot decide the truth, so that precision is measured, not demanded."""
    enabled_by_default: ClassVar[bool] = True
    version: ClassVar[int] = 1
    """Raised whenever the rule's decisions change; part of the rule set version."""

    @abstractmethod
    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """The findings of this rule on one athlete, in a stable order.

        Raises `graphs.facts.FactsUnavailableError` where rows that it needs could not be read.
        """

    @classmethod
    @cache
    def title(cls) -> str:
        """The first line of the docstring."""
        return (cls.__doc__ or cls.name).strip().splitlines()[0].rstrip(".")


def fingerprint(code: str, person_id: str, key: tuple[str, ...]) -> str:
    """Identity of a finding over time: rule, athlete and natural key, nothing else; 32 hex digits."""
    return hashlib.sha256("\x1f".join((code, person_id, *key)).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def evidence_json(evidence: Any) -> Any:
    """JSON value of evidence: camelCase names in order, dates in ISO form, tuples as lists."""
    kind: type[Any] = type(evidence)  # pyright: ignore[reportUnknownVariableType]
    published = _published(kind)
    if published is not None:
        found: dict[str, Any] = {}
        for attribute, name in published:
            value = getattr(evidence, attribute)
            # Most values are plain, and this is asked some twenty times an athlete.
            found[name] = value if type(value) in _PLAIN_TYPES else evidence_json(value)
        return found
    if kind in _PLAIN_TYPES:
        return evidence
    if isinstance(evidence, (tuple, list)):
        return [item if type(item) in _PLAIN_TYPES else evidence_json(item) for item in evidence]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(evidence, frozenset):
        return sorted(evidence_json(item) for item in evidence)  # pyright: ignore[reportUnknownVariableType]
    if isinstance(evidence, (datetime, date)):
        return evidence.isoformat()
    if isinstance(evidence, StrEnum):
        return evidence.value
    if isinstance(evidence, (str, int, float, bool)):
        return evidence
    raise TypeError(f"evidence cannot hold a {kind.__name__}")


def evidence_hash(evidence: dict[str, Any]) -> str:
    """Identity of what was seen, 32 hex digits; a dismissal holds as long as it stays the same."""
    try:
        text = orjson.dumps(evidence, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a lone surrogate, or a number beyond 64 bits
        text = _LENIENT_JSON.encode(evidence).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:32]


_PLAIN_TYPES = frozenset({str, int, float, bool, type(None)})
_LENIENT_JSON = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@cache
def _published(kind: type[Any]) -> Sequence[tuple[str, str]] | None:
    """Attributes of an evidence type with their names in JSON; None for other types."""
    return [(f.name, _camel(f.name)) for f in fields(kind)] if issubclass(kind, Evidence) else None


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)
