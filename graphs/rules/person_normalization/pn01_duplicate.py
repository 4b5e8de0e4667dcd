"""PN01: two records of one person."""

from collections.abc import Iterator

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.evidence import NameGroupEvidence, member_evidence, names_of
from graphs.rules.person_normalization.group import name_group
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Finding, Rule, RuleContext


class DuplicateNormalizedName(Rule):
    """Two records are one person.

    Detects: another person has the same written name (width, blanks, dots and invisible characters aside), something
    decides that it is the same person, and nothing decides against it. What decides: the same birth date and an
    organization in common; one entity of one source; a recorded merge of the two; slugs that are the two romanisation
    orders of one name; the same personal best to the millisecond in two disciplines; the same organization in fitting
    years and the same school class; or a maintainer's judgement that they are the same, until they are merged. One
    finding names all such people.

    Why it matters: results, bests and relations are split over two pages, and the next import adds to either.

    Example: 例見 太郎 of 例示大学, entered in 2021, stands in the archive as reimi-taro and as taro-reimi.

    Traps: an equal name alone is never enough, and neither is an equal reading. Anything that decides against one
    person moves the pair to PN02. A judgement that they are different ends the matter. Placeholder names are never
    compared. With more namesakes than PN07 allows nobody is weighed.

    What to do: compare both records, keep the readable slug, and merge. The scripts merge-person-duplicates and
    merge-confirmed-duplicate-people work on fixed lists of people, so a new pair must be written; the first is broken
    on the present schema and the second loses personal bests, which the deletion cascades to.
    """

    code = "PN01"
    name = "duplicate_normalized_name"
    category = Category.PERSON_NORMALIZATION
    needs = ("candidates",)
    severities = (Severity.ERROR,)
    evidence_type = NameGroupEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="review_merge",
        reason=(
            "Another record of the same name is the same person by the evidence; review and merge. The existing merge"
            " scripts hold fixed lists, and merge-confirmed-duplicate-people deletes personal bests on the way."
        ),
        risk=RiskLevel.HIGH,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with everybody who is the same person."""
        group = name_group(athlete, context)
        members = [
            m for m in group.members if m.weighing.verdict == "same" and m.record.person.id not in group.contradicted
        ]
        if not members:
            return
        reasons = sorted({i.kind for m in members for i in m.weighing.same}) or ["judged the same"]
        yield Finding(
            key=(group.key,),
            severity=Severity.ERROR,
            detail=(
                f"{athlete.person.name_ja} is also recorded as {names_of(m.record for m in members)}:"
                f" {', '.join(reasons).replace('_', ' ')}."
            ),
            evidence=NameGroupEvidence(
                person_id=athlete.person.id,
                slug=athlete.person.slug,
                name=athlete.person.name_ja,
                key=group.key,
                group_size=len(members) + 1,
                members=tuple(member_evidence(m.record, m.weighing) for m in members[:EVIDENCE_ROWS]),
            ),
        )
