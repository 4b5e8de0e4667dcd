"""PN11: a source that speaks of somebody else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import SourceReference
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.group import is_nameless
from graphs.rules.person_normalization.printed_names import agreement, slug_agreement
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.slugs import name_from_slug

_HOLDS_A_NAME = re.compile(r"person-(?:.*-)?[0-9a-f]{14,}")
"""A family and a given name of one kanji each and a blank make seven bytes; shorter digits are a digest."""


@dataclass(frozen=True, slots=True)
class PrintedNameEvidence(Evidence):
    """A reference and the name that its source printed."""

    reference_id: str
    source: str
    entity_key: str
    name: str


@dataclass(frozen=True, slots=True)
class SourceMismatchEvidence(Evidence):
    """The athlete's name beside other names: of references, or the one that the slug holds.

    `names` lists every different name that references carry, the athlete's own included if one carries it.
    """

    name: str
    slug: str
    decoded_slug: str | None
    slug_is_cut: bool
    names: tuple[str, ...]
    references: tuple[PrintedNameEvidence, ...]
    reference_count: int


class SourceIdentityMismatch(Rule):
    """A source names somebody else.

    Detects: a source reference of the athlete carries another name than the record, so that references may also
    contradict one another; or the name inside a `person-<hex>` slug does not begin the display name. Info where only
    glyph forms of the same characters differ, else error.

    Why it matters: the importer finds people by slug and overwrites the name, so the record now holds the results of
    two people or the source is attached to the wrong one.

    Example: the record 中里 例海 has a reference in which the source printed 中里 例浩.

    Traps: a name changed on purpose is covered by a name variant; foreign names have long, short and initial forms;
    a source may print the reading; placeholders and lost characters say nothing; a cut slug holds only the beginning
    of a name, and some slugs hold no name at all.

    What to do: open the source and see whom it means, then move the reference or correct the name.
    """

    code = "PN11"
    name = "source_identity_mismatch"
    category = Category.PERSON_NORMALIZATION
    severities = (Severity.ERROR, Severity.INFO)
    evidence_type = SourceMismatchEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="check_source_mapping",
        reason="A source or the slug names somebody else; see whom it means and correct the mapping or the name.",
        risk=RiskLevel.HIGH,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """A finding on the references and one on the slug."""
        if is_nameless(athlete):
            return
        if len(athlete.snapshot.source_references):
            yield from _references(athlete)
        yield from _slug(athlete)


def disagreeing_references(athlete: Athlete) -> list[tuple[SourceReference, str, bool]]:
    """References that carry another name, the name, and whether more than glyph forms differ."""
    found: list[tuple[SourceReference, str, bool]] = []
    for reference in athlete.source_references:
        if reference.name_ja and reference.name_ja != athlete.person.name_ja:
            agrees = agreement(athlete, reference.name_ja)
            if agrees != "equal":
                found.append((reference, reference.name_ja, agrees == "other"))
    return found


def _references(athlete: Athlete) -> Iterator[Finding]:
    found = disagreeing_references(athlete)
    if not found:
        return
    person = athlete.person
    names = tuple(sorted({r.name_ja for r in athlete.source_references if r.name_ja}))
    others = sorted({name for _, name, _ in found})
    yield Finding(
        key=("references",),
        severity=Severity.ERROR if any(other for _, _, other in found) else Severity.INFO,
        detail=f"Sources call {person.name_ja} ({person.slug}) {', '.join(others[:5])}.",
        evidence=SourceMismatchEvidence(
            name=person.name_ja,
            slug=person.slug,
            decoded_slug=None,
            slug_is_cut=False,
            names=names[:EVIDENCE_ROWS],
            references=tuple(
                PrintedNameEvidence(r.id, r.source.name, r.entity_key, name) for r, name, _ in found[:EVIDENCE_ROWS]
            ),
            reference_count=len(found),
        ),
    )


def _slug(athlete: Athlete) -> Iterator[Finding]:
    person = athlete.person
    if _HOLDS_A_NAME.fullmatch(person.slug) is None:
        return
    decoded = name_from_slug(person.slug)
    if decoded is None:
        return
    agrees = slug_agreement(athlete, decoded.name)
    if agrees == "equal":
        return
    yield Finding(
        key=("slug",),
        severity=Severity.ERROR if agrees == "other" else Severity.INFO,
        detail=f"The slug {person.slug} was made for {decoded.name}, the record is called {person.name_ja}.",
        evidence=SourceMismatchEvidence(
            name=person.name_ja,
            slug=person.slug,
            decoded_slug=decoded.name,
            slug_is_cut=not decoded.complete,
            names=(),
            references=(),
            reference_count=0,
        ),
    )
