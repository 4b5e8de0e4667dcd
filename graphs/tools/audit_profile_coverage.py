"""`audit_profile_coverage_tool`."""

from graphs.contracts import AuditData, Category, ToolResult
from graphs.rules.athlete import Athlete
from graphs.rules.rule import RuleContext
from graphs.tools.audit import audit


def audit_profile_coverage_tool(athlete: Athlete, context: RuleContext) -> ToolResult[AuditData]:
    """Findings about an athlete's profile: missing, implausible and badly formed fields."""
    return audit(Category.PROFILE_COVERAGE, athlete, context)
