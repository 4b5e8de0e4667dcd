"""The measurement of the rules: how it counts, and that it passes on a real database and leaves nothing there."""

import json
import os
from datetime import date
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from graphs.contracts import DiagnosisIssue, Severity, UnevaluatedRule
from graphs.rules.registry import rule_by_code
from keifu_quality.accuracy import Accuracy, RuleScore, measure, score
from keifu_quality.cli.main import app
from keifu_quality.db.embedded import EmbeddedServer
from keifu_quality.db.scratch import scratch_databases
from keifu_quality.dsn import parse_dsn
from keifu_quality.evaluation import Evaluated
from keifu_quality.sample.labels import Expectation, Label
from keifu_quality.sample.roster import Roster
from keifu_quality.settings import Settings


def finding(code: str, severity: str) -> DiagnosisIssue:
    rule = rule_by_code(code)
    return DiagnosisIssue(
        category=rule.category,
        severity=Severity(severity),
        title=rule.title(),
        detail="what was seen",
        source_tool="tool",
        code=code,
        rule=rule.name,
        fingerprint="f",
        evidence_hash="h",
    )


def scored(
    expected: list[tuple[str, ...]],
    fired: list[tuple[str, str]],
    *,
    tolerated: tuple[str, ...] = (),
    undecided: tuple[str, ...] = (),
    not_evaluated: tuple[UnevaluatedRule, ...] = (),
) -> Accuracy:
    """The measurement on one athlete; an expectation is a code and its severities, a finding a code and one."""
    wanted = tuple(Expectation(code, severities) for code, *rest in expected for severities in [tuple(rest)])
    label = Label("p", "slug-p", "MT01/some_form", wanted, tolerated, undecided)
    findings = tuple(finding(code, severity) for code, severity in fired)
    roster = Roster(size=1, seed=3, as_of=date(2026, 11, 1), tables={}, labels=[label])
    return score(roster, [Evaluated("p", "slug-p", findings, not_evaluated)])


def of(measured: Accuracy, code: str) -> RuleScore:
    return next(score for score in measured.scores if score.rule.code == code)


def counts(measured: Accuracy, code: str) -> tuple[int, int, int, int]:
    found = of(measured, code)
    return found.planted, found.found, found.missed, found.false_alarms


@pytest.mark.parametrize(
    ("expected", "fired", "more", "result"),
    [
        pytest.param([("MT01", "error")], [("MT01", "error")], {}, (1, 1, 0, 0), id="found"),
        pytest.param([("MT01", "error")], [], {}, (1, 0, 1, 0), id="missed"),
        pytest.param([], [("MT01", "warning")], {}, (0, 0, 0, 1), id="false alarm"),
        pytest.param([("MT01", "error")], [("MT01", "warning")], {}, (1, 0, 1, 1), id="wrong severity"),
        pytest.param([("MT01", "error", "warning")], [("MT01", "warning")], {}, (1, 1, 0, 0), id="either severity"),
        pytest.param(
            [("MT01", "error"), ("MT01", "warning")],
            [("MT01", "error"), ("MT01", "warning")],
            {},
            (1, 1, 0, 0),
            id="both severities",
        ),
        pytest.param([("MT01", "error"), ("MT01", "warning")], [("MT01", "error")], {}, (1, 0, 1, 0), id="one of both"),
        pytest.param([], [("MT01", "info")], {"tolerated": ("MT01",)}, (0, 0, 0, 0), id="tolerated"),
        pytest.param([], [("MT01", "info")], {}, (0, 0, 0, 1), id="not tolerated"),
        pytest.param([], [("MT01", "error")], {"tolerated": ("MT01",)}, (0, 0, 0, 1), id="tolerated at info only"),
        pytest.param([], [("MT01", "error")], {"undecided": ("MT01",)}, (0, 0, 0, 0), id="undecided"),
        pytest.param(
            [("MT01", "error")],
            [("MT01", "error"), ("MT01", "error")],
            {},
            (1, 1, 0, 0),
            id="an athlete counts once",
        ),
    ],
)
def test_findings_are_counted_by_athlete_against_the_label(
    expected: list[tuple[str, ...]], fired: list[tuple[str, str]], more: dict[str, Any], result: tuple[int, ...]
) -> None:
    measured = scored(expected, fired, **more)

    assert counts(measured, "MT01") == result
    assert measured.passes == (result[2] == result[3] == 0)


def test_what_is_wrong_is_named() -> None:
    assert of(scored([("MT01", "error")], []), "MT01").examples == [("slug-p", "MT01/some_form: missed")]
    assert of(scored([], [("MT02", "error")]), "MT02").examples == [
        ("slug-p", "MT01/some_form: false alarm, error: what was seen")
    ]


def test_a_judgement_may_be_wrong_once_in_twenty_and_no_other_rule_ever() -> None:
    judgement = RuleScore(rule_by_code("PN02"), planted=20, found=19, false_alarms=1)
    assert (judgement.precision, judgement.recall, judgement.passes) == (0.95, 0.95, True)
    assert not RuleScore(rule_by_code("PN02"), planted=20, found=18).passes
    assert not RuleScore(rule_by_code("PN02"), planted=19, found=19, false_alarms=2).passes
    assert not RuleScore(rule_by_code("PN01"), planted=1000, found=999).passes
    assert not RuleScore(rule_by_code("PN01"), planted=999, found=999, false_alarms=1).passes


def test_nothing_planted_is_no_share_at_all() -> None:
    empty = of(scored([], []), "PN01")
    assert (empty.precision, empty.recall, empty.passes) == (None, None, True)


def test_a_rule_that_could_not_finish_fails_the_measurement() -> None:
    broken = UnevaluatedRule(rule="MT01", code="rule_raised", message="MT01 raised KeyError")
    measured = scored([], [], not_evaluated=(broken,))
    assert not measured.passes
    assert measured.as_json()["notEvaluated"] == [{"rule": "MT01", "message": "MT01 raised KeyError", "athletes": 1}]


@pytest.mark.postgres
def test_a_roster_is_measured_in_databases_of_its_own(settings: Settings, embedded_server: EmbeddedServer) -> None:
    told: list[tuple[str, int, int]] = []
    measured = measure(
        settings, embedded_server, size=400, seed=5, progress=lambda what, done, total: told.append((what, done, total))
    )

    wrong = [(score.rule.code, score.examples) for score in measured.scores if not score.passes]
    assert (wrong, measured.not_evaluated, measured.athletes) == ([], {}, 400)
    assert sum(score.planted for score in measured.scores) > 100
    assert told[-1] == ("running the rules", 400, 400)
    assert not _own_databases(embedded_server)


@pytest.mark.postgres
def test_scratch_databases_go_whatever_happens(embedded_server: EmbeddedServer) -> None:
    with embedded_server.superuser() as connection:
        # No process has this number: it is beyond what a system gives out.
        connection.execute("CREATE DATABASE keifu_scratch_4194305_agent")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        _write_as_reader(embedded_server)
    assert "keifu_scratch_4194305_agent" not in _databases(embedded_server)
    assert not _own_databases(embedded_server)


def _write_as_reader(server: EmbeddedServer) -> None:
    with scratch_databases(server) as urls:
        assert len(_own_databases(server)) == 2
        with psycopg.connect(parse_dsn(urls.business_owner).libpq()) as owner:
            owner.execute("CREATE TABLE t (x int)")
        with psycopg.connect(parse_dsn(urls.business).libpq()) as reader:
            reader.execute("SET TRANSACTION READ WRITE")
            reader.execute("SELECT x FROM t")
            reader.execute("INSERT INTO t VALUES (1)")


def _databases(server: EmbeddedServer) -> set[str]:
    with server.superuser() as connection:
        return {row[0] for row in connection.execute("SELECT datname FROM pg_database")}


def _own_databases(server: EmbeddedServer) -> set[str]:
    return {name for name in _databases(server) if name.startswith(f"keifu_scratch_{os.getpid()}_")}


@pytest.mark.parametrize(("passes", "code"), [(True, 0), (False, 1)])
def test_the_exit_code_tells_whether_the_rules_pass(passes: bool, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = scored([("MT01", "error")], [("MT01", "error")] if passes else [])
    monkeypatch.setattr("keifu_quality.accuracy.measure", lambda *_args, **_more: measured)

    as_json = CliRunner().invoke(app, ["accuracy", "--json"])
    as_table = CliRunner().invoke(app, ["accuracy"], env={"COLUMNS": "200"})

    assert (as_json.exit_code, as_table.exit_code) == (code, code)
    document = json.loads(as_json.stdout)
    assert document["passes"] is passes
    (row,) = [rule for rule in document["rules"] if rule["code"] == "MT01"]
    assert (row["planted"], row["found"], row["missed"]) == (1, int(passes), int(not passes))
    assert ("below the bar" in as_table.stdout) is not passes
