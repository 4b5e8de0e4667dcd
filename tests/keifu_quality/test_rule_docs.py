"""The generated documentation of the rules, and what it is read from."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

import pytest

from graphs.contracts import Category, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.registry import all_rules, rule_by_code
from graphs.rules.rule import Evidence, Finding, Rule, RuleContext
from keifu_quality.rule_docs import main, outdated_files, readme_with_rules, rule_document, rule_markdown
from keifu_quality.rule_reflection import EvidenceField, evidence_fields, rule_sections, thresholds_read

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Row(Evidence):
    """A row."""

    day: date | None
    kind: Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class Sample(Evidence):
    """Evidence with rows in it."""

    rows: tuple[Row, ...]
    first_row: Row | None
    severity: Severity
    words: tuple[str, ...]


class Undocumented(Rule):
    """It has a title.

    Detects: something.

    Traps: none.
    """

    code = "PC99"
    name = "undocumented_rule"
    category = Category.PROFILE_COVERAGE
    severities = (Severity.INFO,)
    evidence_type = Sample
    action = None

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """Nothing."""
        yield from ()


def test_the_documents_in_the_tree_are_up_to_date() -> None:
    outdated = [str(path.relative_to(ROOT)) for path in outdated_files(ROOT)]

    assert outdated == [], "run: python -m keifu_quality.rule_docs"


def test_writing_and_checking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- rules:start -->\nstale table\n<!-- rules:end -->\nafter\n", encoding="utf-8")

    assert main(["--check"], tmp_path) == 1
    assert "README.md is out of date" in capsys.readouterr().err
    assert not (tmp_path / "docs").exists()

    assert main([], tmp_path) == 0
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- rules:start -->\n")
    assert text.endswith("<!-- rules:end -->\nafter\n")
    assert "stale table" not in text
    assert main(["--check"], tmp_path) == 0


@pytest.mark.parametrize("readme", ["", "<!-- rules:start -->", "<!-- rules:end -->\n<!-- rules:start -->"])
def test_a_readme_without_markers_is_refused(readme: str) -> None:
    with pytest.raises(ValueError, match="rules:start"):
        readme_with_rules(readme)


def test_a_rule_without_sections_is_named() -> None:
    with pytest.raises(ValueError, match="PC99"):
        rule_sections(Undocumented())


def test_evidence_fields_follow_nested_objects() -> None:
    assert list(evidence_fields(Sample)) == [
        EvidenceField("rows[]", "list of objects"),
        EvidenceField("rows[].day", "date or null"),
        EvidenceField("rows[].kind", "`a` or `b`"),
        EvidenceField("firstRow", "object or null"),
        EvidenceField("firstRow.day", "date or null"),
        EvidenceField("firstRow.kind", "`a` or `b`"),
        EvidenceField("severity", "`info` or `warning` or `error` or `critical`"),
        EvidenceField("words[]", "list of text"),
    ]


def test_thresholds_are_found_through_the_functions_that_a_rule_calls() -> None:
    thresholds = {threshold.path: threshold for threshold in thresholds_read(rule_by_code("PB08"))}

    assert thresholds["personal_best_consistency.rounding_tolerance_millis"].default == "10"
    assert "personal_best_consistency.distance_tolerance" in thresholds
    assert "personal_best_consistency.minimum_age_years" not in thresholds
    assert all(threshold.meaning for threshold in thresholds.values())


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_rule_can_be_told_as_json_and_as_text(rule: Rule) -> None:
    document = json.loads(json.dumps(rule_document(rule)))
    text = rule_markdown(rule)

    assert document["code"] == rule.code
    assert document["evidence"]
    assert document["detects"] in text or document["detects"][1:] in text
    assert all(threshold["meaning"] for threshold in document["thresholds"])
    assert text.startswith(f"### {rule.code} {rule.name}\n")
