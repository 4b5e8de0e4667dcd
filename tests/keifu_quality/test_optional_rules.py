"""Rules that need configuration: off by default, on when it is there, from the settings to the stored finding."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphs.contracts import DiagnosisInput, DiagnosisReport
from keifu_quality.app import open_agent, open_business, open_diagnostician
from keifu_quality.health import Check, Grade, examine
from keifu_quality.payload_bests import PayloadUnreadable
from keifu_quality.rule_configuration import RulesFileUnusable
from keifu_quality.settings import Settings
from tests.keifu_quality.db.archive import Archive

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def _athlete(business_owner_url: str) -> Iterator[None]:
    """An athlete whose best is slower than a later result."""
    archive = Archive(business_owner_url)
    archive.person("a", "例見 太郎", slug="reimi-taro")
    archive.personal_best("b", "a", "m5000", "13:54.36", markMillis=834_360)
    archive.race("r", starts_on="2024-11-02", discipline="m5000", leg=None)
    archive.result("s", "a", "r", mark="13:38.67", markMillis=818_670, createdAt="2026-07-02 12:00:00")
    yield
    archive.close()


def diagnose(settings: Settings, **changes: Any) -> DiagnosisReport:
    changed = settings.model_copy(update=changes)
    with (
        open_agent(changed) as agent,
        open_business(changed) as business,
        open_diagnostician(changed, business, agent) as service,
    ):
        return service.diagnose(DiagnosisInput(person_slug="reimi-taro"))


def check_named(name: str) -> Check:
    return next(check for check in examine() if check.name == name)


def codes(report: DiagnosisReport) -> set[str]:
    return {finding.code for finding in report.findings}


def test_a_protected_profile_that_aged_is_found_once_its_slug_is_listed(settings: Settings, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('protected_slugs = ["reimi-taro"]', encoding="utf-8")

    before, after = diagnose(settings), diagnose(settings, rules_file=rules)

    assert codes(after) - codes(before) == {"PC08"}
    assert before.rule_set_version != after.rule_set_version
    assert [f.fingerprint for f in after.findings if f.code != "PC08"] == [f.fingerprint for f in before.findings]


def test_bests_are_compared_with_payloads_once_their_directory_is_named(settings: Settings, tmp_path: Path) -> None:
    entry = {"displayNameJa": "例見　太郎", "pbs": [{"discipline": "m5000", "mark": "13:45.67"}]}
    payload = {"sourceId": "another-source", "entries": [entry]}
    (tmp_path / "reiji-103-leg-1.json").write_text(json.dumps(payload), encoding="utf-8")

    before, after = diagnose(settings), diagnose(settings, payload_directory=tmp_path)

    assert codes(after) - codes(before) == {"PB14"}
    (finding,) = [f for f in after.findings if f.code == "PB14"]
    assert (finding.evidence["payloadMark"], finding.evidence["payloadFile"]) == ("13:45.67", "reiji-103-leg-1.json")


@pytest.fixture
def environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The environment that names the test's databases, to be changed."""
    for name, url in (
        ("TASUKI_KEIFU_BUSINESS_DATABASE_URL", settings.business_database_url),
        ("TASUKI_KEIFU_AGENT_DATABASE_URL", settings.agent_database_url),
    ):
        assert url is not None
        monkeypatch.setenv(name, url.get_secret_value())
    return monkeypatch


def test_the_doctor_says_what_is_configured(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('disabled_rules = ["PC01"]\n[[known_distinct]]\nslugs = ["a", "b"]', encoding="utf-8")
    environment.setenv("KEIFU_RULES_FILE", str(rules))
    environment.setenv("KEIFU_PAYLOAD_DIRECTORY", str(tmp_path))

    told = check_named("rules")

    assert told.grade is Grade.OK
    assert str(rules) in told.message
    assert "59 of 61 rules run" in told.message
    assert "1 groups of known namesakes" in told.message
    assert check_named("import payloads").message.startswith("bests of 0 names")


def test_unusable_configuration_stops_a_diagnosis_and_is_a_line_of_the_doctor(
    settings: Settings, environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing = tmp_path / "none"
    environment.setenv("KEIFU_RULES_FILE", str(missing))

    with pytest.raises(RulesFileUnusable, match="none"):
        diagnose(settings, rules_file=missing)
    with pytest.raises(PayloadUnreadable, match="is no directory"):
        diagnose(settings, payload_directory=missing)
    told = check_named("rules")
    assert (told.grade, str(missing) in told.message) == (Grade.FAILED, True)
