"""`audit_person_normalization_risk_tool`."""

from graphs.contracts import AuditData, Category, ToolResult
from graphs.rules.athlete import Athlete
from graphs.rules.rule import RuleContext
from graphs.tools.audit import audit


def audit_person_normalization_risk_tool(athlete: Athlete, context: RuleContext) -> ToolResult[AuditData]:
    """Findings about an athlete's identity: doubles, mixed records, malformed names."""
    return audit(Category.PERSON_NORMALIZATION, athlete, context)
