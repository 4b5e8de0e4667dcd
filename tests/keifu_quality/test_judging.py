"""Judgements from the command line to the findings, on real databases."""

import json
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from graphs.contracts import DiagnosisInput, DiagnosisIssue
from keifu_quality.app import diagnostician
from keifu_quality.cli.main import app
from keifu_quality.db.judgements import NothingToWithdraw
from keifu_quality.judging import PairRefused
from keifu_quality.settings import Settings
from tests.keifu_quality.db.archive import Archive

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def _environment(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, url in (
        ("TASUKI_KEIFU_BUSINESS_DATABASE_URL", settings.business_database_url),
        ("TASUKI_KEIFU_AGENT_DATABASE_URL", settings.agent_database_url),
    ):
        assert url is not None
        monkeypatch.setenv(name, url.get_secret_value())


@pytest.fixture
def archive(business_owner_url: str) -> Iterator[Archive]:
    """Two records of one name that nothing decides about, and two that are one person by birth date and school."""
    made = Archive(business_owner_url)
    made.organization("u", "例示大学")
    for slug in ("mihon-taro", "mihon-taro-2"):
        made.person(f"open-{slug}", "見本 太郎", slug=slug)
    for slug in ("reimi-jiro", "reimi-jiro-2"):
        person = made.person(f"same-{slug}", "例見 次郎", slug=slug, birthDate="2004-05-06")
        made.membership(f"m-{slug}", person, "u", startDate="2023-04-01", endDate="2027-03-31")
    yield made
    made.close()


def keifu(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def identity_findings(slug: str) -> dict[str, DiagnosisIssue]:
    """The findings of PN01 to PN03 on an athlete, by code."""
    with diagnostician() as service:
        report = service.diagnose(DiagnosisInput(person_slug=slug))
    return {f.code: f for f in report.findings if f.code in ("PN01", "PN02", "PN03")}


@pytest.mark.parametrize(
    ("one", "other", "before"), [("mihon-taro", "mihon-taro-2", "PN02"), ("reimi-jiro", "reimi-jiro-2", "PN01")]
)
def test_two_that_are_judged_different_are_never_asked_about_again(
    archive: Archive, one: str, other: str, before: str
) -> None:
    assert set(identity_findings(one)) == set(identity_findings(other)) == {before}

    keifu("judge", other, one, "different", "--note", "both ran leg 2", "--by", "keeper")

    for _ in range(2):
        assert set(identity_findings(one)) == set(identity_findings(other)) == {"PN03"}
    keifu("judge", one, other, "--withdraw")
    assert set(identity_findings(one)) == {before}


def test_two_that_are_judged_the_same_wait_for_their_merge(archive: Archive) -> None:
    keifu("judge", "mihon-taro", "mihon-taro-2", "same")
    assert set(identity_findings("mihon-taro")) == {"PN01"}
    archive.execute("DELETE FROM \"Person\" WHERE slug = 'mihon-taro-2'")
    assert identity_findings("mihon-taro") == {}


def test_a_third_record_close_to_two_different_people_is_a_conflict(archive: Archive) -> None:
    keifu("judge", "mihon-taro", "mihon-taro-2", "different")
    archive.person("open-3", "見本　太郎", slug="mihon-taro-3")

    findings = {slug: identity_findings(slug) for slug in ("mihon-taro", "mihon-taro-2", "mihon-taro-3")}

    for found in findings.values():
        assert "PN01" not in found
        assert found["PN02"].evidence["conflictingJudgement"] is True
        assert len(found["PN02"].evidence["judgements"]) == 1
    keifu("judge", "mihon-taro-3", "mihon-taro", "different")
    keifu("judge", "mihon-taro-3", "mihon-taro-2", "different")
    assert all(set(identity_findings(slug)) == {"PN03"} for slug in findings)


def test_the_history_is_printed_as_json_and_for_people(archive: Archive) -> None:
    assert "Nothing was decided" in keifu("judge", "mihon-taro", "mihon-taro-2")
    keifu("judge", "mihon-taro", "mihon-taro-2", "unsure", "--by", "keeper")
    answer = json.loads(keifu("judge", "mihon-taro", "mihon-taro-2", "same", "--note", "[photo]", "--json"))

    assert [(row["verdict"], row["note"]) for row in answer] == [("unsure", None), ("same", "[photo]")]
    assert answer[0]["decidedBy"] == "keeper"
    assert answer[0]["withdrawnAt"] is not None
    assert "[photo]" in keifu("judge", "mihon-taro", "mihon-taro-2")


def test_slugs_that_mean_no_pair_are_refused(archive: Archive) -> None:
    with pytest.raises(PairRefused, match="Nobody has the slug typo"):
        keifu("judge", "mihon-taro", "typo", "same")
    with pytest.raises(PairRefused, match="slugs of two"):
        keifu("judge", "mihon-taro", "mihon-taro", "same")
    with pytest.raises(NothingToWithdraw):
        keifu("judge", "mihon-taro", "mihon-taro-2", "--withdraw")


@pytest.mark.parametrize("extra", [["perhaps"], ["same", "--withdraw"], ["--note", "why"]])
def test_contradicting_arguments_are_usage_errors(extra: list[str]) -> None:
    assert CliRunner().invoke(app, ["judge", "a", "b", *extra]).exit_code == 2
