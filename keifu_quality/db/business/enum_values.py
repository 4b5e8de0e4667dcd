"""Rows with an enum value that this version does not know.

Belongs here: which columns of which statements hold enums, and the setting apart of such rows. The archive may gain a
value at any time; a rule that met it could only guess, so the owner's rows of that kind count as unreadable. Without an
athlete's profile nothing at all is known, so there the value alone counts as unreadable.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from graphs.facts import Unavailable, UnknownValue
from keifu_quality.db.business.access import Rows
from keifu_quality.db.business_tables import ENUMS

UNKNOWN_VALUE = "unknown_enum_value"

PERSON_ENUMS = {13: "PersonType", 14: "DataStatus"}
MEMBERSHIP_ENUMS = {2: "MembershipType", 3: "MembershipRole", 9: "DataStatus", 18: "OrganizationType"}
PERSONAL_BEST_ENUMS = {2: "EventDiscipline", 13: "DataStatus"}
RESULT_ENUMS = {8: "DataStatus", 16: "EventDiscipline", 31: "CompetitionType", 36: "OrganizationType"}
NAME_VARIANT_ENUMS = {4: "NameVariantType"}
"""Positions of enums in the statements of `keifu_quality.db.business.statements`."""


def set_apart(
    table: str, enums: Mapping[int, str], found: Rows, *, owner: int = 0
) -> tuple[Rows, Mapping[str, Unavailable[Any]]]:
    """The rows of owners whose values are all known, and why the other owners' rows are not to be read.

    `owner` is the position of the owner's id; rows without one are kept.
    """
    unknown = {
        position: strange
        for position, enum in enums.items()
        if (strange := {row[position] for row in found} - ENUMS[enum] - {None})
    }
    if not unknown:
        return found, {}
    apart: dict[str, Unavailable[Any]] = {}
    for row in found:
        for position, strange in unknown.items():
            if row[position] in strange and row[owner] is not None:
                message = _message(table, row[2 if table == "NameVariant" else 1], enums[position], row[position])
                apart.setdefault(row[owner], Unavailable(table=table, code=UNKNOWN_VALUE, message=message))
    return [row for row in found if row[owner] not in apart], apart


def known_values(table: str, enums: Mapping[int, str], row: tuple[Any, ...]) -> Sequence[Any]:
    """The values of the enums of a row that begins with its id, unknown ones as `graphs.facts.UnknownValue`."""
    return [
        row[position]
        if row[position] in ENUMS[enum]
        else UnknownValue(table, UNKNOWN_VALUE, _message(table, row[0], enum, row[position]))
        for position, enum in enums.items()
    ]


def _message(table: str, row_id: str, enum: str, value: str) -> str:
    return (
        f"The {table} row {row_id} has the {enum} {value}, which this version does not know. Use a version that does."
    )
