"""What a planted form is.

Belongs here: the name of a form and how it is planted. Stays out: any particular form.
"""

from collections.abc import Callable
from dataclasses import dataclass

from keifu_quality.sample.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Form:
    """One way in which a rule's fault shows itself, planted on `people` athletes of its own.

    `code` is the rule that the form is about, or `clean` for a case on which every rule keeps silent at severity
    warning and above.
    """

    code: str
    name: str
    people: int
    build: Callable[[Workshop], None]

    def plant(self, workshop: Workshop) -> None:
        """Makes the athletes of the form. Raises ValueError when it makes another number than it says."""
        before = len(workshop.athletes)
        self.build(workshop)
        made = workshop.athletes[before:]
        if len(made) != self.people:
            raise ValueError(f"{self.code}/{self.name} made {len(made)} athletes where it says {self.people}")
        for athlete in made:
            athlete.form = athlete.form or f"{self.code}/{self.name}"


def form(code: str, people: int = 1) -> Callable[[Callable[[Workshop], None]], Form]:
    """Makes a `Form` of a function, named as the function is."""

    def wrap(build: Callable[[Workshop], None]) -> Form:
        return Form(code, build.__name__, people, build)

    return wrap
