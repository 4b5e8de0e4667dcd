"""What the rules have to find on each athlete of a generated roster.

Belongs here: the label of one athlete and its JSON. Stays out: deciding labels, which the planted faults and the
roster do from how they made the rows, never by asking the rules.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Expectation:
    """A rule that must fire, with the severities that are right; more than one only where the rules leave it open."""

    code: str
    severities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """The truth about one athlete.

    `form` names what was planted (`MT01/two_universities_current`), what clean case it is (`clean/twins`), or is
    None for an ordinary clean athlete. `expected` lists every finding of severity warning and above, and those of
    severity info that are the point of the form. `tolerated` holds codes that may fire at severity info besides,
    expected ones too. `undecided` holds codes whose firing the rules leave open, at any severity.
    """

    person_id: str
    slug: str
    form: str | None
    expected: tuple[Expectation, ...]
    tolerated: tuple[str, ...]
    undecided: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The label with camelCase names, as in labels.json."""
        return {
            "personId": self.person_id,
            "slug": self.slug,
            "form": self.form,
            "expected": [{"code": item.code, "severities": list(item.severities)} for item in self.expected],
            "tolerated": list(self.tolerated),
            "undecided": list(self.undecided),
        }
