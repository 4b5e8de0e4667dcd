"""Which faults pass by themselves, and how often to try again. The one list of transient faults.

Belongs here: the classification and the policy. It knows drivers only by the attributes that their exceptions
carry, since `graphs` imports no driver.
"""

from collections.abc import Iterator

from langgraph.types import RetryPolicy

TRANSIENT_SQLSTATES = frozenset(
    {
        "40001",  # serialization failure
        "40P01",  # deadlock detected
        "53300",  # too many connections
        "55P03",  # lock not available
        "57014",  # query cancelled, by a statement timeout among others
        "57P01",  # terminated by an administrator
        "57P02",  # crash shutdown
        "57P03",  # cannot connect now
        "57P05",  # idle session timeout
    }
)
"""SQLSTATE codes (PostgreSQL, appendix A) after which the same statement may succeed; class 08 is added whole."""

CONNECTION_FAULT_NAMES = frozenset({"OperationalError", "InterfaceError"})
"""Driver exceptions that, without an SQLSTATE, mean that the connection is gone."""

POOL_TIMEOUT_NAMES = frozenset({"PoolTimeout", "TimeoutError", "NodeTimeoutError"})

PERMANENT_CONNECTION_TEXTS = (
    "authentication failed",
    "no pg_hba.conf entry",
    "does not exist",
    "no password supplied",
    "invalid connection option",
    "could not translate host name",
)
"""libpq reports these without an SQLSTATE before a session exists; trying again cannot help."""

MAX_ATTEMPTS = 3


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        original = getattr(current, "orig", None)
        current = original if isinstance(original, BaseException) else current.__cause__


def sqlstate_of(error: BaseException) -> str | None:
    """The SQLSTATE that an exception, or what it was raised from, carries; None when there is none."""
    for cause in _causes(error):
        state = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
        if isinstance(state, str) and state:
            return state
    return None


def is_transient(error: BaseException) -> bool:
    """Whether trying again may help: lost connections, conflicts and timeouts, never a wrong shape or password."""
    state = sqlstate_of(error)
    if state is not None:
        return state.startswith("08") or state in TRANSIENT_SQLSTATES
    for cause in _causes(error):
        if isinstance(cause, (TimeoutError, ConnectionError)):
            return True
        name = type(cause).__name__
        if name in POOL_TIMEOUT_NAMES:
            return True
        if name in CONNECTION_FAULT_NAMES:
            text = str(cause)
            return not any(permanent in text for permanent in PERMANENT_CONNECTION_TEXTS)
    return False


def retry_policy() -> RetryPolicy:
    """Three attempts, half a second and then a second apart, for transient faults only.

    No jitter: LangGraph's adds up to a second whatever the interval.
    """
    return RetryPolicy(
        initial_interval=0.5,
        backoff_factor=2.0,
        max_interval=2.0,
        max_attempts=MAX_ATTEMPTS,
        jitter=False,
        retry_on=_retry_on,
    )


def _retry_on(error: Exception) -> bool:
    return is_transient(error)
