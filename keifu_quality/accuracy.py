"""How right the rules are, measured on an invented roster whose faults are known.

Belongs here: the run over a labelled roster and the count by rule. Stays out: the roster and its labels
(`keifu_quality.sample`), and how the count is printed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from typing import Any

from graphs.contracts import Category, DiagnosisIssue, Severity
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.registry import enabled_rules
from graphs.rules.rule import Rule, RuleContext
from keifu_quality.app import open_agent, open_business, open_index, open_reader
from keifu_quality.db import migrate
from keifu_quality.db.embedded import DatabaseUrls, EmbeddedServer
from keifu_quality.db.scratch import scratch_databases
from keifu_quality.evaluation import Evaluated, evaluate_roster
from keifu_quality.sample.labels import Label
from keifu_quality.sample.load import load_roster
from keifu_quality.sample.roster import Roster, generate
from keifu_quality.settings import Settings

JUDGEMENT_BAR = 0.95
"""Least precision and recall of a rule that the data alone cannot decide; all others have to be right throughout."""
EXAMPLES = 5

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done and how much there is."""


@dataclass(slots=True)
class RuleScore:
    """The count of one rule, in athletes.

    `planted`: the rule had to fire. `found`: it did, at a right severity. `false_alarms`: it fired where it must not,
    or at a wrong severity; `examples` tells some of what is wrong, as slug and words.
    """

    rule: Rule
    planted: int = 0
    found: int = 0
    false_alarms: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @property
    def missed(self) -> int:
        """Athletes on whom the rule had to fire and did not."""
        return self.planted - self.found

    @property
    def precision(self) -> float | None:
        """Share of what was reported that is right; None when nothing was."""
        reported = self.found + self.false_alarms
        return self.found / reported if reported else None

    @property
    def recall(self) -> float | None:
        """Share of what was planted that was found; None when nothing was planted."""
        return self.found / self.planted if self.planted else None

    @property
    def passes(self) -> bool:
        """Whether the rule is as right as it has to be."""
        bar = JUDGEMENT_BAR if self.rule.judgement else 1.0
        return all(share is None or share >= bar for share in (self.precision, self.recall))

    def as_json(self) -> dict[str, Any]:
        """The count with camelCase names."""
        return {
            "code": self.rule.code,
            "judgement": self.rule.judgement,
            "planted": self.planted,
            "found": self.found,
            "missed": self.missed,
            "falseAlarms": self.false_alarms,
            "precision": self.precision,
            "recall": self.recall,
            "passes": self.passes,
            "examples": [{"slug": slug, "what": what} for slug, what in self.examples],
        }


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The count of every rule that runs, and the rules that could not finish on somebody, by code and cause."""

    athletes: int
    seed: int
    scores: tuple[RuleScore, ...]
    not_evaluated: Mapping[tuple[str, str], int]

    @property
    def passes(self) -> bool:
        """Whether every rule does, and all could finish."""
        return not self.not_evaluated and all(score.passes for score in self.scores)

    def as_json(self) -> dict[str, Any]:
        """The measurement with camelCase names."""
        return {
            "athletes": self.athletes,
            "seed": self.seed,
            "passes": self.passes,
            "rules": [score.as_json() for score in self.scores],
            "notEvaluated": [
                {"rule": rule, "message": message, "athletes": count}
                for (rule, message), count in sorted(self.not_evaluated.items())
            ],
        }


def measure(
    settings: Settings, server: EmbeddedServer, *, size: int, seed: int, progress: Progress | None = None
) -> Accuracy:
    """Invents a roster, loads it into databases of its own, runs the rules at their defaults, and counts.

    Nothing else on the server is read or changed, and nothing stays.
    """
    tell = progress or (lambda _what, _done, _total: None)
    tell("inventing athletes", 0, size)
    roster = generate(size, seed=seed)
    with scratch_databases(server) as urls:
        load_roster(
            roster, urls.business_owner, progress=lambda table, done, total: tell(f"loading {table}", done, total)
        )
        scratch = _scratch_settings(settings, urls)
        migrate.upgrade(scratch)
        with open_agent(scratch) as agent, open_business(scratch) as business:
            index = open_index(business, agent)
            index.refresh(progress=lambda done, total: tell("indexing names", done, total))
            reader = open_reader(scratch, business, agent, index)
            ids = [label.person_id for label in roster.labels]
            evaluated = evaluate_roster(reader, ids, _context(roster))
            return score(roster, _told(evaluated, tell, len(ids)))


def score(roster: Roster, evaluated: Iterable[Evaluated]) -> Accuracy:
    """Compares what the rules say of each athlete of a roster with its label."""
    configuration = RuleConfiguration()
    scores = {rule.code: RuleScore(rule) for category in Category for rule in enabled_rules(category, configuration)}
    not_evaluated: Counter[tuple[str, str]] = Counter()
    labels = {label.person_id: label for label in roster.labels}
    athletes = 0
    for result in evaluated:
        athletes += 1
        not_evaluated.update((rule.rule, rule.message) for rule in result.not_evaluated)
        _count(labels[result.person_id], result.findings, scores)
    return Accuracy(athletes, roster.seed, tuple(scores.values()), not_evaluated)


def _count(label: Label, findings: Sequence[DiagnosisIssue], scores: Mapping[str, RuleScore]) -> None:
    # A rule may have to fire twice, at one severity for one row and at another for the next.
    right: dict[str, list[Sequence[str]]] = {}
    for item in label.expected:
        right.setdefault(item.code, []).append(item.severities)
    fired: dict[str, list[DiagnosisIssue]] = {}
    for finding in findings:
        fired.setdefault(finding.code, []).append(finding)
    for code, wanted in right.items():
        given = {finding.severity.value for finding in fired.get(code, ())}
        scores[code].planted += 1
        if all(given.intersection(severities) for severities in wanted):
            scores[code].found += 1
        else:
            _note(scores[code], label, "missed")
    for code, found in fired.items():
        if code in label.undecided:
            continue
        allowed = {severity for severities in right.get(code, ()) for severity in severities}
        if code in label.tolerated:
            allowed.add(Severity.INFO.value)
        wrong = [finding for finding in found if finding.severity.value not in allowed]
        if wrong:
            scores[code].false_alarms += 1
            _note(scores[code], label, f"false alarm, {wrong[0].severity.value}: {wrong[0].detail}")


def _note(score_of_rule: RuleScore, label: Label, what: str) -> None:
    if len(score_of_rule.examples) < EXAMPLES:
        score_of_rule.examples.append((label.slug, f"{label.form or 'ordinary'}: {what}"))


def _context(roster: Roster) -> RuleContext:
    # Labels hold from this day on; a fixed moment gives the same count on every day.
    now = datetime.combine(roster.as_of, time(3), UTC)
    return RuleContext(today=roster.as_of, now=now, configuration=RuleConfiguration())


def _scratch_settings(settings: Settings, urls: DatabaseUrls) -> Settings:
    return Settings.model_validate(
        {
            "TASUKI_KEIFU_BUSINESS_DATABASE_URL": urls.business,
            "TASUKI_KEIFU_AGENT_DATABASE_URL": urls.agent,
            "KEIFU_HOME": settings.home,
        }
    )


def _told(evaluated: Iterable[Evaluated], tell: Progress, total: int) -> Iterable[Evaluated]:
    for done, result in enumerate(evaluated, start=1):
        yield result
        tell("running the rules", done, total)
