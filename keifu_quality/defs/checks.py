"""One asset check a family, on `person_diagnosis`: did the family run, and what did it find?"""

from collections.abc import Iterable, Iterator

import dagster as dg

from graphs.contracts import Category, DiagnosisReport, FamilyReport, Severity

ASSET = dg.AssetKey("person_diagnosis")

FAMILY_CHECKS = tuple(
    dg.AssetCheckSpec(
        name=category.value,
        asset=ASSET,
        description=(
            f"Every rule of the family {category.value} ran to its end and found nothing of severity warning or above. "
            "A family that was not evaluated fails, whatever it found."
        ),
    )
    for category in Category
)


def family_results(report: DiagnosisReport) -> Iterator[dg.AssetCheckResult]:
    """The check results of one diagnosis."""
    families: Iterable[FamilyReport] = report.summary.families if report.summary is not None else ()
    for family in families:
        yield _result(family, report)


def failed_evaluations(report: DiagnosisReport, reason: str) -> Iterator[dg.AssetCheckEvaluation]:
    """The evaluations of a diagnosis that came to nothing, to be logged: every family fails, and says why."""
    for category in Category:
        yield dg.AssetCheckEvaluation(
            asset_key=ASSET,
            check_name=category.value,
            passed=False,
            severity=dg.AssetCheckSeverity.ERROR,
            description=f"not evaluated: {reason}",
            metadata={"run_id": dg.MetadataValue.text(report.run_id)},
        )


def _result(family: FamilyReport, report: DiagnosisReport) -> dg.AssetCheckResult:
    worst = max(family.finding_counts, key=lambda severity: severity.rank, default=Severity.INFO)
    evaluated = family.status == "evaluated"
    serious = not evaluated or worst.rank >= Severity.ERROR.rank
    metadata: dict[str, dg.MetadataValue] = {
        "person_slug": dg.MetadataValue.text(report.target.person_slug or ""),
        "run_id": dg.MetadataValue.text(report.run_id),
        **{f"{s.value}_count": dg.MetadataValue.int(family.finding_counts.get(s, 0)) for s in Severity},
    }
    description = "evaluated"
    if not evaluated:
        causes = "; ".join(dict.fromkeys(rule.message for rule in family.not_evaluated))
        description = f"not evaluated: {causes}"
        metadata["rules_not_evaluated"] = dg.MetadataValue.text(", ".join(rule.rule for rule in family.not_evaluated))
    return dg.AssetCheckResult(
        asset_key=ASSET,
        check_name=family.category.value,
        passed=evaluated and worst.rank < Severity.WARNING.rank,
        severity=dg.AssetCheckSeverity.ERROR if serious else dg.AssetCheckSeverity.WARN,
        description=description,
        metadata=metadata,
    )
