"""Structured logs: JSON lines unless written to a terminal; inside Dagster they pass through Dagster's logger.

Belongs here: the one set-up of structlog. Loggers are named keifu.…, which dagster.yaml hands to Dagster.
"""

import logging
import sys

import structlog

from keifu_quality.settings import LogFormat, Settings


def configure_logs(settings: Settings) -> None:
    """Sets up logs on standard error for a process of its own, such as the command line."""
    plain = settings.log_format is LogFormat.CONSOLE or (settings.log_format is LogFormat.AUTO and sys.stderr.isatty())
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if plain else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    root = logging.getLogger("keifu")
    root.handlers[:] = [handler]
    root.propagate = False
    root.setLevel(settings.log_level.value.upper())


def configure_logs_for_dagster() -> None:
    """Sends logs to the standard library's loggers as one line each; Dagster's handlers take them from there."""
    structlog.configure(
        processors=[structlog.stdlib.add_logger_name, structlog.processors.KeyValueRenderer(key_order=["event"])],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
