"""PN02: people of one name of whom nobody knows whether they are one."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Judgement
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.evidence import (
    JudgementEvidence,
    MemberEvidence,
    member_evidence,
    names_of,
)
from graphs.rules.person_normalization.group import Member, NameGroup, name_group
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class UncertainGroupEvidence(Evidence):
    """The whole name group with the verdict on each member, and every judgement recorded within it.

    `group_size` counts the athlete too. `conflicting_judgement`: two members are judged different while a third is
    close to both.
    """

    person_id: str
    slug: str
    name: str
    key: str
    group_size: int
    members: tuple[MemberEvidence, ...]
    judgements: tuple[JudgementEvidence, ...]
    conflicting_judgement: bool


class NameIdentityUncertain(Rule):
    """Somebody of the same name may be the same person.

    Detects: another person has the same written name and nothing decides either way; or something decides for one
    person and something else against it, or against the list of known namesakes; or maintainers judged two people of
    the name different while a third record is close to both (`conflictingJudgement`). One finding names the whole
    group, what supports either answer, what is missing, and every recorded judgement.

    Why it matters: it can be settled only by research, and every import under the name may go to the wrong record.

    Example: 例見 太郎 ran for 架空高校 in 2018 and 例見 太郎 for 例示工業 in 2026; no birth date, no school in between.

    Traps: it never stops a run and holds back only actions that depend on identity. A judgement wins over evidence:
    judged the same is PN01, judged different is PN03, judged unsure stays here.

    What to do: look for a birth date, a school or a source that names both, then record a judgement.
    """

    code = "PN02"
    name = "name_identity_uncertain"
    category = Category.PERSON_NORMALIZATION
    needs = ("candidates",)
    severities = (Severity.WARNING,)
    evidence_type = UncertainGroupEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="identity_research",
        reason="People of one name may be one person; find what decides and record a judgement.",
        risk=RiskLevel.MEDIUM,
    )
    judgement = True

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with the whole group, where at least one member is open."""
        group = name_group(athlete, context)
        open_members = [m for m in group.members if _is_open(m, group)]
        if not open_members:
            return
        judgements = [j for j in athlete.judgements if _is_within(j, athlete, group)]
        slugs = {athlete.person.id: athlete.person.slug} | {
            m.record.person.id: m.record.person.slug for m in group.members
        }
        yield Finding(
            key=(group.key,),
            severity=Severity.WARNING,
            detail=_detail(athlete, open_members, group),
            evidence=UncertainGroupEvidence(
                person_id=athlete.person.id,
                slug=athlete.person.slug,
                name=athlete.person.name_ja,
                key=group.key,
                group_size=len(group.members) + 1,
                members=tuple(member_evidence(m.record, m.weighing) for m in group.members[:EVIDENCE_ROWS]),
                judgements=tuple(
                    JudgementEvidence((slugs[j.person_ids[0]], slugs[j.person_ids[1]]), j.verdict)
                    for j in judgements[:EVIDENCE_ROWS]
                ),
                conflicting_judgement=bool(group.contradicted),
            ),
        )


def _is_open(member: Member, group: NameGroup) -> bool:
    if member.record.person.id in group.contradicted:
        return True
    return member.weighing.verdict in ("uncertain", "conflicting")


def _is_within(judgement: Judgement, athlete: Athlete, group: NameGroup) -> bool:
    ids = {athlete.person.id, *(m.record.person.id for m in group.members)}
    return ids.issuperset(judgement.person_ids)


def _detail(athlete: Athlete, open_members: list[Member], group: NameGroup) -> str:
    others = names_of(m.record for m in open_members)
    if group.contradicted:
        return (
            f"{athlete.person.name_ja} ({athlete.person.slug}) and {others}: two of them are judged different and a"
            " third is close to both; judge the third against either."
        )
    if any(m.weighing.verdict == "conflicting" for m in open_members):
        return f"The evidence on {athlete.person.name_ja} and {others} contradicts itself."
    return f"Nothing decides whether {athlete.person.name_ja} and {others} are one person."
