"""`check_relation_cache_tool`."""

from graphs.contracts import CacheStatus, Category, RelationCacheData, ToolResult
from graphs.facts import FactsUnavailableError
from graphs.rules.athlete import Athlete
from graphs.rules.relation_cache.status import cache_status
from graphs.rules.rule import RuleContext
from graphs.tools.audit import audit
from graphs.tools.failure import failure_of

CHECKED = ToolResult[RelationCacheData]


def check_relation_cache_tool(athlete: Athlete, context: RuleContext) -> ToolResult[RelationCacheData]:
    """Findings about an athlete's relation cache, and whether it is fresh, stale, missing or invalid."""
    audited = audit(Category.RELATION_CACHE, athlete, context)
    if audited.data is None:
        return CHECKED(ok=False, error=audited.error)
    status: CacheStatus | None
    try:
        status = cache_status(athlete, context)
    except FactsUnavailableError:
        status = None
    except Exception as error:  # noqa: BLE001 a broken status must be told apart from a fresh cache
        return CHECKED.failure(*failure_of(error))
    return CHECKED.success(
        RelationCacheData(findings=audited.data.findings, not_evaluated=audited.data.not_evaluated, cache_status=status)
    )
