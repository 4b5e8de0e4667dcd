"""Puts the parts together: from settings to a service that diagnoses.

Belongs here: who gets which connection, and the proof that comes before anything else. The command line and the
Dagster resources start here. Imports no Dagster.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import structlog
from sqlalchemy import Engine

from graphs.ports import BusinessReader
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.rule import RuleContext
from graphs.text.school_year import jst_date
from keifu_quality.db import migrate
from keifu_quality.db.athlete_index import AthleteIndex
from keifu_quality.db.business.access import Faults, TableFault
from keifu_quality.db.business.race_memory import RaceMemory
from keifu_quality.db.business.reader import DatabaseReader
from keifu_quality.db.business_contract import ContractReport, check_contract
from keifu_quality.db.business_proof import prove_read_only, require_read_only
from keifu_quality.db.embedded import EmbeddedServer
from keifu_quality.db.engine import agent_engine, business_engine
from keifu_quality.db.judgements import JudgementStore
from keifu_quality.diagnosis import Diagnostician, SystemClock
from keifu_quality.judging import Judging
from keifu_quality.lost_runs import settle_lost_runs
from keifu_quality.payload_bests import PayloadBestReader, read_payloads
from keifu_quality.rehearsal import Rehearser
from keifu_quality.rule_configuration import load_rule_configuration
from keifu_quality.settings import Settings, load_settings


@dataclass(frozen=True, slots=True)
class Business:
    """The archive, proven read only, with what its contract check found unreadable when it was opened."""

    engine: Engine
    faults: Faults

    def inspect(self) -> Faults:
        """What is unreadable now; privileges and columns may change while a process lives."""
        return _faults(self.engine)


@contextmanager
def open_business(settings: Settings) -> Iterator[Business]:
    """The archive. Raises BusinessNotReadOnly, and BusinessContractBroken when nothing can be diagnosed at all."""
    engine = business_engine(settings)
    try:
        log = structlog.get_logger("keifu.business")
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            proof = prove_read_only(connection)
            for warning in require_read_only(proof, allow_writable=settings.allow_writable_business_role):
                log.warning("business_role", message=warning)
            contract = check_contract(connection)
        contract.require()
        for warning in contract.warnings():
            log.warning("business_contract", message=warning)
        yield Business(engine=engine, faults=_table_faults(contract))
    finally:
        engine.dispose()


@contextmanager
def open_agent(settings: Settings) -> Iterator[Engine]:
    """The agent database, at the schema that this version needs. Raises AgentSchemaOutdated."""
    engine = agent_engine(settings)
    try:
        migrate.check(engine)
        yield engine
    finally:
        engine.dispose()


def open_index(business: Business, agent: Engine) -> AthleteIndex:
    """The index of athletes' names."""
    return AthleteIndex(agent, business.engine, faults=business.faults)


def rule_configuration(settings: Settings) -> RuleConfiguration:
    """The configuration of the rules. Raises RulesFileUnusable, which names each wrong key."""
    return load_rule_configuration(settings.rules_file, has_payloads=settings.payload_directory is not None)


def open_reader(
    settings: Settings, business: Business, agent: Engine, index: AthleteIndex, *, races: RaceMemory | None = None
) -> BusinessReader:
    """Reads athletes with all that the rules may want. Raises PayloadUnreadable when a payload is none.

    `races` lets reads share what they find of races.
    """
    reader = DatabaseReader(
        business.engine,
        index,
        faults=business.faults,
        inspect=business.inspect,
        judgements=JudgementStore(agent),
        races=races,
    )
    if settings.payload_directory is None:
        return reader
    return PayloadBestReader(reader, read_payloads(settings.payload_directory))


@contextmanager
def open_diagnostician(settings: Settings, business: Business, agent: Engine) -> Iterator[Diagnostician]:
    """The service on top of both databases."""
    configuration = rule_configuration(settings)
    index = open_index(business, agent)
    reader = open_reader(settings, business, agent, index)
    with Diagnostician(
        settings, agent=agent, reader=reader, refresh=index.refresh, configuration=configuration
    ) as service:
        yield service


@contextmanager
def diagnostician() -> Iterator[Diagnostician]:
    """The service as the environment describes it. Runs whose process died are settled first."""
    settings = load_settings()
    with (
        open_agent(settings) as agent,
        open_business(settings) as business,
        open_diagnostician(settings, business, agent) as service,
    ):
        settle_lost_runs(settings, agent, clock=SystemClock())
        yield service


@contextmanager
def judging() -> Iterator[Judging]:
    """The service that records judgements, as the environment describes it."""
    settings = load_settings()
    with open_agent(settings) as agent, open_business(settings) as business:
        reader = open_reader(settings, business, agent, open_index(business, agent))
        yield Judging(reader, JudgementStore(agent))


@contextmanager
def rehearser() -> Iterator[Rehearser]:
    """The present rules over the whole roster, as the environment describes both."""
    settings = load_settings()
    configuration = rule_configuration(settings)
    with open_agent(settings) as agent, open_business(settings) as business:
        index = open_index(business, agent)
        index.refresh()
        now = SystemClock().now()
        context = RuleContext(today=jst_date(now), now=now, configuration=configuration)
        yield Rehearser(open_reader(settings, business, agent, index), index.people(), context, agent)


@contextmanager
def agent_database() -> Iterator[Engine]:
    """The agent database as the environment describes it."""
    with open_agent(load_settings()) as engine:
        yield engine


def embedded_server() -> EmbeddedServer:
    """The embedded server as the environment describes it; it need not run."""
    return EmbeddedServer(load_settings().home / "pg")


def _faults(engine: Engine) -> Faults:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        return _table_faults(check_contract(connection))


def _table_faults(contract: ContractReport) -> Faults:
    return {
        table: TableFault(table=table, code="table_unreadable", message=message)
        for table, message in contract.unavailable().items()
    }
