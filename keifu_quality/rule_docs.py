"""The documentation of the rules, written from the rules: docs/rules.md, the table in README.md, rules.toml.

Belongs here: layout. What a rule says of itself is read by `keifu_quality.rule_reflection`.

    python -m keifu_quality.rule_docs           # write all three
    python -m keifu_quality.rule_docs --check   # exit 1 and name the files that are out of date
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphs.contracts import Category
from graphs.rules.registry import FAMILIES, all_rules
from graphs.rules.rule import ActionTemplate, Rule
from keifu_quality.rule_reflection import evidence_fields, rule_sections, thresholds_read
from keifu_quality.rules_file_example import rules_file_example

README_START = "<!-- rules:start -->"
README_END = "<!-- rules:end -->"

_FAMILY_TITLES: Mapping[Category, str] = {
    Category.PROFILE_COVERAGE: "Profile coverage",
    Category.MEMBERSHIP_TIMELINE: "Membership timeline",
    Category.PERSON_NORMALIZATION: "Person normalization",
    Category.PERSONAL_BEST_CONSISTENCY: "Personal best consistency",
    Category.RELATION_CACHE: "Relation cache",
}

_INTRODUCTION = """# Rules

This page is generated from the rules: edit their docstrings, then run `python -m keifu_quality.rule_docs`.

A rule is a named check with a stable code. It yields findings with a severity, a sentence of detail and evidence, and
it may suggest an action, which nobody but a person ever carries out. *info* is an observation, *warning* a probable
defect, *error* a contradiction, *critical* a record whose identity is compromised. Risks: *low* reads, runs dry or
touches derived data only; *medium* changes facts in a way that is audited or can be undone; *high* merges, splits or
deletes.

Evidence is JSON. A path such as `rows[].mark` is the field `mark` of every entry of the list `rows`; lists hold 20
entries at most, with the full count beside them. Marks are milliseconds, dates are calendar dates, times are UTC.
Thresholds are settings of the rule configuration, by path.
"""


def rule_document(rule: Rule) -> dict[str, Any]:
    """Everything that a rule says of itself, as a JSON object."""
    sections = rule_sections(rule)
    return {
        "code": rule.code,
        "name": rule.name,
        "category": rule.category.value,
        "title": rule.title(),
        "severities": [severity.value for severity in rule.severities],
        "enabledByDefault": rule.enabled_by_default,
        "judgement": rule.judgement,
        "version": rule.version,
        "detects": sections["Detects"],
        "whyItMatters": sections["Why it matters"],
        "example": sections["Example"],
        "traps": sections["Traps"],
        "whatToDo": sections["What to do"],
        "action": None if rule.action is None else _action_document(rule.action),
        "evidence": [{"field": field.path, "type": field.type} for field in evidence_fields(rule.evidence_type)],
        "thresholds": [
            {"setting": threshold.path, "default": threshold.default, "meaning": threshold.meaning}
            for threshold in thresholds_read(rule)
        ],
    }


def rule_markdown(rule: Rule) -> str:
    """The documentation of one rule."""
    notes = [
        f"severity: {', '.join(severity.value for severity in rule.severities)}",
        *(["off by default"] if not rule.enabled_by_default else []),
        *(["a judgement: the data alone cannot decide"] if rule.judgement else []),
    ]
    parts = [f"### {rule.code} {rule.name}", f"{rule.title()}. ({'; '.join(notes)})"]
    parts += [f"**{heading}.** {_sentence(text)}" for heading, text in rule_sections(rule).items()]
    if rule.action is not None:
        parts.append(_action_markdown(rule.action))
    parts.append(f"**Evidence.** {' '.join((rule.evidence_type.__doc__ or '').split())}")
    parts.append(_table(("field", "type"), _evidence_rows(rule)))
    thresholds = thresholds_read(rule)
    if thresholds:
        parts.append("**Thresholds.**")
        parts.append(
            _table(("setting", "default", "meaning"), [(f"`{t.path}`", t.default, t.meaning) for t in thresholds])
        )
    return "\n\n".join(parts) + "\n"


def rules_markdown() -> str:
    """The whole of docs/rules.md."""
    parts = [_INTRODUCTION]
    for category, rules in FAMILIES.items():
        parts.append(f"## {_FAMILY_TITLES[category]}\n")
        parts.append(_overview(rules, "") + "\n")
        parts.extend(rule_markdown(rule) for rule in rules)
    return "\n".join(parts)


def readme_with_rules(readme: str) -> str:
    """README.md with the table of rules between its markers.

    Raises ValueError when the markers are missing or in the wrong order.
    """
    before, start, rest = readme.partition(README_START)
    _, end, after = rest.partition(README_END)
    if not start or not end:
        raise ValueError(f"README.md needs a line {README_START} and below it a line {README_END}")
    return f"{before}{README_START}\n\n{_overview(all_rules(), 'docs/rules.md')}\n\n{README_END}{after}"


def outdated_files(root: Path) -> Mapping[Path, str]:
    """The generated files under a checkout whose content is not what the rules say, with the content due."""
    readme = root / "README.md"
    due = {
        root / "docs" / "rules.md": rules_markdown(),
        root / "rules.toml": rules_file_example(),
        readme: readme_with_rules(readme.read_text(encoding="utf-8")),
    }
    return {path: text for path, text in due.items() if not path.exists() or path.read_text(encoding="utf-8") != text}


def main(arguments: Sequence[str] | None = None, root: Path = Path(__file__).parents[1]) -> int:
    """Write or check the generated documentation of a checkout; the exit code is 0, or 1 when a check failed."""
    parser = argparse.ArgumentParser(description="Write docs/rules.md, rules.toml and the table of rules in README.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is out of date")
    options = parser.parse_args(arguments)
    outdated = outdated_files(root)
    for path, text in outdated.items():
        name = path.relative_to(root)
        if options.check:
            sys.stderr.write(f"{name} is out of date; run: python -m keifu_quality.rule_docs\n")
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {name}\n")
    return 1 if options.check and outdated else 0


def _overview(rules: Sequence[Rule], page: str) -> str:
    rows = [
        (
            f"[{rule.code}]({page}#{_anchor(rule)})",
            f"`{rule.name}`",
            ", ".join(severity.value for severity in rule.severities),
            rule.title() + ("" if rule.enabled_by_default else " (off by default)"),
        )
        for rule in rules
    ]
    return _table(("code", "name", "severity", "what it finds"), rows)


def _evidence_rows(rule: Rule) -> Sequence[tuple[str, str]]:
    """One row a field of the evidence itself; the fields of nested objects are told in its cell."""
    rows: list[tuple[str, str]] = []
    for field in evidence_fields(rule.evidence_type):
        top, _, inner = field.path.partition(".")
        if not inner:
            rows.append((f"`{top}`", field.type))
        else:
            name, kind = rows[-1]
            rows[-1] = (name, f"{kind}{', ' if ':' in kind else ': '}`{inner}` {field.type}")
    return rows


def _anchor(rule: Rule) -> str:
    return f"{rule.code}-{rule.name}".lower()


def _action_document(action: ActionTemplate) -> dict[str, str | None]:
    return {
        "type": action.type.value,
        "name": action.name,
        "risk": action.risk.value,
        "reason": action.reason,
        "command": action.command,
    }


def _action_markdown(action: ActionTemplate) -> str:
    text = f"**Suggested action.** {action.type.value} `{action.name}`, risk {action.risk.value}: {action.reason}"
    return text if action.command is None else f"{text}\n\n```console\n$ {action.command}\n```"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in row)} |" for row in cells)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
