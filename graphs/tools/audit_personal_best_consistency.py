"""`audit_personal_best_consistency_tool`."""

from graphs.contracts import AuditData, Category, ToolResult
from graphs.rules.athlete import Athlete
from graphs.rules.rule import RuleContext
from graphs.tools.audit import audit


def audit_personal_best_consistency_tool(athlete: Athlete, context: RuleContext) -> ToolResult[AuditData]:
    """Findings about an athlete's personal bests: doubles, marks, conflicts, provenance."""
    return audit(Category.PERSONAL_BEST_CONSISTENCY, athlete, context)
