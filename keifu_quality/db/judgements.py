"""What maintainers said of pairs of athletes: the table, its writes, and the read that rules depend on.

Belongs here: every statement on identity_judgements. A pair is two person ids in ascending order (by code point). At
most one judgement on a pair is in force; others stay as history with the time at which they ended. Times are in UTC.
Stays out: what a judgement means for a finding (`graphs.rules.person_normalization`).
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Connection,
    DateTime,
    Engine,
    Identity,
    Index,
    Table,
    Text,
    func,
    insert,
    select,
    text,
    update,
)

from graphs.facts import Judgement
from keifu_quality.db.agent import metadata
from keifu_quality.db.business.access import run_single, text_array
from keifu_quality.errors import KeifuError

Verdict = Literal["same", "different", "unsure"]

identity_judgements = Table(
    "identity_judgements",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("first_person_id", Text, nullable=False),
    Column("second_person_id", Text, nullable=False),
    Column("first_slug", Text, nullable=False),
    Column("second_slug", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("note", Text),
    Column("decided_by", Text, nullable=False),
    Column("decided_at", DateTime(timezone=True), nullable=False, server_default=func.clock_timestamp()),
    Column("withdrawn_by", Text),
    Column("withdrawn_at", DateTime(timezone=True)),
    # Ids are sorted here by code point, which the collation of a server need not do.
    CheckConstraint('first_person_id COLLATE "C" < second_person_id', name="ascending"),
    CheckConstraint("verdict IN ('same', 'different', 'unsure')", name="verdict"),
    CheckConstraint("(withdrawn_at IS NULL) = (withdrawn_by IS NULL)", name="withdrawal"),
    Index(
        "uq_identity_judgements_in_force",
        "first_person_id",
        "second_person_id",
        unique=True,
        postgresql_where=text("withdrawn_at IS NULL"),
    ),
)

_AMONG = """
SELECT first_person_id, second_person_id, verdict, note, decided_by, decided_at
FROM identity_judgements
WHERE withdrawn_at IS NULL AND first_person_id = ANY(%(ids)s::text[]) AND second_person_id = ANY(%(ids)s::text[])
ORDER BY decided_at, id
"""

_LOCK = text("LOCK TABLE identity_judgements IN SHARE ROW EXCLUSIVE MODE")


class NothingToWithdraw(KeifuError):
    """No judgement on the pair is in force."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One of the two athletes of a judgement, with the slug at that time."""

    person_id: str
    slug: str


@dataclass(frozen=True, slots=True)
class RecordedJudgement:
    """A row of the table; in force while `withdrawn_at` is None."""

    first_person_id: str
    second_person_id: str
    first_slug: str
    second_slug: str
    verdict: Verdict
    note: str | None
    decided_by: str
    decided_at: datetime
    withdrawn_by: str | None
    withdrawn_at: datetime | None

    def as_json(self) -> dict[str, Any]:
        """The judgement with camelCase names, times in ISO form."""
        return {
            "".join([head, *(part.capitalize() for part in tail)]): value.isoformat()
            if isinstance(value, datetime)
            else value
            for name, value in asdict(self).items()
            for head, *tail in [name.split("_")]
        }


class JudgementStore:
    """Reads and writes judgements through one engine of the agent database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def judgements_among(self, groups: Mapping[str, Collection[str]]) -> Mapping[str, Sequence[Judgement]]:
        """For each key, the judgements in force on two people of its group, oldest first, read in one statement."""
        ids = {person_id for group in groups.values() for person_id in group}
        if not ids:
            return dict.fromkeys(groups, ())
        keys_of: defaultdict[str, set[str]] = defaultdict(set)
        found = run_single(self._engine, _AMONG, {"ids": text_array(ids)})
        if found:
            for key, group in groups.items():
                for person_id in group:
                    keys_of[person_id].add(key)
        among: dict[str, list[Judgement]] = {key: [] for key in groups}
        for first, second, verdict, note, decided_by, decided_at in found:
            judgement = Judgement((first, second), verdict, note, decided_by, decided_at)
            for key in keys_of[first] & keys_of[second]:
                among[key].append(judgement)
        return among

    def judge(self, one: Judged, other: Judged, verdict: Verdict, *, note: str | None, by: str) -> RecordedJudgement:
        """Records a judgement, which ends the one in force. The same verdict with the same note is left as it is.

        Raises ValueError when both are the same athlete.
        """
        first, second = _ascending(one, other)
        with self._engine.begin() as connection:
            connection.execute(_LOCK)
            in_force = _in_force(connection, first, second)
            if in_force is not None:
                if (in_force.verdict, in_force.note) == (verdict, note):
                    return in_force
                _end(connection, first, second, by)
            connection.execute(
                insert(identity_judgements).values(
                    first_person_id=first.person_id,
                    second_person_id=second.person_id,
                    first_slug=first.slug,
                    second_slug=second.slug,
                    verdict=verdict,
                    note=note,
                    decided_by=by,
                )
            )
            recorded = _in_force(connection, first, second)
            assert recorded is not None, "it was inserted in this transaction"  # noqa: S101
            return recorded

    def withdraw(self, one: Judged, other: Judged, *, by: str) -> RecordedJudgement:
        """Ends the judgement in force and returns it. Raises NothingToWithdraw."""
        first, second = _ascending(one, other)
        with self._engine.begin() as connection:
            connection.execute(_LOCK)
            if _in_force(connection, first, second) is None:
                raise NothingToWithdraw(f"No judgement on {one.slug} and {other.slug} is in force.")
            _end(connection, first, second, by)
            return _all(connection, first, second)[-1]

    def history(self, one: Judged, other: Judged) -> Sequence[RecordedJudgement]:
        """Every judgement ever recorded on the pair, oldest first."""
        first, second = _ascending(one, other)
        with self._engine.connect() as connection:
            return _all(connection, first, second)


def _ascending(one: Judged, other: Judged) -> tuple[Judged, Judged]:
    if one.person_id == other.person_id:
        raise ValueError("a judgement is about two athletes")
    return (one, other) if one.person_id < other.person_id else (other, one)


def _all(connection: Connection, first: Judged, second: Judged) -> list[RecordedJudgement]:
    table = identity_judgements
    query = (
        select(*(table.c[name] for name in RecordedJudgement.__dataclass_fields__))
        .where(table.c.first_person_id == first.person_id, table.c.second_person_id == second.person_id)
        .order_by(table.c.id)
    )
    return [RecordedJudgement(*row) for row in connection.execute(query)]


def _in_force(connection: Connection, first: Judged, second: Judged) -> RecordedJudgement | None:
    return next((row for row in _all(connection, first, second) if row.withdrawn_at is None), None)


def _end(connection: Connection, first: Judged, second: Judged, by: str) -> None:
    table = identity_judgements
    connection.execute(
        update(table)
        .where(
            table.c.first_person_id == first.person_id,
            table.c.second_person_id == second.person_id,
            table.c.withdrawn_at.is_(None),
        )
        .values(withdrawn_at=func.clock_timestamp(), withdrawn_by=by)
    )
