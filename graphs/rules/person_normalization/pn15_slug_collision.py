"""PN15: a cut slug that two people share."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Organization
from graphs.rules.affiliation import belongs_to_same
from graphs.rules.athlete import Athlete
from graphs.rules.periods import SCHOOL_STAGES
from graphs.rules.person_normalization.group import is_nameless, own_record
from graphs.rules.person_normalization.pn11_source_mismatch import disagreeing_references
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.slugs import decode_slug

_CUT_SLUG = re.compile(r"person-[0-9a-f]{20,24}")
"""The importer's form of a name without a romanised one: its first 12 bytes in UTF-8."""


@dataclass(frozen=True, slots=True)
class SlugCollisionEvidence(Evidence):
    """What is left of the name in the slug, and the names and schools that met under it."""

    slug: str
    decoded_prefix: str
    names: tuple[str, ...]
    schools: tuple[str, ...]


class SlugTruncationCollision(Rule):
    """Two people may share a cut slug.

    Detects: the slug is `person-` and 20 to 24 hex digits that end within a character, and sources print two names
    for the record (error), or its results name two unrelated schools of one stage (warning).

    Why it matters: such a slug holds only the first twelve bytes of a name, so 中里 例海 and 中里 例浩 get the same;
    importing the second overwrites the first one's name and adds to its results.

    Example: a record with a cut slug has results for 架空高校 and for 例示高校.

    Traps: names of one school count once; prefecture and selection teams say nothing; one change of high school is
    possible, hence a warning only.

    What to do: find in the sources whether the results are one person's; if not, split and give readable slugs.
    """

    code = "PN15"
    name = "slug_truncation_collision"
    category = Category.PERSON_NORMALIZATION
    severities = (Severity.WARNING, Severity.ERROR)
    evidence_type = SlugCollisionEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="check_slug_collision",
        reason="Two people may have been imported under one cut slug; check the sources and split.",
        risk=RiskLevel.HIGH,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding on the slug."""
        person = athlete.person
        if _CUT_SLUG.fullmatch(person.slug) is None or is_nameless(athlete):
            return
        decoded = decode_slug(person.slug)
        if decoded is None or not decoded.truncated:
            return
        others = sorted({name for _, name, is_other in disagreeing_references(athlete) if is_other})
        schools = _unrelated_schools(own_record(athlete).organizations)
        if not others and not schools:
            return
        names = (person.name_ja, *others)
        what = " and ".join(names[:3]) if others else " and ".join(s.name_ja for s in schools[:3])
        yield Finding(
            key=(person.slug,),
            severity=Severity.ERROR if others else Severity.WARNING,
            detail=f"{person.slug} is cut after {decoded.text!r} and stands for {what}.",
            evidence=SlugCollisionEvidence(
                slug=person.slug,
                decoded_prefix=decoded.text,
                names=names[:EVIDENCE_ROWS],
                schools=tuple(s.name_ja for s in schools[:EVIDENCE_ROWS]),
            ),
        )


def _unrelated_schools(organizations: Sequence[Organization]) -> Sequence[Organization]:
    """Schools of the first stage that has more than one, by slug; empty where no stage has."""
    for stage in SCHOOL_STAGES:
        schools: list[Organization] = []
        for organization in organizations:
            if organization.type == stage and not any(belongs_to_same(organization, s) for s in schools):
                schools.append(organization)
        if len(schools) > 1:
            return schools
    return ()
