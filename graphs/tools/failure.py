"""How an exception becomes the error of a tool result: one code, one message that says what happened."""

from graphs.retry import sqlstate_of

MESSAGE_LIMIT = 500
"""Characters kept of an exception's text; a driver may quote whole statements."""


def failure_of(error: Exception) -> tuple[str, str]:
    """Code and message of an exception: `invalid_request` for a bad request, `sqlstate_…` for the database."""
    text = str(getattr(error, "orig", None) or error).strip()[:MESSAGE_LIMIT]
    state = sqlstate_of(error)
    if state is not None:
        return f"sqlstate_{state}", text
    if isinstance(error, ValueError):
        return "invalid_request", text
    return type(error).__name__, text or type(error).__name__
