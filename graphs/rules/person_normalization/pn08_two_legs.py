"""PN08: one person who ran twice in one ekiden."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Organization, Race, RaceResult
from graphs.rules.affiliation import belongs_to_same, is_temporary
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.editions import are_two_years
from graphs.rules.person_normalization.group import is_nameless
from graphs.rules.racing import EKIDEN_TYPES
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext

_SIDE_EVENT = ("女子", "women", "オープン", "open", "(op)", "-op")
"""What names of legs outside the ranking of the edition contain: another runner list of the same day."""


@dataclass(frozen=True, slots=True)
class LegEvidence(Evidence):
    """A finish row of the edition."""

    race_slug: str
    leg: int | None
    organization: str | None
    mark: str | None
    source_id: str | None


@dataclass(frozen=True, slots=True)
class TwoLegsEvidence(Evidence):
    """All finish rows of one edition, with the legs and teams that they name."""

    edition: str
    legs: tuple[int, ...]
    organizations: tuple[str, ...]
    results: tuple[LegEvidence, ...]
    result_count: int


class TwoLegsSameEdition(Rule):
    """One person ran twice in one ekiden.

    Detects: in one edition of an ekiden the record has finishes on two legs, or for two teams.

    Why it matters: nobody runs two legs or for two teams in one ekiden, so the record holds two people; every merge,
    import and relation built on it spreads the mix.

    Example: 例見 健 finished leg 5 for 例示電気 and leg 7 for 架空急便 in the same ekiden.

    Traps: only finishes count, so a reserve listed twice as an entry does not; legs of a women's or open race held
    with the edition are left out; one team and one mark on two legs is a wrong leg number, and one team with a grade
    more on the second leg an edition that holds the races of two years, not two people; rows left over from an
    earlier import of the race are PN09; a selection team and the home team on one row are one start.

    What to do: find in the sources who ran which leg and split the record. The script
    split-mixed-people-wave-2026-07 is a precedent for fixed people; its shape is not known.
    """

    code = "PN08"
    name = "two_legs_same_edition"
    category = Category.PERSON_NORMALIZATION
    needs = ("several_results",)
    severities = (Severity.CRITICAL,)
    evidence_type = TwoLegsEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="split_person",
        reason=(
            "The record holds races of two people; find who ran which and split it. split-mixed-people-wave-2026-07"
            " did so for fixed people and is no command for others."
        ),
        risk=RiskLevel.HIGH,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per edition, by slug."""
        if len(athlete.snapshot.results) < 2:
            return
        editions: dict[str, list[RaceResult]] = {}
        rows = 0
        for result in athlete.results:
            race = result.race
            if race.competition_type in EKIDEN_TYPES and not result.is_leftover:
                editions.setdefault(race.edition_slug, []).append(result)
                rows += 1
        if len(editions) == rows or is_nameless(athlete):
            return
        for edition in sorted(slug for slug, results in editions.items() if len(results) > 1):
            ranked = [r for r in editions[edition] if not _is_side_event(r.race)]
            finishes = [r for r in ranked if athlete.parsed_results[r.id].kind == "time"]
            legs = sorted({r.race.leg for r in finishes if r.race.leg is not None})
            teams = _teams(finishes)
            if len(teams) < 2 and (len(legs) < 2 or _is_one_start(finishes) or are_two_years(finishes)):
                continue
            names = tuple(team.name_ja for team in teams)
            yield Finding(
                key=(finishes[0].race.edition_id,),
                severity=Severity.CRITICAL,
                detail=(
                    f"{edition}: finished leg {', '.join(map(str, legs)) or '?'} for {', '.join(names) or 'no team'}."
                ),
                evidence=TwoLegsEvidence(
                    edition=edition,
                    legs=tuple(legs)[:EVIDENCE_ROWS],
                    organizations=names[:EVIDENCE_ROWS],
                    results=tuple(
                        LegEvidence(
                            race_slug=r.race.slug,
                            leg=r.race.leg,
                            organization=r.organization.name_ja if r.organization is not None else None,
                            mark=r.mark,
                            source_id=r.source_id,
                        )
                        for r in finishes[:EVIDENCE_ROWS]
                    ),
                    result_count=len(finishes),
                ),
            )


def _is_one_start(finishes: Sequence[RaceResult]) -> bool:
    return len({r.mark_millis or r.mark for r in finishes}) == 1


def _is_side_event(race: Race) -> bool:
    text = f"{race.name} {race.slug} {race.round or ''}".casefold()
    return any(word in text for word in _SIDE_EVENT)


def _teams(finishes: Sequence[RaceResult]) -> Sequence[Organization]:
    """The teams that cannot be one, by slug."""
    teams: list[Organization] = []
    for result in sorted(finishes, key=lambda r: (r.organization is not None and is_temporary(r.organization), r.id)):
        team = result.organization
        if team is None or any(belongs_to_same(team, known) for known in teams):
            continue
        if is_temporary(team) and _is_home_team_row(result, finishes):
            continue
        teams.append(team)
    return sorted(teams, key=lambda team: (team.slug, team.id))


def _is_home_team_row(result: RaceResult, finishes: Sequence[RaceResult]) -> bool:
    """Whether the same start stands there under a team that is not put together for the day."""
    return any(
        other.race.id == result.race.id
        and other.mark_millis == result.mark_millis
        and other.organization is not None
        and not is_temporary(other.organization)
        for other in finishes
    )
