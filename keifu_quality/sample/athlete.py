"""One athlete while the roster is being made.

Belongs here: the rows of an athlete together, with what must be found on it. Stays out: making rows.
"""

from dataclasses import dataclass, field

from keifu_quality.sample.calendar import Event
from keifu_quality.sample.labels import Expectation
from keifu_quality.sample.names import Name
from keifu_quality.sample.rows import Membership, NameVariant, Person, PersonalBest, RaceResult, SourceReference


@dataclass(slots=True, eq=False)
class Athlete:
    """The rows of one athlete and its label; `five_thousand` is the ability as a 5000 m mark in milliseconds."""

    person: Person
    name: Name
    five_thousand: float
    memberships: list[Membership] = field(default_factory=list[Membership])
    results: list[RaceResult] = field(default_factory=list[RaceResult])
    events: list[Event] = field(default_factory=list[Event])
    """The events of `results`, in the same order."""
    bests: list[PersonalBest] = field(default_factory=list[PersonalBest])
    variants: list[NameVariant] = field(default_factory=list[NameVariant])
    references: list[SourceReference] = field(default_factory=list[SourceReference])
    form: str | None = None
    expected: list[Expectation] = field(default_factory=list[Expectation])
    tolerated: set[str] = field(default_factory=set[str])
    undecided: set[str] = field(default_factory=set[str])
    wants_cache: bool | None = None
    """Whether a relation cache is made for sure (True), for sure not (False), or by chance (None)."""

    def expect(self, code: str, *severities: str) -> None:
        """Adds a finding that must be made, with its right severities."""
        self.expected.append(Expectation(code, severities))
