"""PB03: a personal best that is marked conflicting."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.facts import PersonalBest
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import BestRow, best_row
from graphs.rules.personal_best_consistency.conflict_notes import (
    ConflictNote,
    EditionMention,
    ParsedNotes,
    edition_of,
    parse_notes,
)
from graphs.rules.racing import parsed_mark
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.marks import ParsedMark

SubReason = Literal["older_list", "slower_rival", "faster_rival", "rival_unknown", "no_note"]

_NOTE_LENGTH = 200

_EXPLANATIONS: dict[SubReason, str] = {
    "older_list": "every rival is slower and comes from an older list",
    "slower_rival": "a source that the importer prefers has a slower mark",
    "faster_rival": "a source that the importer trusts less, or an older one, has a faster mark",
    "rival_unknown": "the notes name a rival but not which of the two is faster",
    "no_note": "the notes do not say why",
}


@dataclass(frozen=True, slots=True)
class RivalRow(Evidence):
    """A mark that the importer turned away; instants in UTC, texts cut at 200 characters."""

    note: str
    rival_mark: Literal["slower", "faster", "unknown"]
    from_older_list: bool | None
    incoming_reliability: int | None
    existing_reliability: int | None
    incoming_recency: datetime | None
    existing_recency: datetime | None


@dataclass(frozen=True, slots=True)
class ConflictingBestEvidence(Evidence):
    """The row, why it is marked as far as its notes tell, and its rivals."""

    best: BestRow
    sub_reason: SubReason
    rivals: tuple[RivalRow, ...]
    rival_count: int


class ConflictingPersonalBest(Rule):
    """A personal best is marked conflicting.

    Detects: a row with the status conflicting. The notes that the importer leaves tell why: the rival was slower but
    comes from a source that is preferred, or it was faster but comes from one that is trusted less.

    Why it matters: a conflicting best is not shown as settled until somebody has decided.

    Example: a best from the 102nd edition's list, marked conflicting when the lists of the 98th edition were filled in
    later and held a slower mark of three years before.

    Traps: that example is explained and only informs. A best only improves, so an older list with a slower mark
    contradicts nothing; the importer errs because a source without its own dates counts as new as its row. Every
    rival of the row must be of this kind. Lists are compared by the edition number of one competition, else by the
    year that they name, else by the importer's dates. Where the notes name no rival, the other rows of the discipline
    may explain the mark in the same way, but they never raise anything of their own (see PB02).

    What to do: set an explained row back to pending. Where a rival is faster, look both sources up. The row is marked
    already, so marking it again is never suggested; only a faster rival asks for a step.
    """

    code = "PB03"
    name = "conflicting_personal_best"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.WARNING, Severity.INFO)
    evidence_type = ConflictingBestEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="review_conflict",
        reason="A faster mark was turned away by the importer; look up both sources and settle the conflict.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every conflicting row."""
        if not len(athlete.snapshot.personal_bests):
            return
        for best in athlete.personal_bests:
            if best.status == "conflicting":
                yield _finding(athlete, best)


def _finding(athlete: Athlete, best: PersonalBest) -> Finding:
    notes = parse_notes(best.notes)
    rivals = tuple(_rival(athlete, note, notes, best) for note in notes.conflicts)
    reason = _reason(rivals)
    if reason == "no_note" and _explained_by_rows(athlete, best):
        reason = "older_list"
    return Finding(
        key=(best.id,),
        severity=Severity.INFO if reason == "older_list" else Severity.WARNING,
        detail=f"{best.discipline} {best.mark} is marked conflicting: {_EXPLANATIONS[reason]}.",
        evidence=ConflictingBestEvidence(
            best=best_row(best), sub_reason=reason, rivals=rivals[:EVIDENCE_ROWS], rival_count=len(rivals)
        ),
        actionable=reason == "faster_rival",
    )


def _rival(athlete: Athlete, note: ConflictNote, notes: ParsedNotes, best: PersonalBest) -> RivalRow:
    older = edition_of(note.text).is_older_than(_edition(best, notes))
    if older is None and note.incoming_recency is not None and note.existing_recency is not None:
        older = note.incoming_recency < note.existing_recency
    return RivalRow(
        note=note.text[:_NOTE_LENGTH],
        rival_mark=_direction(athlete, best, parsed_mark(note.mark, best.discipline)) or note.rival_mark,
        from_older_list=older,
        incoming_reliability=note.incoming_reliability,
        existing_reliability=note.existing_reliability,
        incoming_recency=note.incoming_recency,
        existing_recency=note.existing_recency,
    )


def _edition(best: PersonalBest, notes: ParsedNotes) -> EditionMention:
    return edition_of(notes.own, best.source.name if best.source else None, best.source.id if best.source else None)


def _direction(athlete: Athlete, best: PersonalBest, rival: ParsedMark) -> Literal["slower", "faster"] | None:
    """Whether a rival whose mark is known is slower or faster; None where one of the two is no time or they agree."""
    own = athlete.parsed_bests[best.id]
    if rival.millis is None or own.millis is None or rival.millis == own.millis:
        return None
    return "slower" if rival.millis > own.millis else "faster"


def _explained_by_rows(athlete: Athlete, best: PersonalBest) -> bool:
    """Whether the discipline has other rows, all of them slower and from older lists."""
    others = [row for row in athlete.personal_bests if row.discipline == best.discipline and row.id != best.id]
    own = _edition(best, parse_notes(best.notes))
    return bool(others) and all(
        _direction(athlete, best, athlete.parsed_bests[row.id]) == "slower"
        and _edition(row, parse_notes(row.notes)).is_older_than(own)
        for row in others
    )


def _reason(rivals: tuple[RivalRow, ...]) -> SubReason:
    if not rivals:
        return "no_note"
    if any(rival.rival_mark == "faster" for rival in rivals):
        return "faster_rival"
    if any(rival.rival_mark == "unknown" for rival in rivals):
        return "rival_unknown"
    if all(rival.from_older_list for rival in rivals):
        return "older_list"
    return "slower_rival"
