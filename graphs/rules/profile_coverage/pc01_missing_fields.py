"""PC01: what a profile lacks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.profile_coverage.scope import is_athlete, is_foreign
from graphs.rules.profile_coverage.shell import is_shell
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.names import has_kanji


@dataclass(frozen=True, slots=True)
class MissingFieldsEvidence(Evidence):
    """The fields that are null, and how much of a record stands behind the profile."""

    missing: tuple[str, ...]
    present_count: int
    result_count: int


class MissingFields(Rule):
    """The profile lacks fields.

    Detects: any of birth date, hometown, nationality, reading and romanised name is null on an athlete; one
    finding lists them all.

    Why it matters: readings and romanised names make an athlete findable, birth date and hometown tell namesakes
    apart. It is the normal state of an imported record, so it informs and never alarms.

    Example: an athlete imported from a result list has a name and nothing else.

    Traps: no reading is expected when the written name has no kanji; no hometown is expected of a foreign
    athlete; height, weight, Chinese and English names are never asked for; coaches and staff are skipped; a shell
    record (PC04) is reported as a shell only.

    What to do: fill the fields when a source is at hand. Nothing is suggested while there is none.
    """

    code = "PC01"
    name = "profile_coverage_missing_fields"
    category = Category.PROFILE_COVERAGE
    severities = (Severity.INFO,)
    evidence_type = MissingFieldsEvidence
    action = ActionTemplate(
        type=ActionType.DEFER,
        name="backfill_profile_fields",
        reason="Profile fields are missing; fill them when a source turns up.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with all missing fields."""
        person = athlete.person
        if not is_athlete(person) or is_shell(athlete):
            return
        expected = [
            ("birthDate", person.birth_date is not None),
            ("displayNameRoman", bool(person.roman)),
            ("nationality", bool(person.nationality)),
        ]
        if has_kanji(person.name_ja):
            expected.append(("displayNameKana", bool(person.kana)))
        if not is_foreign(person, context.configuration.profile_coverage):
            expected.append(("hometown", bool(person.hometown)))
        missing = tuple(sorted([field for field, known in expected if not known]))
        if missing:
            yield _finding(
                missing,
                len(expected) - len(missing),
                len(athlete.snapshot.results),
                actionable=len(athlete.snapshot.source_references) > 0,
            )


# Nine of ten imported records lack the same fields and have one or two results.
@lru_cache(maxsize=1_024)
def _finding(missing: tuple[str, ...], present_count: int, result_count: int, *, actionable: bool) -> Finding:
    return Finding(
        key=(),
        severity=Severity.INFO,
        detail=f"Missing: {', '.join(missing)}.",
        evidence=MissingFieldsEvidence(missing=missing, present_count=present_count, result_count=result_count),
        actionable=actionable,
    )
