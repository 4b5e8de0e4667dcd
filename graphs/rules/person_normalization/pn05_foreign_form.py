"""PN05: one foreign name in two forms."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.evidence import MemberEvidence, member_evidence, names_of
from graphs.rules.person_normalization.group import candidate_records, own_record
from graphs.rules.person_normalization.name_faults import has_halfwidth_kana
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.spellings import share_an_organization, weigh_spelling
from graphs.rules.person_normalization.stays import continued_stay, shared_organizations
from graphs.rules.person_normalization.weighing import Weighing
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.names import foreign_forms_compatible, foreign_tokens, has_kanji

Form = Literal["order", "initial", "half_width"]


@dataclass(frozen=True, slots=True)
class FormEvidence(Evidence):
    """Another form of the name, its tokens and initials, and the organizations in common."""

    form: str
    name: str
    tokens: tuple[str, ...]
    initials: tuple[str, ...]
    organizations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ForeignFormEvidence(Evidence):
    """The forms of the name; `forms` runs parallel to `members`, `group_size` counts the athlete too."""

    person_id: str
    slug: str
    name: str
    tokens: tuple[str, ...]
    initials: tuple[str, ...]
    group_size: int
    members: tuple[MemberEvidence, ...]
    forms: tuple[FormEvidence, ...]


class ForeignNameFormCandidate(Rule):
    """A foreign name is recorded in another form.

    Detects: another person's name, both without kanji, has the same parts in another order or spelling, or is the
    same with initials in place of parts (Ｓ.ミホンゲイ and サミュエル・ミホンゲイ), or the same in half-width
    characters. A warning with an organization in common, else info.

    Why it matters: result lists print foreign students in either order and with initials, and each form becomes a
    record.

    Example: ジョン・ミホン ran for 例示大学 as a freshman and ミホン・ジョン for 例示大学 as a sophomore.

    Traps: family names repeat among foreign students, so an initial counts only at the same organization in years
    that follow one another; whatever decides that it is somebody else ends the matter.

    What to do: keep the readable slug, unify the name and merge. The script
    normalize-foreign-katakana-people-wave-2026-07 is a precedent for fixed people; its shape is not known.
    """

    code = "PN05"
    name = "foreign_name_form_candidate"
    category = Category.PERSON_NORMALIZATION
    needs = ("candidates",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = ForeignFormEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="unify_foreign_name",
        reason=(
            "Another record has another form of this foreign name; unify and merge, or judge the pair."
            " normalize-foreign-katakana-people-wave-2026-07 did so for fixed people and is no command for others."
        ),
        risk=RiskLevel.HIGH,
    )
    judgement = True

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with every other form."""
        name = athlete.person.name_ja
        if has_kanji(name) or not len(athlete.candidates):
            return
        found: list[tuple[Record, Form, Weighing]] = []
        for other in candidate_records(athlete):
            form = _form(athlete, other, context)
            weighing = weigh_spelling(athlete, other, context) if form is not None else None
            if form is not None and weighing is not None:
                found.append((other, form, weighing))
        if not found:
            return
        shared = any(share_an_organization(athlete, other) for other, _, _ in found)
        tokens = foreign_tokens(name)
        yield Finding(
            key=(athlete.keys.strict,),
            severity=Severity.WARNING if shared else Severity.INFO,
            detail=f"{name} may be {names_of(other for other, _, _ in found)} in another form.",
            evidence=ForeignFormEvidence(
                person_id=athlete.person.id,
                slug=athlete.person.slug,
                name=name,
                tokens=tuple(sorted(tokens.tokens)),
                initials=tuple(sorted(tokens.initials)),
                group_size=len(found) + 1,
                members=tuple(member_evidence(other, weighing) for other, _, weighing in found[:EVIDENCE_ROWS]),
                forms=tuple(_form_evidence(athlete, other, form) for other, form, _ in found[:EVIDENCE_ROWS]),
            ),
        )


def _form(athlete: Athlete, other: Record, context: RuleContext) -> Form | None:
    ours, theirs = athlete.person.name_ja, other.person.name_ja
    if has_kanji(theirs):
        return None
    if athlete.keys.strict == other.keys.strict:
        return "half_width" if has_halfwidth_kana(ours) != has_halfwidth_kana(theirs) else None
    compatible = foreign_forms_compatible(ours, theirs)
    if compatible == "same":
        return "order"
    if compatible == "initial" and _ran_in_turn(athlete, other, context):
        return "initial"
    return None


def _ran_in_turn(athlete: Athlete, other: Record, context: RuleContext) -> bool:
    own, limits = own_record(athlete), context.configuration.person_normalization
    return any(continued_stay(own, other, o, limits) for o in shared_organizations(own, other))


def _form_evidence(athlete: Athlete, other: Record, form: Form) -> FormEvidence:
    tokens = foreign_tokens(other.person.name_ja)
    shared = shared_organizations(own_record(athlete), other)
    return FormEvidence(
        form=form,
        name=other.person.name_ja,
        tokens=tuple(sorted(tokens.tokens)),
        initials=tuple(sorted(tokens.initials)),
        organizations=tuple(o.name_ja for o in shared)[:EVIDENCE_ROWS],
    )
