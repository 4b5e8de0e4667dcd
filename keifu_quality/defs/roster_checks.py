"""The family checks over the whole roster: one evaluation a family, with counts, a sample and a table.

Belongs here: the roster's state as Dagster shows it. Stays out: the checks of one athlete (`defs.checks`), SQL.
"""

from collections.abc import Iterator, Sequence

import dagster as dg

from graphs.contracts import Severity
from keifu_quality.db.roster_state import FamilyState, RosterState
from keifu_quality.defs.checks import ASSET

RULE_COLUMNS = dg.TableSchema(
    columns=[
        dg.TableColumn("code"),
        dg.TableColumn("rule"),
        dg.TableColumn("severity"),
        dg.TableColumn("findings", "int"),
        dg.TableColumn("athletes", "int"),
        dg.TableColumn("sample"),
    ]
)


def roster_evaluations(state: RosterState) -> Iterator[dg.AssetCheckEvaluation]:
    """An evaluation of each family's check, to be logged by an op."""
    for result in roster_results(state):
        yield dg.AssetCheckEvaluation(
            asset_key=ASSET,
            check_name=result.check_name or "",
            passed=result.passed,
            severity=result.severity,
            description=result.description,
            metadata=result.metadata,
        )


def roster_results(state: RosterState) -> Iterator[dg.AssetCheckResult]:
    """The result of each family's check.

    On a roster some findings are always there, so that they warn; an athlete whose family did not run to its end, or
    whose diagnosis failed, is an error.
    """
    for family in state.families.values():
        yield _result(family, state)


def _result(family: FamilyState, state: RosterState) -> dg.AssetCheckResult:
    unsettled = family.not_evaluated + state.failed
    serious = sum(family.findings(s) for s in Severity if s.rank >= Severity.WARNING.rank)
    metadata: dict[str, dg.MetadataValue] = {
        "athletes_evaluated": dg.MetadataValue.int(family.evaluated),
        "athletes_not_evaluated": dg.MetadataValue.int(family.not_evaluated),
        "athletes_failed": dg.MetadataValue.int(state.failed),
        **{f"{s.value}_count": dg.MetadataValue.int(family.findings(s)) for s in Severity},
        "rules": dg.MetadataValue.table(
            records=[
                dg.TableRecord(
                    {
                        "code": rule.code,
                        "rule": rule.rule,
                        "severity": rule.severity.value,
                        "findings": rule.findings,
                        "athletes": rule.athletes,
                        "sample": ", ".join(rule.sample),
                    }
                )
                for rule in family.rules
            ],
            schema=RULE_COLUMNS,
        ),
    }
    if family.not_evaluated:
        metadata["not_evaluated_sample"] = _listed(family.not_evaluated_sample)
        metadata["not_evaluated_causes"] = _listed(family.causes)
    if state.failed:
        metadata["failed_sample"] = _listed(state.failed_sample)
        # Text is read at once, where a list is behind a click.
        metadata["failed_causes"] = dg.MetadataValue.text("\n".join(state.failed_causes))
    return dg.AssetCheckResult(
        asset_key=ASSET,
        check_name=family.category.value,
        passed=not unsettled and not serious,
        severity=dg.AssetCheckSeverity.ERROR if unsettled else dg.AssetCheckSeverity.WARN,
        description=_description(family, state),
        metadata=metadata,
    )


def _description(family: FamilyState, state: RosterState) -> str:
    parts = [f"evaluated for {family.evaluated} athletes of the roster"]
    if family.not_evaluated:
        parts.insert(0, f"not evaluated for {family.not_evaluated} athletes: {'; '.join(family.causes)}")
    if state.failed:
        more = ", …" if state.failed > len(state.failed_sample) else ""
        parts.insert(
            0,
            f"the diagnosis failed for {state.failed} athletes, whom the next sweep takes again: "
            f"{', '.join(state.failed_sample)}{more}",
        )
    return "; ".join(parts)


def _listed(texts: Sequence[str]) -> dg.MetadataValue:
    return dg.MetadataValue.json(list(texts))
