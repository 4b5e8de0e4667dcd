"""The state of a record in numbers and words, family by family, what was not evaluated first."""

from collections.abc import Sequence

from graphs.contracts import CacheStatus, DiagnosisIssue, DiagnosisSummary, FamilyReport, RecordState, Severity
from graphs.facts import FactsUnavailableError
from graphs.rules.athlete import Athlete

SEVERITIES_WORST_FIRST = tuple(sorted(Severity, key=lambda severity: -severity.rank))

NOUNS = {
    severity: {"info": "note", "critical": "critical finding"}.get(severity, severity.value) for severity in Severity
}


def summarize(
    athlete: Athlete,
    findings: Sequence[DiagnosisIssue],
    families: Sequence[FamilyReport],
    *,
    cache_status: CacheStatus | None,
) -> DiagnosisSummary:
    """Headline, sizes of the record, counts per severity and one line per family."""
    snapshot = athlete.snapshot
    record = RecordState(
        memberships=_count(snapshot.memberships),
        personal_bests=_count(snapshot.personal_bests),
        race_results=_count(snapshot.results),
        name_variants=_count(snapshot.name_variants),
        source_references=_count(snapshot.source_references),
        relation_cache=cache_status,
    )
    return summary_of(record, findings, families)


def summary_of(
    record: RecordState, findings: Sequence[DiagnosisIssue], families: Sequence[FamilyReport]
) -> DiagnosisSummary:
    """The summary of a record whose sizes are known."""
    counts = dict.fromkeys(SEVERITIES_WORST_FIRST, 0)
    for finding in findings:
        counts[finding.severity] += 1
    # The families of which the least is known come first.
    ordered = sorted(families, key=_least_known_first)
    return DiagnosisSummary(
        headline=_headline(counts, [family for family in ordered if family.status == "not_evaluated"]),
        record=record,
        families=tuple(ordered),
        severity_counts=counts,
        lines=tuple([line for family in ordered for line in _lines(family, findings)]),
    )


def _least_known_first(family: FamilyReport) -> tuple[bool, int]:
    return family.status == "evaluated", -len(family.not_evaluated)


def _count(rows: Sequence[object]) -> int | None:
    """How many rows there are; None where they could not be read."""
    try:
        return len(rows)
    except FactsUnavailableError:
        return None


def _headline(counts: dict[Severity, int], not_evaluated: Sequence[FamilyReport]) -> str:
    found = ", ".join([_plural(count, severity) for severity, count in counts.items() if count])
    if not not_evaluated:
        return found or "no findings; all families were evaluated"
    names = ", ".join(family.category.value for family in not_evaluated)
    return f"not evaluated: {names}; {found or 'no findings in the rest'}"


def _plural(count: int, severity: Severity) -> str:
    noun = NOUNS[severity]
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _lines(family: FamilyReport, findings: Sequence[DiagnosisIssue]) -> list[str]:
    name: str = family.category
    if family.carried_from is not None:
        name = f"{name} (as of run {family.carried_from})"
    lines: list[str] = []
    if family.status == "not_evaluated":
        by_cause: dict[str, list[str]] = {}
        for rule in family.not_evaluated:
            by_cause.setdefault(rule.message, []).append(rule.rule)
        lines.extend(f"{name} was not evaluated ({', '.join(rules)}): {cause}" for cause, rules in by_cause.items())
    own = [finding for finding in findings if finding.category is family.category]
    if own:
        own.sort(key=_worst_first)
        listed = "; ".join([f"{finding.severity} {finding.code} {finding.title}" for finding in own])
        lines.append(f"{name}: {listed}")
    elif family.status == "evaluated":
        lines.append(f"{name}: nothing found")
    return lines


def _worst_first(finding: DiagnosisIssue) -> int:
    return -finding.severity.rank
