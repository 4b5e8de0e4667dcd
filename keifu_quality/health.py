"""What `keifu doctor` looks at: one check after the other, none of which stops the next.

Belongs here: the examination. Stays out: how it is printed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Engine

from graphs.contracts import Category
from graphs.rules.registry import all_rules, enabled_rules, rule_set_version
from keifu_quality.app import rule_configuration
from keifu_quality.db import migrate
from keifu_quality.db.business_contract import Severity, check_contract
from keifu_quality.db.business_proof import prove_read_only
from keifu_quality.db.engine import agent_engine, business_engine
from keifu_quality.errors import KeifuError, SettingsError
from keifu_quality.payload_bests import read_payloads
from keifu_quality.settings import Settings, load_settings


class Grade(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, and what to do about it if it is not in order."""

    name: str
    grade: Grade
    message: str


def examine() -> Iterator[Check]:
    """All checks in order: settings, rules, business database, its privileges and shape, agent database, traces."""
    try:
        settings = load_settings()
    except SettingsError as error:
        yield Check("settings", Grade.FAILED, str(error))
        return
    yield Check("settings", Grade.OK, f"home {settings.home}")
    yield from _guarded("rules", lambda: _rules(settings))
    yield from _guarded("business database", lambda: _business(settings))
    yield from _guarded("agent database", lambda: _agent(settings))
    yield _tracing(settings)


def _guarded(name: str, examination: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    try:
        yield from examination()
    except KeifuError as error:
        yield Check(name, Grade.FAILED, str(error))
    except Exception as error:  # noqa: BLE001 every fault of a database is a line of the report
        original = getattr(error, "orig", None) or error
        yield Check(name, Grade.FAILED, str(original).strip() or type(original).__name__)


def _rules(settings: Settings) -> Iterator[Check]:
    configuration = rule_configuration(settings)
    running = sum(len(enabled_rules(category, configuration)) for category in Category)
    told = [
        f"{running} of {len(all_rules())} rules run, version {rule_set_version(configuration)}",
        f"settings from {settings.rules_file}" if settings.rules_file else "default settings",
        f"reviewed {configuration.as_of}",
    ]
    if configuration.protected_slugs:
        told.append(f"{len(configuration.protected_slugs)} protected slugs")
    if configuration.known_distinct:
        told.append(f"{len(configuration.known_distinct)} groups of known namesakes")
    yield Check("rules", Grade.OK, "; ".join(told))
    if settings.payload_directory is not None:
        names = len(read_payloads(settings.payload_directory))
        yield Check("import payloads", Grade.OK, f"bests of {names} names in {settings.payload_directory}")


def _business(settings: Settings) -> Iterator[Check]:
    engine = business_engine(settings, pool_size=1)
    try:
        yield from _examine_business(settings, engine)
    finally:
        engine.dispose()


def _examine_business(settings: Settings, engine: Engine) -> Iterator[Check]:
    with engine.connect() as connection:
        proof = prove_read_only(connection)
        if proof.is_read_only:
            yield Check("business role", Grade.OK, f"{proof.role} can only read {proof.database}")
        else:
            grade = Grade.WARNING if settings.allow_writable_business_role else Grade.FAILED
            yield Check("business role", grade, proof.explain())
        for warning in proof.warnings:
            yield Check("business role", Grade.WARNING, warning)
        contract = check_contract(connection)
    faults = [d for d in contract.differences if d.severity is not Severity.WARNING]
    for difference in contract.differences:
        grade = Grade.WARNING if difference.severity is Severity.WARNING else Grade.FAILED
        yield Check("business schema", grade, difference.message)
    if not faults:
        yield Check("business schema", Grade.OK, "every table and column that the rules read is there")


def _agent(settings: Settings) -> Iterator[Check]:
    engine = agent_engine(settings, pool_size=1)
    try:
        migrate.check(engine)
    finally:
        engine.dispose()
    yield Check("agent database", Grade.OK, f"at revision {migrate.head()}")


def _tracing(settings: Settings) -> Check:
    if not settings.langsmith_tracing:
        return Check("traces", Grade.OK, "off; set LANGSMITH_TRACING and LANGSMITH_API_KEY to turn them on")
    if settings.langsmith_api_key is None:
        return Check(
            "traces", Grade.WARNING, "LANGSMITH_TRACING is set but LANGSMITH_API_KEY is not; nothing is traced"
        )
    return Check("traces", Grade.OK, f"on, project {settings.langsmith_project}, inputs and outputs hidden")
