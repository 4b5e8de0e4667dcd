"""One diagnosis from request to stored result, on real databases."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy import Engine, text

from graphs.contracts import Category, DiagnosisInput
from graphs.person_diagnosis.nodes import PIPELINE
from keifu_quality.app import open_agent, open_business, open_diagnostician
from keifu_quality.db.embedded import DatabaseUrls
from keifu_quality.db.engine import connect_agent_psycopg
from keifu_quality.db.run_lock import run_lock
from keifu_quality.diagnosis import Diagnostician
from keifu_quality.dsn import parse_dsn
from keifu_quality.errors import RequestRefused, RunBusy, RunCutOff, RunNotFound, RunNotResumable
from keifu_quality.sample.demo import DEMO_AMBIGUOUS_NAME, DEMO_AMBIGUOUS_SLUG, DEMO_CLEAN_SLUG, DEMO_FAULTY_SLUG
from keifu_quality.settings import Settings
from tests.sample_fixtures import SampleRoster

pytestmark = pytest.mark.postgres

NODES = ["resolve_person", *(node.__name__ for node in PIPELINE)]


@pytest.fixture
def agent(sample_settings: Settings) -> Iterator[Engine]:
    with open_agent(sample_settings) as engine:
        yield engine


@pytest.fixture
def service(sample_settings: Settings, agent: Engine) -> Iterator[Diagnostician]:
    with (
        open_business(sample_settings) as business,
        open_diagnostician(sample_settings, business, agent) as diagnostician,
    ):
        yield diagnostician


def rows(agent: Engine, statement: str, **parameters: Any) -> list[Any]:
    with agent.connect() as connection:
        return list(connection.execute(text(statement), parameters))


def test_a_diagnosis_leaves_run_events_checkpoints_and_result(service: Diagnostician, agent: Engine) -> None:
    report = service.diagnose(DiagnosisInput(person_slug=DEMO_FAULTY_SLUG))
    assert report.outcome == "completed"
    assert {finding.category for finding in report.findings} >= {Category.MEMBERSHIP_TIMELINE}
    (run,) = rows(agent, "SELECT * FROM agent_runs")
    assert (run.run_id, run.status, run.outcome) == (report.run_id, "completed", "completed")
    assert run.person_slug == DEMO_FAULTY_SLUG
    assert run.ended_at >= run.started_at
    events = rows(agent, "SELECT node FROM agent_events WHERE kind = 'node_finished' ORDER BY id")
    assert [event.node for event in events] == NODES
    checkpoints = rows(
        agent, "SELECT node_name FROM agent_checkpoints WHERE run_id = :id ORDER BY created_at", id=report.run_id
    )
    assert [c.node_name for c in checkpoints if c.node_name in NODES] == NODES
    (last,) = rows(
        agent,
        "SELECT state_json FROM agent_checkpoints WHERE run_id = :id AND node_name = 'build_action_plan'",
        id=report.run_id,
    )
    assert len(last.state_json["findings"]) == len(report.findings)
    (result,) = rows(agent, "SELECT * FROM diagnosis_results")
    assert [f["fingerprint"] for f in result.findings_json] == [f.fingerprint for f in report.findings]
    assert len(result.actions_json) == len(report.actions)
    assert result.error_count == sum(f.severity.value == "error" for f in report.findings)


def test_slug_id_and_name_mean_the_same_athlete(service: Diagnostician, sample: SampleRoster) -> None:
    by_slug = service.diagnose(DiagnosisInput(person_slug=DEMO_CLEAN_SLUG))
    assert by_slug.person is not None
    by_id = service.diagnose(DiagnosisInput(person_id=by_slug.person.person_id))
    by_name = service.diagnose(DiagnosisInput(person_name=by_slug.person.display_name_ja))
    assert by_id.target == by_name.target == by_slug.target
    assert by_id.findings == by_name.findings == by_slug.findings
    label = next(label for label in sample.roster.labels if label.slug == DEMO_CLEAN_SLUG)
    assert {f.code for f in by_slug.findings if f.severity.rank >= 1} == {e.code for e in label.expected}


def test_the_stored_report_is_the_report(service: Diagnostician) -> None:
    report = service.diagnose(DiagnosisInput(person_slug=DEMO_FAULTY_SLUG))
    shown = service.show(report.run_id)
    assert shown.findings == report.findings
    assert shown.actions == report.actions
    assert shown.summary == report.summary
    assert shown.outcome == report.outcome


def test_nobody_is_a_run_of_its_own_and_no_result(service: Diagnostician, agent: Engine) -> None:
    report = service.diagnose(DiagnosisInput(person_slug="nobody-of-this-name"))
    assert (report.status, report.outcome) == ("completed", "not_found")
    (run,) = rows(agent, "SELECT status, outcome FROM agent_runs")
    assert tuple(run) == ("completed", "not_found")
    assert rows(agent, "SELECT 1 FROM diagnosis_results") == []


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ({"person_slug": DEMO_FAULTY_SLUG, "person_name": DEMO_AMBIGUOUS_NAME}, DEMO_AMBIGUOUS_SLUG),
        ({"person_slug": DEMO_FAULTY_SLUG, "person_name": "無名無名"}, "無名無名"),
        ({"person_slug": DEMO_FAULTY_SLUG, "person_id": "nobody"}, "nobody"),
    ],
)
def test_a_request_that_names_two_people_is_refused_before_there_is_a_run(
    service: Diagnostician, agent: Engine, request_: dict[str, str], named: str
) -> None:
    with pytest.raises(RequestRefused) as refused:
        service.diagnose(DiagnosisInput.model_validate(request_))
    assert DEMO_FAULTY_SLUG in str(refused.value)
    assert named in str(refused.value)
    assert rows(agent, "SELECT 1 FROM agent_runs") == []


def test_an_ambiguous_name_waits_and_goes_on_with_the_answer(service: Diagnostician, agent: Engine) -> None:
    asked = service.diagnose(DiagnosisInput(person_name=DEMO_AMBIGUOUS_NAME))
    assert (asked.status, asked.outcome) == ("need_clarification", "ambiguous")
    assert DEMO_AMBIGUOUS_SLUG in [candidate.person_slug for candidate in asked.candidates]
    assert service.show(asked.run_id).candidates == asked.candidates
    (run,) = rows(agent, "SELECT status, outcome, ended_at FROM agent_runs")
    assert tuple(run) == ("need_clarification", "ambiguous", None)

    answered = service.resume(asked.run_id, answer=DiagnosisInput(person_slug=DEMO_AMBIGUOUS_SLUG))
    assert (answered.outcome, answered.target.person_slug) == ("completed", DEMO_AMBIGUOUS_SLUG)
    assert answered.run_id == asked.run_id
    assert len(rows(agent, "SELECT 1 FROM diagnosis_results")) == 1


def test_a_clarification_given_at_once_needs_no_second_call(service: Diagnostician) -> None:
    report = service.diagnose(DiagnosisInput(person_name=DEMO_AMBIGUOUS_NAME), clarification=DEMO_AMBIGUOUS_SLUG)
    assert (report.outcome, report.target.person_slug) == ("completed", DEMO_AMBIGUOUS_SLUG)


def test_an_answer_that_means_nobody_leaves_the_run_waiting(service: Diagnostician) -> None:
    asked = service.diagnose(DiagnosisInput(person_name=DEMO_AMBIGUOUS_NAME))
    with pytest.raises(RunNotResumable, match="still waits"):
        service.resume(asked.run_id, answer=DiagnosisInput(person_slug="typo"))
    assert service.show(asked.run_id).status == "need_clarification"
    with pytest.raises(RunNotResumable, match="--person-slug"):
        service.resume(asked.run_id)


def test_a_finished_run_is_not_resumed(service: Diagnostician) -> None:
    report = service.diagnose(DiagnosisInput(person_slug=DEMO_CLEAN_SLUG))
    with pytest.raises(RunNotResumable, match="keifu show"):
        service.resume(report.run_id)


def test_an_unknown_run_is_named(service: Diagnostician) -> None:
    with pytest.raises(RunNotFound, match="no-such-run"):
        service.resume("no-such-run")


def test_a_run_of_another_graph_version_is_not_resumed(service: Diagnostician, agent: Engine) -> None:
    asked = service.diagnose(DiagnosisInput(person_name=DEMO_AMBIGUOUS_NAME))
    with agent.begin() as connection:
        connection.execute(text("UPDATE agent_runs SET graph_version = '0'"))
    with pytest.raises(RunNotResumable, match="version 0"):
        service.resume(asked.run_id, answer=DiagnosisInput(person_slug=DEMO_AMBIGUOUS_SLUG))


def test_of_two_answers_at_once_one_counts_and_one_is_told(service: Diagnostician, sample_settings: Settings) -> None:
    asked = service.diagnose(DiagnosisInput(person_name=DEMO_AMBIGUOUS_NAME))
    answer = DiagnosisInput(person_slug=DEMO_AMBIGUOUS_SLUG)
    with (
        closing(connect_agent_psycopg(sample_settings)) as another,
        run_lock(another, asked.run_id),
        pytest.raises(RunBusy, match=asked.run_id),
    ):
        service.resume(asked.run_id, answer=answer)
    assert service.resume(asked.run_id, answer=answer).outcome == "completed"
    with pytest.raises(RunNotResumable):
        service.resume(asked.run_id, answer=answer)


def test_the_second_run_says_what_changed(service: Diagnostician) -> None:
    first = service.diagnose(DiagnosisInput(person_slug=DEMO_FAULTY_SLUG))
    second = service.diagnose(DiagnosisInput(person_slug=DEMO_FAULTY_SLUG))
    assert first.changes is None
    assert second.changes is not None
    assert (second.changes.run_id, second.changes.new, second.changes.gone) == (first.run_id, (), ())
    assert [f.model_dump_json() for f in first.findings] == [f.model_dump_json() for f in second.findings]


def test_a_denied_table_is_not_evaluated_and_never_clean(
    sample_settings: Settings, sample: SampleRoster, new_databases: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from keifu_quality.sample.load import load_roster

    databases: DatabaseUrls = new_databases()
    load_roster(sample.roster, databases.business_owner)
    with psycopg.connect(parse_dsn(databases.business_owner).libpq()) as owner:
        owner.execute('REVOKE SELECT ON "PersonalBest" FROM keifu_reader')
    settings = sample_settings.model_copy(update={"business_database_url": SecretStr(databases.business)})
    with (
        open_agent(settings) as agent,
        open_business(settings) as business,
        open_diagnostician(settings, business, agent) as service,
    ):
        report = service.diagnose(DiagnosisInput(person_slug=DEMO_CLEAN_SLUG))
    assert report.outcome == "incomplete"
    assert report.summary is not None
    by_category = {family.category: family for family in report.summary.families}
    family = by_category[Category.PERSONAL_BEST_CONSISTENCY]
    assert family.status == "not_evaluated"
    assert "PersonalBest" in family.not_evaluated[0].message
    assert by_category[Category.MEMBERSHIP_TIMELINE].status == "evaluated"
    first_evaluated = next(line for line in report.summary.lines if "was not evaluated" not in line)
    before = report.summary.lines[: report.summary.lines.index(first_evaluated)]
    assert before[0].startswith("personal_best_consistency was not evaluated")


def test_a_database_that_goes_away_is_a_failed_run_that_can_go_on(
    service: Diagnostician, agent: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = service._reader
    load = reader.load_snapshots

    def gone(_: Any) -> Any:
        raise psycopg.errors.DiskFull("no space left on device")

    monkeypatch.setattr(reader, "load_snapshots", gone)
    failed = service.diagnose(DiagnosisInput(person_slug=DEMO_CLEAN_SLUG))
    assert (failed.status, failed.outcome) == ("failed", "failed")
    assert failed.error is not None
    assert failed.error.code == "sqlstate_53100"
    (run,) = rows(agent, "SELECT error_node, error_code FROM agent_runs")
    assert tuple(run) == ("load_person_snapshot", "sqlstate_53100")

    monkeypatch.setattr(reader, "load_snapshots", load)
    assert service.resume(failed.run_id).outcome == "completed"
    resolved = rows(agent, "SELECT 1 FROM agent_events WHERE node = 'resolve_person' AND kind = 'node_finished'")
    assert len(resolved) == 1


def test_a_run_that_failed_before_its_first_step_can_go_on(
    service: Diagnostician, agent: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable() -> None:
        raise psycopg.errors.DiskFull("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(service, "_refresh", unreachable)
        failed = service.diagnose(DiagnosisInput(person_slug=DEMO_CLEAN_SLUG))
    assert failed.outcome == "failed"
    resumed = service.resume(failed.run_id)
    assert (resumed.outcome, resumed.target.person_slug) == ("completed", DEMO_CLEAN_SLUG)
    assert len(rows(agent, "SELECT 1 FROM agent_runs")) == 1


def test_a_run_that_was_cut_off_after_its_last_step_only_has_to_be_settled(
    service: Diagnostician, agent: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: Any) -> Any:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(service, "_settle", killed)
        with pytest.raises(Killed):
            service.diagnose(DiagnosisInput(person_slug=DEMO_FAULTY_SLUG))
    (run,) = rows(agent, "SELECT run_id, status FROM agent_runs")
    assert run.status == "running"
    assert service.resume(run.run_id).outcome == "completed"
    assert len(rows(agent, "SELECT 1 FROM agent_events WHERE kind = 'node_finished'")) == 9
    assert len(rows(agent, "SELECT 1 FROM diagnosis_results")) == 1


def test_an_agent_database_that_goes_away_says_how_to_go_on(
    service: Diagnostician, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: Any, **__: Any) -> Any:
        raise psycopg.errors.AdminShutdown("terminating connection")

    with monkeypatch.context() as patch:
        patch.setattr(service.store, "enter_node", gone)
        patch.setattr(service.store, "settle", gone)
        with pytest.raises(RunCutOff, match="keifu resume"):
            service.diagnose(DiagnosisInput(person_slug=DEMO_CLEAN_SLUG))
