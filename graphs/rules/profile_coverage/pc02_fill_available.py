"""PC02: a missing field whose value the archive already holds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.profile_coverage.field_forms import has_markup, is_reading, is_romanised
from graphs.rules.profile_coverage.scope import is_athlete
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.names import has_kanji, kana_key, name_keys, roman_key

KANA_VARIANTS = frozenset({"kana"})
ROMAN_VARIANTS = frozenset({"romanized", "english"})


@dataclass(frozen=True, slots=True)
class FillAvailableEvidence(Evidence):
    """The field, the value at hand, the row that holds it and the reliability of its source (1 to 5)."""

    field: str
    value: str
    source_reference_id: str | None
    name_variant_id: str | None
    source_reliability: int | None


class FillAvailable(Rule):
    """A missing field can be filled from the archive.

    Detects: the reading or the romanised name is missing while a source reference or a recorded other name of the
    athlete has it.

    Why it matters: the value costs nothing but a look.

    Example: a result list printed the reading of a name; the profile has none.

    Traps: silent when two rows disagree (order of names and long vowels apart), when the row's own name is not the
    athlete's, when the value is in the wrong script or carries markup, and when the name has no kanji to read.
    Coaches and staff are skipped.

    What to do: compare with the source and take the value over.
    """

    code = "PC02"
    name = "profile_fill_available"
    category = Category.PROFILE_COVERAGE
    severities = (Severity.INFO,)
    evidence_type = FillAvailableEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="fill_from_existing_reference",
        reason="A missing profile field is held by a source reference or a recorded name.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for each field, by field."""
        person = athlete.person
        if not is_athlete(person) or (person.kana and person.roman):
            return
        if len(athlete.snapshot.source_references) == 0 and len(athlete.snapshot.name_variants) == 0:
            return
        if not person.kana and has_kanji(person.name_ja):
            yield from _finding("displayNameKana", _readings(athlete), kana_key)
        if not person.roman:
            yield from _finding("displayNameRoman", _romanised(athlete), roman_key)


def _readings(athlete: Athlete) -> list[FillAvailableEvidence]:
    field = "displayNameKana"
    held = [*_from_references(athlete, field), *_from_variants(athlete, field, KANA_VARIANTS)]
    return [row for row in held if is_reading(row.value) and not has_markup(row.value) and kana_key(row.value)]


def _romanised(athlete: Athlete) -> list[FillAvailableEvidence]:
    held = [
        *_from_references(athlete, "displayNameRoman"),
        *_from_variants(athlete, "displayNameRoman", ROMAN_VARIANTS),
    ]
    return [row for row in held if is_romanised(row.value) and not has_markup(row.value) and roman_key(row.value)]


def _from_references(athlete: Athlete, field: str) -> Iterator[FillAvailableEvidence]:
    for reference in athlete.source_references:
        value = reference.name_kana if field == "displayNameKana" else reference.name_roman
        if not value or (reference.name_ja and name_keys(reference.name_ja).variant != athlete.keys.variant):
            continue
        yield FillAvailableEvidence(
            field=field,
            value=value.strip(),
            source_reference_id=reference.id,
            name_variant_id=None,
            source_reliability=reference.source.reliability,
        )


def _from_variants(athlete: Athlete, field: str, types: frozenset[str]) -> Iterator[FillAvailableEvidence]:
    for variant in athlete.name_variants:
        if variant.type in types:
            yield FillAvailableEvidence(
                field=field,
                value=variant.value.strip(),
                source_reference_id=None,
                name_variant_id=variant.id,
                source_reliability=variant.source.reliability if variant.source else None,
            )


def _finding(field: str, held: list[FillAvailableEvidence], key: Callable[[str], str]) -> Iterator[Finding]:
    """The value of the most reliable row, when all rows agree."""
    if len({key(row.value) for row in held}) != 1:
        return
    best = min(
        held,
        key=lambda row: (-(row.source_reliability or 0), row.source_reference_id or "", row.name_variant_id or ""),
    )
    yield Finding(
        key=(field,),
        severity=Severity.INFO,
        detail=f"{field} is missing; the archive holds {best.value!r}.",
        evidence=best,
    )
