"""Reads the YAML case files of rules.

Belongs here: where the files lie and how they are read. Only `true` and `false` are booleans there: YAML 1.1 would
also take the key `on` of a race for one.
"""

import re
from pathlib import Path
from typing import Any

import yaml

CASES = Path(__file__).parents[2] / "cases"


class CaseLoader(yaml.SafeLoader):
    """The safe loader without yes, no, on and off."""


CaseLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
CaseLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])


def read_case_file(path: Path) -> dict[str, Any]:
    """The case file as a mapping with the keys rule, fires and silent."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=CaseLoader)  # noqa: S506 it is a safe loader
