"""What a comparison of findings needs to know of each.

Belongs here: the reduced finding and where reduced findings come from. Stays out: files and the comparison.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphs.contracts import Category
from graphs.rules.evaluate import SOURCE_TOOLS
from graphs.rules.registry import FAMILIES
from keifu_quality.db.latest_results import StoredResult
from keifu_quality.evaluation import Evaluated


@dataclass(frozen=True, slots=True)
class FindingMark:
    """A finding reduced to what tells whether it changed; `detail` is for people and may be missing."""

    code: str
    severity: str
    evidence_hash: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AthleteFindings:
    """An athlete's findings by fingerprint, and the codes of rules of which nothing is known."""

    marks: Mapping[str, FindingMark]
    blind: frozenset[str]


def present_findings(evaluated: Evaluated) -> AthleteFindings:
    """What the present rules say."""
    marks = {
        finding.fingerprint: FindingMark(finding.code, finding.severity.value, finding.evidence_hash, finding.detail)
        for finding in evaluated.findings
    }
    return AthleteFindings(marks, _codes(rule.rule for rule in evaluated.not_evaluated))


def stored_findings(result: StoredResult) -> AthleteFindings:
    """What a stored diagnosis said."""
    marks = {
        finding["fingerprint"]: FindingMark(
            finding["code"], finding["severity"], finding["evidenceHash"], finding.get("detail", "")
        )
        for finding in result.findings
    }
    unfinished: Iterable[Mapping[str, Any]] = (
        rule for family in result.families for rule in family.get("notEvaluated", ())
    )
    return AthleteFindings(marks, _codes(rule["rule"] for rule in unfinished))


def _codes(names: Iterable[str]) -> frozenset[str]:
    """Codes of rules; a tool that failed stands for all rules of its family."""
    families: Mapping[str, Category] = {tool: category for category, tool in SOURCE_TOOLS.items()}
    return frozenset(
        code
        for name in names
        for code in ([rule.code for rule in FAMILIES[families[name]]] if name in families else [name])
    )
