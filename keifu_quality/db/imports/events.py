"""An import event, and whom it concerns.

Belongs here: the values that are read, kept and handed over. Stays out: SQL. Times are aware and in UTC.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from keifu_quality.db.agent import ImportKind, ImportRole


class Reason(StrEnum):
    """Why an athlete counts as touched by an import."""

    RESULT = "result"
    AUDIT = "audit"
    SOURCE_REFERENCE = "source_reference"
    PAYLOAD = "payload"
    LEFTOVER = "leftover"
    MERGE = "merge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """One run of an import batch, named by its event key: `<batch id>@<completedAt>`, UTC with milliseconds.

    A batch that is run again keeps its id and gets a new key. A stuck run has not completed; its key has the time at
    which it started, and `#stuck` after it.
    """

    key: str
    batch_id: str
    batch_key: str
    kind: ImportKind
    completed_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AffectedPerson:
    """An athlete that an import touched, or an opponent, whose relations alone may have changed."""

    person_id: str
    slug: str
    role: ImportRole
    reasons: frozenset[Reason] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportEvent:
    """What one run of a batch did.

    `unresolved` are slugs of its payload that are nobody's, not even by a merge; `notice` is what an operator should
    know, such as why the import failed.
    """

    batch: Batch
    people: tuple[AffectedPerson, ...] = ()
    unresolved: tuple[str, ...] = ()
    notice: str | None = None

    def touched(self) -> frozenset[str]:
        """The ids of those to be diagnosed."""
        return self._ids(ImportRole.TOUCHED)

    def opponents(self) -> frozenset[str]:
        """The ids of those whose relations are to be checked, and nothing else."""
        return self._ids(ImportRole.OPPONENT)

    def _ids(self, role: ImportRole) -> frozenset[str]:
        return frozenset(person.person_id for person in self.people if person.role is role)


def collapse(people: Iterable[AffectedPerson]) -> tuple[AffectedPerson, ...]:
    """Each athlete once, with every reason, by id; who was touched anywhere is no mere opponent."""
    found: dict[str, AffectedPerson] = {}
    for person in people:
        found[person.person_id] = _joined(found.get(person.person_id, person), person)
    return tuple(found[person_id] for person_id in sorted(found))


def _joined(one: AffectedPerson, other: AffectedPerson) -> AffectedPerson:
    touched = ImportRole.TOUCHED in (one.role, other.role)
    return replace(
        other, role=ImportRole.TOUCHED if touched else ImportRole.OPPONENT, reasons=one.reasons | other.reasons
    )
