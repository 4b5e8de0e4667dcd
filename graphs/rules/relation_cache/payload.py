"""Reads the JSON of a relation cache and says what is wrong with it.

Belongs here: the shape of the payload's third generation and the recognition of the two before it. Stays out: what
only the clock or the database can tell (`graphs.rules.relation_cache.status`). Nothing here raises, whatever the JSON.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

from graphs.rules.relation_cache.instants import milliseconds, parse_instant
from graphs.rules.relation_cache.scoring import (
    HEAD_TO_HEAD_MATCHUPS,
    MINIMUM_RAW_SCORE,
    STAGES,
    display_score,
)

DISPLAY_TOLERANCE = 0.2
"""Points: both scores are rounded to one decimal, the raw one before it is tripled."""

LARGEST_NUMBER = 1e15
"""Beyond this no count and no score is meant, and arithmetic on it would overflow."""

SHOWN_CHARACTERS = 40

SECOND_GENERATION_CONTEXT = ("sharedTeamStages", "sharedHometown", "sharedHighSchool", "sharedUniversity")


class PayloadReason(StrEnum):
    """Why a cache cannot be used; in the order in which one reason is named when there are several."""

    MALFORMED = "malformed"
    PERSON_MISMATCH = "person_mismatch"
    SELF_OR_DUPLICATE = "self_or_duplicate"
    ORDER = "order"
    CLOCK = "clock"
    DANGLING = "dangling"
    OUTDATED_SCHEMA = "outdated_schema"


@dataclass(frozen=True, slots=True)
class Defect:
    """One fault of a payload: `path` leads to it (`topRelations[3].rawScore`), `message` says what was expected."""

    reason: PayloadReason
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class RelationEntry:
    """What an entry says of an opponent, as far as it can be read.

    `matchup_count` is null where it is no whole number. `latest_match_at` is in UTC and null where no shared race is
    dated; it only counts where `latest_is_readable`.
    """

    related_person_id: str
    matchup_count: int | None
    latest_match_at: datetime | None
    latest_is_readable: bool


@dataclass(frozen=True, slots=True)
class PayloadReading:
    """A payload as read: its defects in the order of the JSON, and the entries that name somebody else.

    `names_everybody` is False where entries may be missing from `entries`, because something could not be read.
    """

    defects: Sequence[Defect]
    entries: Sequence[RelationEntry]
    names_everybody: bool

    @property
    def reasons(self) -> frozenset[PayloadReason]:
        """The kinds of defects."""
        return frozenset(defect.reason for defect in self.defects)


def related_person_ids(payload: Any) -> frozenset[str]:
    """Ids of the people that a payload of any generation names, as far as they can be read."""
    relations = _mapping(payload).get("topRelations")
    if not isinstance(relations, list):
        return frozenset()
    ids = (_mapping(entry).get("relatedPersonId") for entry in cast("list[Any]", relations))
    return frozenset(found for found in ids if isinstance(found, str))


def read_payload(payload: Any, person_id: str, generated_at: datetime) -> PayloadReading:
    """Checks a payload against its row: the athlete's id and the time of generation in UTC."""
    if not isinstance(payload, dict):
        return _unreadable(Defect(PayloadReason.MALFORMED, "$", f"an object was expected, not {_shown(payload)}"))
    fields = cast("dict[str, Any]", payload)
    relations = fields.get("topRelations")
    if not isinstance(relations, list):
        message = f"an array was expected, not {_shown(relations)}"
        return _unreadable(Defect(PayloadReason.MALFORMED, "topRelations", message))
    raw_entries = cast("list[Any]", relations)
    outdated = _outdated(raw_entries)
    if outdated is not None:
        return _unreadable(outdated)
    defects = list(_header_defects(fields, person_id, generated_at))
    entries: list[RelationEntry] = []
    seen: set[str] = set()
    previous: dict[str, Any] | None = None
    for index, raw in enumerate(raw_entries):
        path = f"topRelations[{index}]"
        faults = list(_entry_defects(raw, path))
        defects.extend(faults)
        entry = _mapping(raw)
        related = entry.get("relatedPersonId")
        if isinstance(related, str):
            if related == person_id or related in seen:
                what = "the athlete itself" if related == person_id else "an athlete for the second time"
                defects.append(Defect(PayloadReason.SELF_OR_DUPLICATE, f"{path}.relatedPersonId", f"names {what}"))
            seen.add(related)
            if related != person_id:
                entries.append(_entry(entry, related))
        if previous is not None and not faults and _out_of_order(previous, entry):
            defects.append(Defect(PayloadReason.ORDER, path, "stands behind an entry that it should precede"))
        previous = None if faults else entry
    named = sum(isinstance(_mapping(raw).get("relatedPersonId"), str) for raw in raw_entries)
    return PayloadReading(defects=tuple(defects), entries=tuple(entries), names_everybody=named == len(raw_entries))


def _unreadable(defect: Defect) -> PayloadReading:
    return PayloadReading(defects=(defect,), entries=(), names_everybody=False)


def _outdated(entries: Sequence[Any]) -> Defect | None:
    """The defect of a payload that an earlier builder wrote: every entry has the shape of that builder."""
    if not entries:
        return None
    kinds = {_generation(entry) for entry in entries}
    if len(kinds) > 1 or None in kinds:
        return None
    (kind,) = kinds
    return Defect(PayloadReason.OUTDATED_SCHEMA, "topRelations[0]", f"the entries are of {kind}")


def _generation(raw: Any) -> str | None:
    entry = _mapping(raw)
    if not isinstance(entry.get("relatedPersonId"), str):
        return None
    if "rawScore" not in entry and "labels" not in entry:
        if "reasons" in entry:
            return "generation 1"
        context = _mapping(entry.get("context"))
        return "generation 2" if any(key in context for key in SECOND_GENERATION_CONTEXT) else None
    raw_score = _number(entry.get("rawScore"))
    if raw_score is not None and raw_score >= MINIMUM_RAW_SCORE and raw_score == _number(entry.get("displayScore")):
        return "generation 3 before the display score was scaled" if raw_score < display_score(raw_score) else None
    return None


def _header_defects(fields: dict[str, Any], person_id: str, generated_at: datetime) -> Iterator[Defect]:
    named = fields.get("personId")
    if not isinstance(named, str):
        yield Defect(PayloadReason.MALFORMED, "personId", f"an id was expected, not {_shown(named)}")
    elif named != person_id:
        yield Defect(PayloadReason.PERSON_MISMATCH, "personId", f"names {_shown(named)}, the row {_shown(person_id)}")
    stamped = parse_instant(fields.get("generatedAt"))
    if stamped is None:
        message = f"an instant was expected, not {_shown(fields.get('generatedAt'))}"
        yield Defect(PayloadReason.MALFORMED, "generatedAt", message)
    elif milliseconds(stamped) != milliseconds(generated_at):
        message = f"says {stamped.isoformat()}, the row {generated_at.isoformat()}"
        yield Defect(PayloadReason.CLOCK, "generatedAt", message)


def _entry_defects(raw: Any, path: str) -> Iterator[Defect]:
    if not isinstance(raw, dict):
        yield _malformed(path, "", "an object", raw)
        return
    entry = cast("dict[str, Any]", raw)
    if not isinstance(entry.get("relatedPersonId"), str):
        yield _malformed(path, ".relatedPersonId", "an id", entry.get("relatedPersonId"))
    matchups = _whole(entry.get("matchupCount"))
    if matchups is None or matchups < 1:
        yield _malformed(path, ".matchupCount", "a whole number from 1", entry.get("matchupCount"))
    raw_score = _number(entry.get("rawScore"))
    if raw_score is None or raw_score < MINIMUM_RAW_SCORE:
        yield _malformed(path, ".rawScore", f"a number from {MINIMUM_RAW_SCORE:g}", entry.get("rawScore"))
    shown_score = _number(entry.get("displayScore"))
    if shown_score is None:
        yield _malformed(path, ".displayScore", "a number", entry.get("displayScore"))
    elif raw_score is not None and abs(shown_score - display_score(raw_score)) > DISPLAY_TOLERANCE:
        yield _malformed(path, ".displayScore", f"{display_score(raw_score):.1f}", shown_score)
    stages = _whole(entry.get("stageCount"))
    if stages is None or not 0 <= stages <= len(STAGES):
        yield _malformed(path, ".stageCount", f"a whole number from 0 to {len(STAGES)}", entry.get("stageCount"))
    detail = entry.get("hasHeadToHeadDetail")
    if not isinstance(detail, bool):
        yield _malformed(path, ".hasHeadToHeadDetail", "true or false", detail)
    elif matchups is not None and detail != (matchups >= HEAD_TO_HEAD_MATCHUPS):
        yield _malformed(path, ".hasHeadToHeadDetail", str(not detail).lower(), detail)
    if not isinstance(entry.get("context"), dict):
        yield _malformed(path, ".context", "an object", entry.get("context"))
    yield from _label_defects(entry.get("labels"), f"{path}.labels")
    signals = entry.get("matchupSignals")
    if not isinstance(signals, dict):
        yield _malformed(path, ".matchupSignals", "an object", signals)
    elif matchups is not None and _whole(_mapping(signals).get("matchupCount")) != matchups:
        wrong = _mapping(signals).get("matchupCount")
        yield _malformed(path, ".matchupSignals.matchupCount", str(matchups), wrong)
    if "latestMatchAt" not in entry and "latestMatchAt" not in _mapping(signals):
        yield Defect(PayloadReason.MALFORMED, f"{path}.latestMatchAt", "is missing")
    latest = _latest(entry)
    if latest is not None and parse_instant(latest) is None:
        yield _malformed(path, ".latestMatchAt", "an instant or null", latest)


def _label_defects(raw: Any, path: str) -> Iterator[Defect]:
    if not isinstance(raw, dict):
        yield _malformed(path, "", "an object", raw)
        return
    for group in ("info", "matchup"):
        labels = cast("dict[str, Any]", raw).get(group)
        if not isinstance(labels, list):
            yield _malformed(path, f".{group}", "an array", labels)
            continue
        for index, label in enumerate(cast("list[Any]", labels)):
            known = _mapping(label)
            if not isinstance(known.get("label"), str) or _number(known.get("contribution")) is None:
                yield _malformed(path, f".{group}[{index}]", "a label with its contribution", label)


def _entry(entry: dict[str, Any], related_person_id: str) -> RelationEntry:
    latest = _latest(entry)
    instant = parse_instant(latest)
    return RelationEntry(
        related_person_id=related_person_id,
        matchup_count=_whole(entry.get("matchupCount")),
        latest_match_at=instant,
        latest_is_readable=instant is not None or latest is None,
    )


def _latest(entry: dict[str, Any]) -> Any:
    """The latest match; the builder writes it into the entry and into its signals."""
    return entry.get("latestMatchAt", _mapping(entry.get("matchupSignals")).get("latestMatchAt"))


def _out_of_order(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether the second of two whole entries should precede the first.

    Ties are broken by id in the order of a language, which only plain ids show without its rules.
    """
    first_key, second_key = _sort_key(first), _sort_key(second)
    if first_key != second_key:
        return first_key < second_key
    ids: tuple[str, str] = (first["relatedPersonId"], second["relatedPersonId"])
    plain = all(found.isascii() and found == found.lower() and "_" not in found for found in ids)
    return plain and ids[0] > ids[1]


def _sort_key(entry: dict[str, Any]) -> tuple[float, float, int, float]:
    latest = parse_instant(_latest(entry))
    return (entry["rawScore"], entry["matchupCount"], milliseconds(latest) if latest else 0, entry["stageCount"])


def _malformed(path: str, field: str, expected: str, found: Any) -> Defect:
    return Defect(PayloadReason.MALFORMED, path + field, f"{expected} was expected, not {_shown(found)}")


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _number(value: Any) -> float | None:
    if type(value) is not int and type(value) is not float:
        return None
    return float(value) if -LARGEST_NUMBER < value < LARGEST_NUMBER and math.isfinite(value) else None


def _whole(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number.is_integer() else None


def _shown(value: Any) -> str:
    """A value short enough for a sentence: containers by their kind, texts by their first characters."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "an array"
    if isinstance(value, str):
        return repr(value[:SHOWN_CHARACTERS])
    number = _number(value)
    return "a number out of range" if number is None else f"{number:g}"
