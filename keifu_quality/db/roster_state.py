"""What the newest diagnoses say of the whole roster, family by family.

Belongs here: two reads of the agent database over the athletes of the index, each by the run that settled it last, so
that athletes that a sweep left out as unchanged count with what was found before. Stays out: single athletes
(`keifu_quality.db.runs`, `keifu_quality.db.latest_results`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Engine

from graphs.contracts import Category, Severity
from keifu_quality.db.business.access import run_single

SAMPLE_SIZE = 10

_FAMILIES = """
SELECT f ->> 'category', count(*) FILTER (WHERE f ->> 'status' = 'evaluated'),
    count(*) FILTER (WHERE f ->> 'status' <> 'evaluated'),
    (array_agg(d.person_slug ORDER BY d.person_slug) FILTER (WHERE f ->> 'status' <> 'evaluated'))
        [1:%(sample)s::integer],
    (array_agg(DISTINCT f -> 'notEvaluated' -> 0 ->> 'message') FILTER (WHERE f ->> 'status' <> 'evaluated'))
        [1:%(sample)s::integer]
FROM athlete_index i
JOIN diagnosis_results d ON d.run_id = i.last_run_id
CROSS JOIN LATERAL jsonb_array_elements(d.summary_json -> 'families') f
WHERE NOT f @> '{"notEvaluated": [{"code": "not_requested"}]}'
GROUP BY 1
"""

_RULES = """
SELECT f ->> 'category', f ->> 'code', f ->> 'rule', f ->> 'severity', count(*), count(DISTINCT d.person_slug),
    (array_agg(d.person_slug ORDER BY d.person_slug))[1:%(sample)s::integer]
FROM athlete_index i
JOIN diagnosis_results d ON d.run_id = i.last_run_id
CROSS JOIN LATERAL jsonb_array_elements(d.findings_json) f
GROUP BY 1, 2, 3, 4
ORDER BY 2, 4
"""

_FAILED = """
SELECT count(*) OVER (), i.person_slug, r.error_message
FROM athlete_index i
JOIN agent_runs r ON r.run_id = i.last_run_id
WHERE r.outcome = 'failed'
ORDER BY i.person_slug
LIMIT %(sample)s::integer
"""


@dataclass(frozen=True, slots=True)
class RuleCount:
    """Findings of one rule and severity over the roster, with the slugs of some of the athletes."""

    code: str
    rule: str
    severity: Severity
    findings: int
    athletes: int
    sample: Sequence[str]


@dataclass(slots=True)
class FamilyState:
    """One family over the roster, in athletes; `causes` say why it was not evaluated for the athletes sampled.

    An athlete of whom nobody asked for the family yet is in neither number.
    """

    category: Category
    evaluated: int = 0
    not_evaluated: int = 0
    not_evaluated_sample: Sequence[str] = ()
    causes: Sequence[str] = ()
    rules: list[RuleCount] = field(default_factory=list[RuleCount])

    def findings(self, severity: Severity) -> int:
        """How many findings of that severity there are."""
        return sum(rule.findings for rule in self.rules if rule.severity is severity)


@dataclass(frozen=True, slots=True)
class RosterState:
    """The roster's state: every family, and the athletes whose newest diagnosis failed.

    `failed_causes` are the messages of the athletes sampled, each once.
    """

    families: Mapping[Category, FamilyState]
    failed: int
    failed_sample: Sequence[str]
    failed_causes: Sequence[str]


def roster_state(agent: Engine) -> RosterState:
    """The state of the roster as of the newest diagnosis of each athlete."""
    families = {category: FamilyState(category) for category in Category}
    parameters = {"sample": SAMPLE_SIZE}
    for category, evaluated, not_evaluated, slugs, causes in run_single(agent, _FAMILIES, parameters):
        family = families[Category(category)]
        family.evaluated, family.not_evaluated = evaluated, not_evaluated
        family.not_evaluated_sample, family.causes = tuple(slugs or ()), tuple(causes or ())
    for category, code, rule, severity, findings, athletes, slugs in run_single(agent, _RULES, parameters):
        found = RuleCount(code, rule, Severity(severity), findings, athletes, tuple(dict.fromkeys(slugs)))
        families[Category(category)].rules.append(found)
    failed = list(run_single(agent, _FAILED, parameters))
    return RosterState(
        families=families,
        failed=failed[0][0] if failed else 0,
        failed_sample=tuple(slug for _, slug, _ in failed),
        failed_causes=tuple(dict.fromkeys(message for _, _, message in failed if message)),
    )
