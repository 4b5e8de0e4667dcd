"""PN09: one start in two rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import Person, RaceResult
from graphs.rules.affiliation import same_organization
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.editions import are_two_years
from graphs.rules.person_normalization.group import candidate_records, own_record
from graphs.rules.person_normalization.record import Record
from graphs.rules.person_normalization.weighing import judgement_on
from graphs.rules.racing import EKIDEN_TYPES
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext


@dataclass(frozen=True, slots=True)
class RowEvidence(Evidence):
    """A row of a result list; `is_leftover` says that the last import of the race did not write it."""

    result_id: str
    person_slug: str
    race_slug: str
    organization: str | None
    mark: str | None
    source_id: str | None
    created_at: datetime
    is_leftover: bool


@dataclass(frozen=True, slots=True)
class DuplicateRowsEvidence(Evidence):
    """The rows that stand for one start; `form` is same_person, same_name or leftover_leg."""

    form: str
    race_slug: str
    rows: tuple[RowEvidence, ...]
    row_count: int


class DuplicateResultRows(Rule):
    """One start stands in several result rows.

    Detects: the athlete has two rows in one race; or another person of the same written name (another glyph form of it
    included) has a row in the same race for the same organization, or one of the two rows is left over from an earlier
    import of the race; or a row of the athlete is left over on one leg of an ekiden beside a current row on another.

    Why it matters: a start counts twice in results, relations and statistics. The table has no unique key, and a
    re-import under a corrected slug leaves the row of the old person behind.

    Example: leg 3 was imported for taro-reimi and again for reimi-taro after the slug was corrected.

    Traps: namesakes of different teams in one race are real. A judgement that the two are different people ends the
    matter, the same mark or not. Placeholder names are never compared. Two rows of one person with a grade more on the
    second are starts of two years in an edition that holds both: removing one would lose a real start.

    What to do: compare the rows with the source and remove the one that it does not have, with an audit record.
    """

    code = "PN09"
    name = "duplicate_result_rows"
    category = Category.PERSON_NORMALIZATION
    needs = ("results",)
    severities = (Severity.ERROR,)
    evidence_type = DuplicateRowsEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="remove_leftover_result",
        reason="One start stands in several rows; keep the one that the source has.",
        risk=RiskLevel.HIGH,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding per race and form, by race."""
        if len(athlete.snapshot.results) < 2 and not len(athlete.snapshot.candidates):
            return
        own = own_record(athlete)
        if len(own.results_by_race) < len(own.results):
            for race_id, rows in own.results_by_race.items():
                if len(rows) > 1 and not are_two_years(rows):
                    yield _finding("same_person", race_id, [(athlete.person, row) for row in rows])
        if any(row.is_leftover for row in own.results):
            yield from _leftover_legs(athlete, own)
        namesakes = [r for r in candidate_records(athlete) if r.keys.variant == athlete.keys.variant]
        rivals = [r for r in namesakes if not _judged_different(athlete, r)]
        if not rivals:
            return
        for race_id, rows in own.results_by_race.items():
            doubles = [
                (rival.person, theirs)
                for rival in rivals
                for theirs in rival.results_by_race.get(race_id, ())
                if any(_is_one_start(ours, theirs) for ours in rows)
            ]
            if doubles:
                yield _finding("same_name", race_id, [*((athlete.person, row) for row in rows), *doubles])


def _judged_different(athlete: Athlete, other: Record) -> bool:
    judgement = judgement_on(athlete.person.id, other.person.id, athlete.judgements)
    return judgement is not None and judgement.verdict == "different"


def _is_one_start(ours: RaceResult, theirs: RaceResult) -> bool:
    if ours.is_leftover != theirs.is_leftover:
        return True
    if ours.organization is None or theirs.organization is None:
        return False
    return same_organization(ours.organization, theirs.organization)


def _leftover_legs(athlete: Athlete, own: Record) -> Iterator[Finding]:
    for race_id, rows in own.results_by_race.items():
        left_over = [row for row in rows if row.is_leftover and row.race.competition_type in EKIDEN_TYPES]
        current = [
            other
            for other in own.results
            if left_over
            and other.race.edition_id == left_over[0].race.edition_id
            and other.race.id != race_id
            and not other.is_leftover
        ]
        if current:
            yield _finding("leftover_leg", race_id, [(athlete.person, row) for row in (*left_over, *current)])


def _finding(form: str, race_id: str, rows: Sequence[tuple[Person, RaceResult]]) -> Finding:
    people = sorted({person.slug for person, _ in rows})
    slug = rows[0][1].race.slug
    return Finding(
        key=(form, race_id),
        severity=Severity.ERROR,
        detail=f"{slug}: {len(rows)} rows for {', '.join(people)}.",
        evidence=DuplicateRowsEvidence(
            form=form,
            race_slug=slug,
            rows=tuple(
                RowEvidence(
                    result_id=row.id,
                    person_slug=person.slug,
                    race_slug=row.race.slug,
                    organization=row.organization.name_ja if row.organization is not None else None,
                    mark=row.mark,
                    source_id=row.source_id,
                    created_at=row.created_at,
                    is_leftover=row.is_leftover,
                )
                for person, row in rows[:EVIDENCE_ROWS]
            ),
            row_count=len(rows),
        ),
    )
