"""`audit_membership_timeline_tool`."""

from graphs.contracts import AuditData, Category, ToolResult
from graphs.rules.athlete import Athlete
from graphs.rules.rule import RuleContext
from graphs.tools.audit import audit


def audit_membership_timeline_tool(athlete: Athlete, context: RuleContext) -> ToolResult[AuditData]:
    """Findings about an athlete's memberships: overlaps, order, windows and grades."""
    return audit(Category.MEMBERSHIP_TIMELINE, athlete, context)
