"""Every environment variable of the product, read in one place.

What belongs here: names, types, defaults and bounds of settings. What stays out: anything that acts on them. No
file is read, so that a secret comes from the environment or not at all.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from keifu_quality.dsn import Dsn, parse_dsn
from keifu_quality.errors import SettingsError


class LogFormat(StrEnum):
    """How log lines are written; `auto` is console on a terminal and JSON elsewhere."""

    AUTO = "auto"
    JSON = "json"
    CONSOLE = "console"


class LogLevel(StrEnum):
    """The least severe log lines that are written."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _valid_url(value: SecretStr) -> SecretStr:
    parse_dsn(value.get_secret_value())
    return value


def _absolute(value: Path) -> Path:
    return value.expanduser().absolute()


DatabaseUrl = Annotated[SecretStr, AfterValidator(_valid_url)]


class Settings(BaseSettings):
    """The settings of one process. Build it with `load_settings`, whose errors name variables and no values.

    An empty variable counts as unset. An unset database URL means the embedded server under `home`. Code and tests
    pass a setting by the name of its variable: `Settings(KEIFU_HOME=...)`; a field name such as `home` is never
    read from the environment, where HOME means something else.
    """

    model_config = SettingsConfigDict(
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    business_database_url: DatabaseUrl | None = Field(default=None, alias="TASUKI_KEIFU_BUSINESS_DATABASE_URL")
    agent_database_url: DatabaseUrl | None = Field(default=None, alias="TASUKI_KEIFU_AGENT_DATABASE_URL")
    dagster_database_url: DatabaseUrl | None = Field(default=None, alias="DAGSTER_PG_URL")

    langsmith_tracing: bool = Field(default=False, alias="LANGSMITH_TRACING")
    langsmith_api_key: SecretStr | None = Field(default=None, alias="LANGSMITH_API_KEY")
    langsmith_endpoint: str | None = Field(default=None, alias="LANGSMITH_ENDPOINT")
    trace_url: str | None = Field(
        default=None, alias="KEIFU_TRACE_URL", description="address of a trace, with {trace_id} where its id belongs"
    )
    langsmith_project: str = Field(default="keifu-quality", alias="LANGSMITH_PROJECT")

    home: Annotated[Path, AfterValidator(_absolute)] = Field(
        default=Path(".keifu"), alias="KEIFU_HOME", validate_default=True
    )
    allow_writable_business_role: bool = Field(default=False, alias="KEIFU_ALLOW_WRITABLE_BUSINESS_ROLE")
    statement_timeout_ms: int = Field(default=60_000, ge=1, alias="KEIFU_STATEMENT_TIMEOUT_MS")
    lock_timeout_ms: int = Field(default=5_000, ge=1, alias="KEIFU_LOCK_TIMEOUT_MS")
    log_level: LogLevel = Field(default=LogLevel.WARNING, alias="KEIFU_LOG_LEVEL")
    log_format: LogFormat = Field(default=LogFormat.AUTO, alias="KEIFU_LOG_FORMAT")
    rules_file: Annotated[Path, AfterValidator(_absolute)] | None = Field(default=None, alias="KEIFU_RULES_FILE")
    payload_directory: Annotated[Path, AfterValidator(_absolute)] | None = Field(
        default=None, alias="KEIFU_PAYLOAD_DIRECTORY"
    )
    sweep_cron: str = Field(default="30 2 * * *", alias="KEIFU_SWEEP_CRON", description="cron in Asia/Tokyo")
    sweep_shards: int = Field(default=2, ge=1, le=256, alias="KEIFU_SWEEP_SHARDS")
    run_lost_after_minutes: int = Field(default=5, ge=1, alias="KEIFU_RUN_LOST_AFTER_MINUTES")
    retention_days: int = Field(default=90, ge=1, alias="KEIFU_RETENTION_DAYS")
    slack_webhook_url: SecretStr | None = Field(default=None, alias="KEIFU_SLACK_WEBHOOK_URL")

    def business_dsn(self) -> Dsn | None:
        """The business database, or None when it is the embedded one."""
        return _dsn(self.business_database_url)

    def agent_dsn(self) -> Dsn | None:
        """The agent database, or None when it is the embedded one."""
        return _dsn(self.agent_database_url)

    def dagster_dsn(self) -> Dsn | None:
        """The database of Dagster's storage, or None when it is the embedded one."""
        return _dsn(self.dagster_database_url)


def load_settings() -> Settings:
    """Read the environment. Raises SettingsError, which names each wrong variable and what is wrong with it."""
    try:
        return Settings()
    except ValidationError as error:
        faults = [
            f"{fault['loc'][0]}: {str(fault['msg']).removeprefix('Value error, ')}"
            for fault in error.errors(include_input=False, include_url=False, include_context=False)
        ]
        raise SettingsError("The environment cannot be used. " + "; ".join(faults)) from None


def _dsn(secret: SecretStr | None) -> Dsn | None:
    return None if secret is None else parse_dsn(secret.get_secret_value())
