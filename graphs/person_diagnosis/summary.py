"""The state of a record in numbers and words, family by family, what was not evaluated first."""

from collections.abc import Callable, Sequence

from graphs.contracts import CacheStatus, DiagnosisIssue, DiagnosisSummary, FamilyReport, RecordState, Severity
from graphs.facts import FactsUnavailableError
from graphs.rules.athlete import Athlete

SEVERITIES_WORST_FIRST = tuple(sorted(Severity, key=lambda severity: -severity.rank))


def summarize(
    athlete: Athlete,
    findings: Sequence[DiagnosisIssue],
    families: Sequence[FamilyReport],
    *,
    cache_status: CacheStatus | None,
) -> DiagnosisSummary:
    """Headline, sizes of the record, counts per severity and one line per family."""
    record = RecordState(
        memberships=_count(lambda: athlete.memberships),
        personal_bests=_count(lambda: athlete.personal_bests),
        race_results=_count(lambda: athlete.results),
        name_variants=_count(lambda: athlete.name_variants),
        source_references=_count(lambda: athlete.source_references),
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
    ordered = sorted(families, key=lambda family: (family.status == "evaluated", -len(family.not_evaluated)))
    return DiagnosisSummary(
        headline=_headline(counts, [f for f in ordered if f.status == "not_evaluated"]),
        record=record,
        families=tuple(ordered),
        severity_counts=counts,
        lines=tuple(line for family in ordered for line in _lines(family, findings)),
    )


def _count(rows: Callable[[], Sequence[object]]) -> int | None:
    """How many rows there are; None where they could not be read."""
    try:
        return len(rows())
    except FactsUnavailableError:
        return None


def _headline(counts: dict[Severity, int], not_evaluated: Sequence[FamilyReport]) -> str:
    found = ", ".join(_plural(count, severity.value) for severity, count in counts.items() if count)
    if not not_evaluated:
        return found or "no findings; all families were evaluated"
    names = ", ".join(family.category.value for family in not_evaluated)
    return f"not evaluated: {names}; {found or 'no findings in the rest'}"


def _plural(count: int, severity: str) -> str:
    noun = {"info": "note", "critical": "critical finding"}.get(severity, severity)
    return f"{count} {noun}{'s' if count != 1 else ''}"


def _lines(family: FamilyReport, findings: Sequence[DiagnosisIssue]) -> list[str]:
    name = family.category.value
    if family.carried_from is not None:
        name = f"{name} (as of run {family.carried_from})"
    lines: list[str] = []
    if family.status == "not_evaluated":
        by_cause: dict[str, list[str]] = {}
        for rule in family.not_evaluated:
            by_cause.setdefault(rule.message, []).append(rule.rule)
        lines.extend(f"{name} was not evaluated ({', '.join(rules)}): {cause}" for cause, rules in by_cause.items())
    own = [finding for finding in findings if finding.category == family.category]
    own.sort(key=lambda finding: -finding.severity.rank)
    if own:
        listed = "; ".join(f"{finding.severity.value} {finding.code} {finding.title}" for finding in own)
        lines.append(f"{name}: {listed}")
    elif family.status == "evaluated":
        lines.append(f"{name}: nothing found")
    return lines
