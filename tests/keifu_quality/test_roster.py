"""The roster regime on real databases: equal to the interactive one, athlete by athlete."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Engine, text

from graphs.contracts import DiagnosisInput, DiagnosisReport
from graphs.rules import registry
from graphs.rules.athlete import Athlete
from graphs.rules.rule import RuleContext
from keifu_quality.app import (
    Business,
    open_agent,
    open_business,
    open_diagnostician,
    open_index,
    open_reader,
    rule_configuration,
)
from keifu_quality.db.chunk_results import ChunkRun, write_chunk
from keifu_quality.db.runs import RunStore
from keifu_quality.errors import RequestRefused
from keifu_quality.report import report_of_run
from keifu_quality.roster import RosterDiagnostician
from keifu_quality.sample.demo import DEMO_AMBIGUOUS_NAME, DEMO_FAULTY_SLUG
from keifu_quality.settings import Settings

pytestmark = pytest.mark.postgres

POISONED = 7
"""Every so many athletes a rule breaks on one."""


@pytest.fixture
def agent(sample_settings: Settings) -> Iterator[Engine]:
    with open_agent(sample_settings) as engine:
        yield engine


@pytest.fixture
def business(sample_settings: Settings) -> Iterator[Business]:
    with open_business(sample_settings) as opened:
        yield opened


@pytest.fixture
def roster(sample_settings: Settings, business: Business, agent: Engine) -> Iterator[RosterDiagnostician]:
    index = open_index(business, agent)
    index.refresh()
    reader = open_reader(sample_settings, business, agent, index)
    with RosterDiagnostician(
        sample_settings, reader=reader, configuration=rule_configuration(sample_settings)
    ) as service:
        yield service


def store(agent: Engine, roster: RosterDiagnostician, requests: Sequence[DiagnosisInput]) -> Sequence[ChunkRun]:
    header, runs = roster.diagnose(requests, triggered_by="schedule")
    with agent.begin() as connection:
        write_chunk(connection, header, runs, [""] * len(runs))
    return runs


def stored(agent: Engine, run_id: str) -> DiagnosisReport:
    runs = RunStore(agent)
    return report_of_run(runs.run(run_id), runs.result(run_id), [])


def all_requests(agent: Engine) -> list[DiagnosisInput]:
    with agent.connect() as connection:
        people = connection.execute(text("SELECT person_id FROM athlete_index ORDER BY 1")).scalars().all()
    return [DiagnosisInput(person_id=person_id, triggered_by="schedule") for person_id in people]


def test_both_regimes_find_the_same_on_the_whole_roster(
    sample_settings: Settings,
    business: Business,
    agent: Engine,
    roster: RosterDiagnostician,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    requests = [
        *all_requests(agent),
        DiagnosisInput(person_id="nobody"),
        DiagnosisInput(person_slug="nobody-of-this-name"),
        DiagnosisInput(person_slug=DEMO_FAULTY_SLUG),
        DiagnosisInput(person_name=DEMO_AMBIGUOUS_NAME),
        DiagnosisInput(person_slug=DEMO_FAULTY_SLUG, person_id="somebody-else"),
    ]
    poisoned = {request.person_id for request in requests[::POISONED]}
    rule = type(registry.rule_by_code("PC01"))
    sound = rule.check

    def breaking(self: Any, athlete: Athlete, context: RuleContext) -> Any:
        if athlete.person.id in poisoned:
            raise RuntimeError("boom")
        return sound(self, athlete, context)

    monkeypatch.setattr(rule, "check", breaking)
    runs = store(agent, roster, requests)
    outcomes = [run.outcome.value for run in runs]
    assert {"completed", "incomplete", "not_found", "ambiguous", "failed"} == set(outcomes)
    with open_diagnostician(sample_settings, business, agent) as service:
        # Every fifth athlete, besides all that are not plain; each takes as long as forty in a chunk.
        for run, request in list(zip(runs, requests, strict=True))[::5] + list(zip(runs, requests, strict=True))[-5:]:
            together = stored(agent, run.run_id)
            if request.person_slug and request.person_id:
                with pytest.raises(RequestRefused) as refused:
                    service.diagnose(request)
                assert together.error is not None
                assert together.error.message == str(refused.value)
                continue
            alone = service.diagnose(request)
            assert together.outcome == alone.outcome, request
            assert together.findings == alone.findings
            assert together.actions == alone.actions
            assert together.summary == alone.summary
            assert together.target == alone.target
            assert together.error == alone.error


def test_an_athlete_whose_findings_cannot_be_stored_fails_alone(
    agent: Engine, roster: RosterDiagnostician, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, *_ = all_requests(agent)
    rule = type(registry.rule_by_code("PC01"))
    sound = rule.check

    def quoting(self: Any, athlete: Athlete, context: RuleContext) -> Any:
        for finding in sound(self, athlete, context):
            told = "a\x00b" if athlete.person.id == first.person_id else "a\\u0000b"
            yield replace(finding, detail=told)

    monkeypatch.setattr(rule, "check", quoting)
    runs = store(agent, roster, [first, second])
    assert [run.outcome.value for run in runs] == ["failed", "completed"]
    report = stored(agent, runs[0].run_id)
    assert report.error is not None
    assert report.error.code == "unstorable_text"
    assert "a\\u0000b" in [finding.detail for finding in stored(agent, runs[1].run_id).findings]


def test_a_failed_athlete_has_an_event_and_no_result(agent: Engine, roster: RosterDiagnostician) -> None:
    (run,) = store(agent, roster, [DiagnosisInput(triggered_by="schedule")])
    runs = RunStore(agent)
    assert runs.run(run.run_id)["error_node"] == "resolve_person"
    assert [(event["kind"], event["node"]) for event in runs.events(run.run_id)] == [("run_failed", "resolve_person")]
    assert runs.result(run.run_id) is None
