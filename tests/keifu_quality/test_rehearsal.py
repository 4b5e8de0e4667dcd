"""Rehearsals: what counts as a change, the file of findings, and the whole on a real database."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphs.contracts import DiagnosisInput
from keifu_quality.app import diagnostician, rehearser
from keifu_quality.cli.main import app
from keifu_quality.db.latest_results import StoredResult
from keifu_quality.rehearsal import Rehearsal, RuleChanges, compare_findings
from keifu_quality.rehearsal_baseline import FORMAT, BaselineUnusable, open_baseline
from keifu_quality.rehearsal_findings import AthleteFindings, FindingMark, stored_findings
from keifu_quality.sample.demo import DEMO_FAULTY_SLUG
from keifu_quality.settings import Settings
from tests.sample_fixtures import SAMPLE_SIZE

HEAD: dict[str, object] = {"format": FORMAT, "ruleSetVersion": "v1"}


def findings(*marks: tuple[str, str, str, str], blind: tuple[str, ...] = ()) -> AthleteFindings:
    """Findings given as fingerprint, code, severity and evidence hash."""
    return AthleteFindings({m[0]: FindingMark(*m[1:], detail="words") for m in marks}, frozenset(blind))


def compared(before: AthleteFindings, now: AthleteFindings, *, examples: int = 3) -> Rehearsal:
    outcome = Rehearsal("v2")
    compare_findings("slug", before, now, outcome, examples)
    return outcome


def test_a_finding_is_new_gone_changed_or_the_same() -> None:
    before = findings(
        ("a", "MT01", "error", "h1"),
        ("b", "MT01", "error", "h1"),
        ("c", "MT01", "error", "h1"),
        ("d", "MT01", "error", "h1"),
    )
    now = findings(
        ("a", "MT01", "error", "h1"),
        ("b", "MT01", "warning", "h1"),
        ("c", "MT01", "error", "h2"),
        ("e", "MT02", "error", "h1"),
    )

    rules = compared(before, now).rules

    assert rules["MT01"] == RuleChanges(
        before=4,
        now=3,
        gone=1,
        changed=2,
        examples={
            "changed": [("slug", "error → warning: words"), ("slug", "error, other evidence: words")],
            "gone": [("slug", "error: words")],
        },
    )
    assert rules["MT02"] == RuleChanges(now=1, new=1, examples={"new": [("slug", "error: words")]})


@pytest.mark.parametrize("side", ["before", "now"])
def test_a_rule_that_could_not_finish_is_neither_new_nor_gone(side: str) -> None:
    one, none = findings(("a", "MT01", "error", "h")), findings(blind=("MT01",))
    outcome = compared(none, one) if side == "before" else compared(one, none)

    assert (outcome.rules["MT01"].new, outcome.rules["MT01"].gone) == (0, 0)
    assert outcome.not_evaluated == {"MT01": 1}


def test_examples_are_few_and_counts_are_whole() -> None:
    now = findings(*((str(number), "MT01", "error", "h") for number in range(9)))
    changes = compared(findings(), now, examples=2).rules["MT01"]
    assert (changes.new, len(changes.examples["new"])) == (9, 2)


def test_a_family_whose_tool_failed_leaves_all_its_rules_unknown() -> None:
    families = [{"notEvaluated": [{"rule": "check_relation_cache_tool", "code": "x", "message": "y"}]}]
    stored = StoredResult("p", (), families, "v1", "r1")
    assert stored_findings(stored).blind == {"RC01", "RC02", "RC03", "RC04", "RC05"}


def write(path: Path, *lines: dict[str, object] | str) -> Path:
    path.write_text(
        "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), encoding="utf-8"
    )
    return path


def line(slug: str, fingerprint: str = "f") -> dict[str, object]:
    return {"slug": slug, "fingerprint": fingerprint, "code": "MT01", "severity": "error", "evidenceHash": "h"}


def test_a_file_is_read_along_with_the_roster(tmp_path: Path) -> None:
    unknown = {"slug": "c", "code": "MT02", "notEvaluated": True}
    path = write(tmp_path / "f", HEAD, line("a"), line("b", "f1"), line("b", "f2"), unknown, line("d"), line("e"))

    with open_baseline(path) as baseline:
        first = baseline.findings_of([("1", "b"), ("2", "bb")])
        second = baseline.findings_of([("3", "c"), ("4", "d")])

    assert {slug: set(found.marks) for slug, found in first.items()} == {"b": {"f1", "f2"}, "bb": set()}
    assert second["c"].blind == {"MT02"}
    assert set(second["d"].marks) == {"f"}
    assert (baseline.versions, baseline.gone) == ({"v1": 4}, 2)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((), "no file of findings"),
        (('{"format": "other"}',), "no file of findings"),
        ((HEAD, "{broken"), "line 2: this is no finding"),
        ((HEAD, line("a"), {"slug": "b", "code": "MT01"}), "line 3: this is no finding"),
        ((HEAD, "[1]"), "line 2: this is no finding"),
        ((HEAD, line("b"), line("a")), "a comes after b"),
    ],
)
def test_a_file_that_is_not_one_says_where(
    tmp_path: Path, lines: tuple[dict[str, object] | str, ...], said: str
) -> None:
    path = write(tmp_path / "f", *lines)

    def read() -> None:
        with open_baseline(path) as baseline:
            baseline.findings_of([("1", "z")])

    with pytest.raises(BaselineUnusable, match=said):
        read()


def keifu(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["rehearse", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.postgres
def test_a_changed_threshold_shows_against_a_saved_file(
    sample_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, rules = tmp_path / "before.jsonl", tmp_path / "rules.toml"
    assert f"{SAMPLE_SIZE} athletes" in keifu("--save", str(path))
    first = path.read_bytes()
    keifu("--save", str(path))
    assert path.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == ["before.jsonl"]
    same = json.loads(keifu("--baseline", str(path), "--json"))
    assert same["compared"] == SAMPLE_SIZE
    assert {(rule["new"], rule["gone"], rule["changed"]) for rule in same["rules"]} == {(0, 0, 0)}

    rules.write_text('disabled_rules = ["PC01"]\n[profile_coverage]\nheight_cm = [100, 120]', encoding="utf-8")
    monkeypatch.setenv("KEIFU_RULES_FILE", str(rules))
    changed = json.loads(keifu("--baseline", str(path), "--json"))

    by_code = {rule["code"]: rule for rule in changed["rules"]}
    assert (by_code["PC01"]["now"], by_code["PC01"]["gone"]) == (0, by_code["PC01"]["before"])
    assert by_code["PC06"]["new"] > 0
    assert by_code["PC06"]["examples"]["new"][0]["what"].startswith("warning: ")
    assert changed["previousVersions"] != {changed["ruleSetVersion"]: SAMPLE_SIZE}
    table = keifu("--baseline", str(path))
    assert re.search(r"PC01 gone \S+: info", table)


@pytest.mark.postgres
def test_stored_diagnoses_are_what_it_compares_with_unless_told_otherwise(sample_settings: Settings) -> None:
    assert "Nothing to compare with" in keifu()
    with diagnostician() as service:
        report = service.diagnose(DiagnosisInput(person_slug=DEMO_FAULTY_SLUG))

    outcome = json.loads(keifu("--json"))

    assert (outcome["athletes"], outcome["compared"]) == (SAMPLE_SIZE, 1)
    assert outcome["previousVersions"] == {report.rule_set_version: 1}
    assert sum(rule["before"] for rule in outcome["rules"]) == len(report.findings) > 0
    assert all(rule["new"] == rule["gone"] == rule["changed"] == 0 for rule in outcome["rules"])


@pytest.mark.postgres
def test_an_interrupted_rehearsal_keeps_the_earlier_file(
    sample_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "before.jsonl", HEAD)

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with rehearser() as service, pytest.raises(KeyboardInterrupt):
        service.run(save=path, progress=stop)

    assert json.loads(path.read_text(encoding="utf-8")) == HEAD
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.postgres
def test_a_place_that_cannot_be_written_is_said_before_any_work(sample_settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(BaselineUnusable, match="cannot be written"):
        keifu("--save", str(tmp_path / "missing" / "before.jsonl"))
