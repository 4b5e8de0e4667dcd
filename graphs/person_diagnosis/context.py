"""What a compiled diagnosis graph is given at each call: the outside, and what does not change during a run."""

from dataclasses import dataclass, field

from graphs.ports import BusinessReader, Clock, RunJournal
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.rule import RuleContext
from graphs.text.school_year import jst_date


@dataclass(frozen=True, slots=True)
class DiagnosisContext:
    """Dependencies of a run. Never part of the state, so never in a checkpoint."""

    reader: BusinessReader
    journal: RunJournal
    clock: Clock
    configuration: RuleConfiguration = field(default_factory=RuleConfiguration)

    def rule_context(self) -> RuleContext:
        """The rules' view of now: the instant in UTC and today's date in Japan."""
        now = self.clock.now()
        return RuleContext(today=jst_date(now), now=now, configuration=self.configuration)
