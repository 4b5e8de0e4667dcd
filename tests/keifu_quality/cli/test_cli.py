"""The command line as scripts see it: exit codes, JSON, messages; in processes of its own."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from keifu_quality.dsn import parse_dsn
from keifu_quality.sample.demo import DEMO_AMBIGUOUS_NAME, DEMO_AMBIGUOUS_SLUG, DEMO_CLEAN_SLUG, DEMO_FAULTY_SLUG
from keifu_quality.sample.load import load_roster
from keifu_quality.settings import Settings
from tests.sample_fixtures import SampleRoster

pytestmark = pytest.mark.postgres


def keifu(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "keifu_quality.cli.main", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_diagnosis_as_json_has_the_published_names(sample_settings: Settings) -> None:
    done = keifu("diagnose", "--person-slug", DEMO_FAULTY_SLUG, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["outcome"] == "completed"
    assert report["target"]["personSlug"] == DEMO_FAULTY_SLUG
    finding = report["findings"][0]
    assert {"category", "severity", "title", "detail", "evidence", "sourceTool", "code", "fingerprint"} <= set(finding)
    action = report["actions"][0]
    assert {"type", "name", "reason", "riskLevel", "relatedIssueCategories", "key"} <= set(action)


def test_a_diagnosis_for_people_names_findings_and_actions(sample_settings: Settings) -> None:
    done = keifu("diagnose", "--person-slug", DEMO_FAULTY_SLUG, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "Findings" in done.stdout
    assert "Suggested actions" in done.stdout


def test_nobody_is_exit_code_3(sample_settings: Settings) -> None:
    done = keifu("diagnose", "--person-slug", "nobody-of-this-name")
    assert done.returncode == 3
    assert "nobody-of-this-name" in done.stdout


def test_two_athletes_at_once_are_a_usage_error(sample_settings: Settings) -> None:
    done = keifu("diagnose", "--person-slug", DEMO_FAULTY_SLUG, "--person-name", DEMO_AMBIGUOUS_NAME)
    assert done.returncode == 2
    assert DEMO_FAULTY_SLUG in done.stderr
    assert DEMO_AMBIGUOUS_SLUG in done.stderr


def test_no_athlete_is_a_usage_error(sample_settings: Settings) -> None:
    done = keifu("diagnose")
    assert done.returncode == 2
    assert "--person-slug" in done.stderr


def test_an_ambiguous_name_is_answered_from_another_process_after_a_kill(sample_settings: Settings) -> None:
    """The asking process is killed without a chance to say goodbye; what it had done is not done again."""
    script = textwrap.dedent(
        f"""
        import os, signal
        from graphs.contracts import DiagnosisInput
        from keifu_quality.app import diagnostician
        from keifu_quality.logs import configure_logs
        from keifu_quality.settings import load_settings
        configure_logs(load_settings())
        with diagnostician() as service:
            report = service.diagnose(DiagnosisInput(person_name={DEMO_AMBIGUOUS_NAME!r}))
            print(report.run_id, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    killed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    run_id = killed.stdout.strip()

    waiting = keifu("show", run_id, "--json")
    assert json.loads(waiting.stdout)["status"] == "need_clarification"
    done = keifu("resume", run_id, "--person-slug", DEMO_AMBIGUOUS_SLUG, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["runId"], report["target"]["personSlug"]) == (run_id, DEMO_AMBIGUOUS_SLUG)


def test_a_run_killed_between_two_checks_goes_on_where_it_was(sample_settings: Settings) -> None:
    script = textwrap.dedent(
        f"""
        import os, signal
        from graphs.contracts import DiagnosisInput
        from keifu_quality import diagnosis
        from keifu_quality.app import diagnostician
        from keifu_quality.logs import configure_logs
        from keifu_quality.settings import load_settings
        configure_logs(load_settings())
        enter = diagnosis.DatabaseJournal.enter_node
        def dying(self, run_id, node):
            enter(self, run_id, node)
            if node == "check_person_normalization_risk":
                print(run_id, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
        diagnosis.DatabaseJournal.enter_node = dying
        with diagnostician() as service:
            service.diagnose(DiagnosisInput(person_slug={DEMO_FAULTY_SLUG!r}))
        """
    )
    killed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    run_id = killed.stdout.strip()
    done = keifu("resume", run_id, "--json")
    assert done.returncode == 0, done.stderr
    fresh = json.loads(keifu("diagnose", "--person-slug", DEMO_FAULTY_SLUG, "--json").stdout)
    resumed = json.loads(done.stdout)
    assert resumed["findings"] == fresh["findings"]
    events = json.loads(keifu("inspect", run_id, "--json").stdout)["events"]
    nodes = [event["node"] for event in events if event["kind"] == "node_finished"]
    assert len(nodes) == len(set(nodes)) == 9


def test_a_second_answer_is_refused_with_what_to_do(sample_settings: Settings) -> None:
    asked = keifu("diagnose", "--person-name", DEMO_AMBIGUOUS_NAME, "--json")
    assert asked.returncode == 4
    run_id = json.loads(asked.stdout)["runId"]
    assert keifu("resume", run_id, "--person-slug", DEMO_AMBIGUOUS_SLUG).returncode == 0
    again = keifu("resume", run_id, "--person-slug", DEMO_AMBIGUOUS_SLUG)
    assert again.returncode == 1
    assert "keifu show" in again.stderr


def test_a_malformed_url_is_named_without_its_password(sample_settings: Settings) -> None:
    done = keifu(
        "diagnose", "--person-slug", "x", TASUKI_KEIFU_BUSINESS_DATABASE_URL="mysql://user:very-secret@host/db"
    )
    assert done.returncode == 1
    assert "TASUKI_KEIFU_BUSINESS_DATABASE_URL" in done.stderr
    assert "very-secret" not in done.stderr + done.stdout


def altered(sample: SampleRoster, new_databases: Any, statement: str) -> str:
    """The URL of a copy of the sample's business database after a statement of its owner's."""
    databases = new_databases()
    load_roster(sample.roster, databases.business_owner)
    with psycopg.connect(parse_dsn(databases.business_owner).libpq()) as owner:
        owner.execute(statement)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return databases.business


def test_a_role_that_can_write_is_refused_with_the_privilege(
    sample_settings: Settings, sample: SampleRoster, new_databases: Any
) -> None:
    url = altered(sample, new_databases, 'GRANT INSERT ON "Person" TO keifu_reader')
    arguments = ("diagnose", "--person-slug", DEMO_CLEAN_SLUG)
    refused = keifu(*arguments, TASUKI_KEIFU_BUSINESS_DATABASE_URL=url)
    assert refused.returncode == 1
    assert "INSERT" in refused.stderr
    assert "Person" in refused.stderr
    assert "REVOKE" in refused.stderr
    allowed = keifu(*arguments, TASUKI_KEIFU_BUSINESS_DATABASE_URL=url, KEIFU_ALLOW_WRITABLE_BUSINESS_ROLE="1")
    assert allowed.returncode == 0, allowed.stderr
    assert "INSERT" in allowed.stderr


def test_a_denied_table_is_said_and_exits_1(
    sample_settings: Settings, sample: SampleRoster, new_databases: Any
) -> None:
    url = altered(sample, new_databases, 'REVOKE SELECT ON "PersonalBest" FROM keifu_reader')
    done = keifu("diagnose", "--person-slug", DEMO_CLEAN_SLUG, TASUKI_KEIFU_BUSINESS_DATABASE_URL=url, COLUMNS="300")
    assert done.returncode == 1
    assert "not evaluated: personal_best_consistency" in done.stdout
    assert "PersonalBest" in done.stdout


def test_doctor_names_a_missing_column(sample_settings: Settings, sample: SampleRoster, new_databases: Any) -> None:
    healthy = keifu("doctor", "--json")
    assert healthy.returncode == 0, healthy.stdout
    assert json.loads(healthy.stdout)["healthy"] is True
    url = altered(sample, new_databases, 'ALTER TABLE "PersonalBest" DROP COLUMN "markMillis"')
    done = keifu("doctor", TASUKI_KEIFU_BUSINESS_DATABASE_URL=url)
    assert done.returncode == 1
    assert "markMillis" in done.stdout
    assert "PersonalBest" in done.stdout


def test_doctor_names_a_database_that_is_not_there(sample_settings: Settings) -> None:
    done = keifu("doctor", TASUKI_KEIFU_AGENT_DATABASE_URL="postgresql://nobody:secret@127.0.0.1:1/none")
    assert done.returncode == 1
    assert "agent database" in done.stdout
    assert "secret" not in done.stdout + done.stderr


def test_doctor_reports_a_malformed_url_as_json(sample_settings: Settings) -> None:
    done = keifu("doctor", "--json", TASUKI_KEIFU_AGENT_DATABASE_URL="mysql://user:very-secret@host/db")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["healthy"] is False
    assert "TASUKI_KEIFU_AGENT_DATABASE_URL" in report["checks"][0]["message"]
    assert "very-secret" not in done.stdout


def test_run_ids_can_be_copied_from_a_narrow_terminal(sample_settings: Settings) -> None:
    run_id = json.loads(keifu("diagnose", "--person-slug", DEMO_CLEAN_SLUG, "--json").stdout)["runId"]
    assert run_id in keifu("inspect", COLUMNS="80").stdout


def test_a_name_that_is_no_text_is_a_usage_error_and_no_run(sample_settings: Settings) -> None:
    done = keifu("diagnose", "--person-name", "\udcff")
    assert done.returncode == 2
    assert "UTF-8" in done.stderr
    assert json.loads(keifu("inspect", "--json").stdout) == []


def test_a_sample_is_never_loaded_into_a_named_database(sample_settings: Settings) -> None:
    done = keifu("sample", "load")
    assert done.returncode == 1
    assert "TASUKI_KEIFU_BUSINESS_DATABASE_URL" in done.stderr


@pytest.mark.parametrize("command", ["diagnose", "resume", "show", "inspect", "rules", "doctor", "demo", "ui"])
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    done = keifu(command, "--help", COLUMNS="120")
    assert done.returncode == 0
    assert "Example" in done.stdout
    assert f"keifu {command}" in done.stdout


def test_the_process_time_zone_changes_nothing(sample_settings: Settings) -> None:
    """Findings hold every date and school year that the rules saw; times of the run are UTC whatever the zone."""
    reports = []
    for zone in ("UTC", "Asia/Tokyo", "America/Los_Angeles"):
        done = keifu("diagnose", "--person-slug", DEMO_FAULTY_SLUG, "--json", TZ=zone)
        assert done.returncode == 0, done.stderr
        reports.append(json.loads(done.stdout))
    first, *others = reports
    for other in others:
        for part in ("findings", "actions", "summary", "person", "target"):
            assert other[part] == first[part]
    for report in reports:
        started = datetime.fromisoformat(report["startedAt"])
        assert started.utcoffset() == timedelta(0)
        assert abs(datetime.now(UTC) - started) < timedelta(hours=1)


@pytest.mark.parametrize(
    "command", [("db", "start"), ("db", "migrate"), ("db", "url"), ("db", "roles"), ("sample", "load")]
)
def test_every_subcommand_explains_itself_with_an_example(command: tuple[str, str]) -> None:
    done = keifu(*command, "--help", COLUMNS="120")
    assert done.returncode == 0
    assert "Example" in done.stdout


def test_help_starts_without_dagster_or_langgraph() -> None:
    code = (
        "import sys; import keifu_quality.cli.main;"
        "print([m for m in ('dagster', 'langgraph', 'langsmith', 'sqlalchemy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_rules_lists_and_explains() -> None:
    listed = keifu("rules", COLUMNS="200")
    assert "MT01" in listed.stdout
    explained = keifu("rules", "mt01")
    assert explained.returncode == 0
    assert "Traps" in explained.stdout
    unknown = keifu("rules", "XX99")
    assert unknown.returncode == 2
    assert "MT01" in unknown.stderr


def test_an_unreachable_trace_endpoint_neither_fails_nor_holds_the_process(sample_settings: Settings) -> None:
    traced = {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_API_KEY": "invented-key",
        "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
    }
    plain_start = time.monotonic()
    assert keifu("diagnose", "--person-slug", DEMO_CLEAN_SLUG, "--json").returncode == 0
    plain = time.monotonic() - plain_start
    start = time.monotonic()
    done = keifu("diagnose", "--person-slug", DEMO_CLEAN_SLUG, "--json", **traced)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["traceId"] == json.loads(done.stdout)["runId"]
    # The promise is five seconds to the end of the process; a wide margin keeps a busy machine from failing it.
    assert time.monotonic() - start < plain * 3 + 10
    assert "invented-key" not in done.stdout + done.stderr
