"""The closed list of evidence fields: every JSON name that any rule's evidence uses.

Programs read these names, so a new one is a decision and a renamed one a break. After a decision, write the list anew:

    python -m tests.graphs.rules.evidence_field_list
"""

from dataclasses import fields
from pathlib import Path

from pydantic.alias_generators import to_camel

from graphs.rules.registry import all_rules
from keifu_quality.rule_reflection import evidence_types

PATH = Path(__file__).parent / "data" / "evidence_fields.txt"


def current_fields() -> list[str]:
    """The names in use, sorted."""
    return sorted(
        {
            to_camel(field.name)
            for rule in all_rules()
            for kind in evidence_types(rule.evidence_type)
            for field in fields(kind)
        }
    )


def recorded_fields() -> list[str]:
    """The names on the list, in its order."""
    return PATH.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text("\n".join(current_fields()) + "\n", encoding="utf-8")
