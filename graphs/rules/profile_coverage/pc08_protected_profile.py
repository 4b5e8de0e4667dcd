"""PC08: a protected profile that later results contradict."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import PersonalBest, RaceResult
from graphs.rules.affiliation import is_temporary, same_organization
from graphs.rules.athlete import Athlete
from graphs.rules.periods import SCHOOL_STAGES
from graphs.rules.personal_best_consistency.bests import by_discipline, fastest, margin_millis
from graphs.rules.personal_best_consistency.comparable import comparable_finishes
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext

TEAM_TYPES = frozenset({*SCHOOL_STAGES, "corporate_team"})


@dataclass(frozen=True, slots=True)
class StaleRow(Evidence):
    """A personal best that a later result beats, or a team of a later result that no membership knows."""

    kind: str
    row_id: str | None
    stored: str
    result_id: str
    seen: str


@dataclass(frozen=True, slots=True)
class ProtectedProfileEvidence(Evidence):
    """The protected slug and what has aged, at most twenty rows and their number."""

    slug: str
    stale_rows: tuple[StaleRow, ...]
    stale_count: int


class ProtectedProfileChanged(Rule):
    """A protected profile has aged.

    Detects: the slug is on the configured list of protected slugs, and a personal best or the memberships are older
    than a result that contradicts them: a faster comparable finish, or a finish for a school or corporate team that
    no membership knows.

    Why it matters: the importer writes neither bests nor memberships of protected slugs, so they age in silence.

    Example: a 5000 m best of 13:54.36 from an entry list beside a later result of 13:38.67.

    Traps: off unless enabled, since the list of slugs is the maintainer's. Teams for a day are no affiliation. A row
    that was changed after the result came in is newer than the result, whatever it says.

    What to do: bring the profile up to date by hand.
    """

    code = "PC08"
    name = "protected_profile_changed"
    category = Category.PROFILE_COVERAGE
    needs = ("results",)
    severities = (Severity.WARNING,)
    evidence_type = ProtectedProfileEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="refresh_protected_profile",
        reason="The importer does not write to this protected profile, and later results contradict it.",
        risk=RiskLevel.LOW,
    )
    enabled_by_default = False

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding with all that has aged."""
        slug = athlete.person.slug
        if slug not in context.configuration.protected_slugs:
            return
        stale = [*_stale_bests(athlete, context), *_stale_memberships(athlete)]
        if stale:
            yield Finding(
                key=(),
                severity=Severity.WARNING,
                detail=f"{len(stale)} rows are older than results: {stale[0].stored}, but {stale[0].seen}.",
                evidence=ProtectedProfileEvidence(
                    slug=slug, stale_rows=tuple(stale[:EVIDENCE_ROWS]), stale_count=len(stale)
                ),
            )


def _stale_bests(athlete: Athlete, context: RuleContext) -> Iterator[StaleRow]:
    """The fastest row of each discipline that a later comparable finish beats."""
    if len(athlete.personal_bests) == 0:
        return
    thresholds = context.configuration.personal_best_consistency
    rows = by_discipline(athlete)
    for discipline, finishes in comparable_finishes(athlete, thresholds).items():
        best = fastest(athlete, rows.get(discipline, ()))
        if best is None:
            continue
        stored = athlete.parsed_bests[best.id]
        for result in finishes:
            mark = athlete.parsed_results[result.id]
            margin = margin_millis(discipline, stored, mark, thresholds.rounding_tolerance_millis)
            if (stored.millis or 0) - (mark.millis or 0) > margin and _is_older(athlete, best, result):
                yield StaleRow(
                    kind="personal_best",
                    row_id=best.id,
                    stored=f"{discipline} {best.mark}",
                    result_id=result.id,
                    seen=f"{result.mark} in {result.race.edition_name}",
                )
                break


def _is_older(athlete: Athlete, best: PersonalBest, result: RaceResult) -> bool:
    day = athlete.race_dates[result.id]
    if best.achieved_on is not None and day.precision == "day":
        return best.achieved_on < day.value
    return best.updated_at < result.created_at


def _stale_memberships(athlete: Athlete) -> Iterator[StaleRow]:
    """Teams of results that came in after the last change of any membership and that no membership knows."""
    stays = athlete.athlete_memberships
    newest = max((stay.updated_at for stay in stays), default=None)
    known = ", ".join(sorted({stay.organization.name_ja for stay in stays})) or "no memberships"
    seen: set[str] = set()
    for result in athlete.finishes:
        team = result.organization
        if team is None or team.type not in TEAM_TYPES or team.id in seen or is_temporary(team):
            continue
        if newest is not None and newest >= result.created_at:
            continue
        seen.add(team.id)
        if not any(same_organization(stay.organization, team) for stay in stays):
            yield StaleRow(
                kind="membership",
                row_id=None,
                stored=known,
                result_id=result.id,
                seen=f"a result for {team.name_ja} in {result.race.edition_name}",
            )
