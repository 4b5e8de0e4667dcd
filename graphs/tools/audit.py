"""How every audit tool runs its family: findings, or an error; never an empty list in place of an error."""

from graphs.contracts import AuditData, Category, ToolResult
from graphs.rules.athlete import Athlete
from graphs.rules.evaluate import NOTHING_FOUND, evaluate_family
from graphs.rules.rule import RuleContext
from graphs.tools.failure import failure_of

AUDITED = ToolResult[AuditData]
CLEAN = AUDITED.success(NOTHING_FOUND)


def audit(category: Category, athlete: Athlete, context: RuleContext) -> ToolResult[AuditData]:
    """The findings of one family, with the rules of it that could not finish."""
    try:
        found = evaluate_family(category, athlete, context)
    except Exception as error:  # noqa: BLE001 a broken family must be told apart from a clean one
        return AUDITED.failure(*failure_of(error))
    return CLEAN if found is NOTHING_FOUND else AUDITED.success(found)
