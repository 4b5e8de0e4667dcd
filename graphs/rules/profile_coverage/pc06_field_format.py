"""PC06: profile fields in a form that the archive does not use."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Person
from graphs.rules.athlete import Athlete
from graphs.rules.profile_coverage.countries import ALPHA_3
from graphs.rules.profile_coverage.field_forms import (
    MARKUP,
    full_prefecture,
    has_markup,
    is_hometown,
    is_nationality,
    is_reading,
    is_romanised,
)
from graphs.rules.profile_coverage.scope import is_athlete
from graphs.rules.profile_coverage.thresholds import ProfileCoverageThresholds
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext

SHOWN_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class FieldFormatEvidence(Evidence):
    """The field by its name in the archive, its value, and the form that was expected."""

    field: str
    value: str
    expected_form: str


class ProfileFieldFormat(Rule):
    """A profile field is not in its usual form.

    Detects: markup of a page in a text field; a nationality that is neither a country code nor a country's name; a
    hometown that does not start with a prefecture in full or a country; a reading with kanji or Latin letters; a
    romanised name with other letters; a height outside 140 to 210 cm, a weight outside 35 to 100 kg, or the two
    together outside a body mass index of 14 to 28. One finding for each field.

    Why it matters: fields are compared as text: 大分, 大分県 and 大分県大分市 never meet as one hometown.

    Example: the nationality {{JPN}}, taken over from a template of a page.

    Traps: a hometown in another style only informs; a prefecture with a town behind it is fine; country names are
    accepted as well as codes; accents and full-width letters are Latin. Unknown and empty fields belong to PC01. An
    implausible height or weight is not counted again as a body mass index. Coaches and staff are skipped.

    What to do: write the value in the usual form; the nationality as a three-letter code.
    """

    code = "PC06"
    name = "profile_field_format"
    category = Category.PROFILE_COVERAGE
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = FieldFormatEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="normalise_profile_field",
        reason="A profile field is not in the form that the archive uses.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for each field, by field."""
        person = athlete.person
        if not is_athlete(person):
            return
        has_text = person.kana or person.roman or person.hometown or person.nationality
        if not has_text and person.height_cm is None and person.weight_kg is None:
            return
        thresholds = context.configuration.profile_coverage
        for severity, field, value, expected in (*_text_faults(person, thresholds), *_body_faults(person, thresholds)):
            shown = value[:SHOWN_CHARACTERS]
            yield Finding(
                key=(field,),
                severity=severity,
                detail=f"{field} is {shown!r}; expected: {expected}.",
                evidence=FieldFormatEvidence(field=field, value=shown, expected_form=expected),
            )


def _text_faults(person: Person, thresholds: ProfileCoverageThresholds) -> Iterator[tuple[Severity, str, str, str]]:
    kana, roman, hometown, nationality = person.kana, person.roman, person.hometown, person.nationality
    if kana and (has_markup(kana) or not is_reading(kana)):
        yield Severity.WARNING, "displayNameKana", kana, "kana only"
    if roman and (has_markup(roman) or not is_romanised(roman)):
        yield Severity.WARNING, "displayNameRoman", roman, "Latin letters only"
    if hometown and has_markup(hometown):
        yield Severity.WARNING, "hometown", hometown, "no markup"
    elif hometown and not is_hometown(hometown):
        prefecture = full_prefecture(hometown)
        expected = f"{prefecture} in front" if prefecture else "a prefecture in full or a country in front"
        yield Severity.INFO, "hometown", hometown, expected
    if nationality and not (is_nationality(nationality) or nationality in thresholds.further_nationalities):
        bare = MARKUP.sub("", nationality).strip().upper()
        expected = bare if bare in ALPHA_3 else "a three-letter country code such as JPN"
        yield Severity.WARNING, "nationality", nationality, expected


def _body_faults(person: Person, thresholds: ProfileCoverageThresholds) -> Iterator[tuple[Severity, str, str, str]]:
    height, weight = person.height_cm, person.weight_kg
    height_fits = height is None or thresholds.height_cm[0] <= height <= thresholds.height_cm[1]
    weight_fits = weight is None or thresholds.weight_kg[0] <= weight <= thresholds.weight_kg[1]
    if not height_fits:
        low, high = thresholds.height_cm
        yield Severity.WARNING, "heightCm", str(height), f"{low} to {high} cm"
    if not weight_fits:
        low, high = thresholds.weight_kg
        yield Severity.WARNING, "weightKg", str(weight), f"{low} to {high} kg"
    if height is None or weight is None or not (height_fits and weight_fits):
        return
    index = weight / (height / 100) ** 2
    least, most = thresholds.body_mass_index
    if not least <= index <= most:
        value = f"{height} cm, {weight} kg: {index:.1f}"
        yield Severity.WARNING, "bodyMassIndex", value, f"{least:g} to {most:g} kg/m²"
