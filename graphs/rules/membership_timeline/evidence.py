"""The rows that the findings of this family show, in one form.

Belongs here: how a membership and a result look in evidence, and in the words of a detail. Stays out: decisions.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from graphs.facts import Membership, RaceResult
from graphs.rules.periods import end_of, start_of
from graphs.rules.racing import date_of
from graphs.rules.rule import EVIDENCE_ROWS, Evidence


@dataclass(frozen=True, slots=True)
class MembershipRow(Evidence):
    """A membership as the timeline reads it: dates are days, or 1 April and 31 March of the years."""

    id: str
    organization: str
    organization_id: str
    organization_type: str
    type: str
    start: date | None
    end: date | None
    status: str
    source_id: str | None


@dataclass(frozen=True, slots=True)
class ResultRow(Evidence):
    """A result as the timeline reads it. Result ids change with every import, so the race names it."""

    race: str
    on: date
    precision: str
    organization: str | None
    grade: int | None
    source_id: str | None


@dataclass(frozen=True, slots=True)
class PairEvidence(Evidence):
    """Two memberships that contradict each other, and the days that they share where that is known."""

    memberships: tuple[MembershipRow, ...]
    overlap_days: int | None


def membership_row(membership: Membership) -> MembershipRow:
    """A membership for evidence."""
    return MembershipRow(
        id=membership.id,
        organization=membership.organization.name_ja,
        organization_id=membership.organization.id,
        organization_type=membership.organization.type,
        type=membership.type,
        start=start_of(membership),
        end=end_of(membership),
        status=membership.status,
        source_id=membership.source.id if membership.source else None,
    )


def membership_rows(memberships: Iterable[Membership]) -> tuple[MembershipRow, ...]:
    """Memberships for evidence, in their order, cut to what evidence keeps."""
    return tuple(membership_row(m) for m in memberships)[:EVIDENCE_ROWS]


def result_row(result: RaceResult) -> ResultRow:
    """A result for evidence."""
    day = date_of(result)
    return ResultRow(
        race=result.race.slug,
        on=day.value,
        precision=day.precision,
        organization=result.organization.name_ja if result.organization else None,
        grade=result.grade_at_race,
        source_id=result.source_id,
    )


def result_rows(results: Sequence[RaceResult]) -> tuple[ResultRow, ...]:
    """Results for evidence, in their order, cut to what evidence keeps."""
    return tuple(result_row(r) for r in results[:EVIDENCE_ROWS])


def described(membership: Membership) -> str:
    """A membership in the words of a detail: name and dates."""
    start, end = start_of(membership), end_of(membership)
    return f"{membership.organization.name_ja} ({start or 'unknown'} to {end or 'open'})"


def count(number: int, thing: str) -> str:
    """A number of things in the words of a detail."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def pair_key(first: Membership, second: Membership) -> tuple[str, ...]:
    """The natural key of two rows, whatever their order."""
    return tuple(sorted((first.id, second.id)))


def all_conflicting(memberships: Iterable[Membership]) -> bool:
    """Whether a maintainer has already marked every row as conflicting: the finding stays, the action goes."""
    return all(m.status == "conflicting" for m in memberships)
