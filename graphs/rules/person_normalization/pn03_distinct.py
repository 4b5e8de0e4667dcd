"""PN03: different people of one name."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.evidence import MemberEvidence, member_evidence, names_of
from graphs.rules.person_normalization.group import name_group
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class DistinctPeopleEvidence(Evidence):
    """The namesakes that are somebody else; `group_size` counts the athlete too.

    `registry_only`: for at least one of them nothing but the list of known namesakes says so.
    """

    person_id: str
    slug: str
    name: str
    key: str
    group_size: int
    members: tuple[MemberEvidence, ...]
    registry_only: bool


class SameNameDistinctPeople(Rule):
    """Another person has the same name.

    Detects: another person has the same written name and something decides that it is somebody else: different birth
    dates; both ran in one race for different teams, or different legs of one ekiden; two schools of one stage at one
    time; birth cohorts two or more years apart; a maintainer's judgement; or the list of known namesakes.

    Why it matters: whoever imports or merges next should know that the name stands for two people.

    Example: 例見 健 ran leg 5 for 例示電気 and leg 7 for 架空急便 in the same ekiden.

    Traps: the list of known namesakes alone is weak (`registryOnly`), because it also lets imports through; against
    evidence that decides for one person the pair goes to PN02. A judgement of different is final.

    What to do: nothing; keep the records apart.
    """

    code = "PN03"
    name = "same_name_distinct_people"
    category = Category.PERSON_NORMALIZATION
    needs = ("candidates",)
    severities = (Severity.INFO,)
    evidence_type = DistinctPeopleEvidence
    action = ActionTemplate(
        type=ActionType.DEFER,
        name="keep_separate",
        reason="Different people share the name; keep their records apart.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with everybody of the name who is somebody else."""
        group = name_group(athlete, context)
        members = [
            m
            for m in group.members
            if m.weighing.verdict == "different" and m.record.person.id not in group.contradicted
        ]
        if not members:
            return
        yield Finding(
            key=(group.key,),
            severity=Severity.INFO,
            detail=f"{names_of(m.record for m in members)}: same name as {athlete.person.slug}, somebody else.",
            evidence=DistinctPeopleEvidence(
                person_id=athlete.person.id,
                slug=athlete.person.slug,
                name=athlete.person.name_ja,
                key=group.key,
                group_size=len(members) + 1,
                members=tuple(member_evidence(m.record, m.weighing) for m in members[:EVIDENCE_ROWS]),
                registry_only=any(m.weighing.registry_only for m in members),
            ),
        )
