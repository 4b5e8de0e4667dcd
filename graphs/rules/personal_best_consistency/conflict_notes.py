"""What the site's importer writes into the notes of a personal best that it marks conflicting.

Belongs here: the one reading of those notes. Stays out: what a rule concludes from a conflict.

The importer joins parts with " | ": the notes that the row had, then for each rival `conflict: <notes of the
rival>`, `incoming_reliability=N`, `existing_reliability=N`, `incoming_recency=T`, `existing_recency=T`. T is an ISO
instant in UTC or the word unknown. The rival's mark is not kept, but its direction follows: a rival that is faster
and no less trusted replaces the row, so a marked rival with more trust is slower and one with less trust is faster.
People edit these notes, so other separators and spellings of the names are read as well, and a mark that somebody
added to the words of the rival.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

RivalMark = Literal["slower", "faster", "unknown"]

_CONFLICT = re.compile(r"conflict\s*[:：]", re.IGNORECASE)
_FIELD = re.compile(r"(incoming|existing)[\s_]*(reliability|recency)\s*[=:：]\s*([^\s|,;]+)", re.IGNORECASE)
_MARK = re.compile(r"(?<![\d:.])\d{1,3}:\d{2}(?::\d{2})?(?:\.\d{1,3})?(?![\d:])")
_EDITION = re.compile(r"(?<!\d)(\d{1,3})\s*回(?!目)\s*([^\s\d|、。()「」]{0,16})")
_SLUG_EDITION = re.compile(r"([a-z]+(?:-[a-z]+)*)-(\d{1,3})(?!\d)")
_NO_SERIES = frozenset({"source", "leg", "payload", "person", "pb", "id"})
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d{2})(?=\s*年|-\d{2}|\b)")


@dataclass(frozen=True, slots=True)
class EditionMention:
    """The edition or the year that a text names; `series` is the competition as written, for comparing numbers."""

    series: str | None
    number: int | None
    year: int | None

    def is_older_than(self, other: "EditionMention") -> bool | None:
        """Whether this is an earlier edition; None when the two cannot be compared."""
        if self.number is not None and other.number is not None and self._is_series_of(other):
            return self.number < other.number
        if self.year is not None and other.year is not None and self.year != other.year:
            return self.year < other.year
        return None

    def _is_series_of(self, other: "EditionMention") -> bool:
        """Whether both name one competition; one of the two may go on with another word, as in 箱根駅伝エントリー."""
        ours, theirs = self.series or "", other.series or ""
        return ours == theirs or (bool(ours and theirs) and (ours.startswith(theirs) or theirs.startswith(ours)))


@dataclass(frozen=True, slots=True)
class ConflictNote:
    """One rival that the importer turned away; reliability runs from 1 to 5, 0 for a rival without a source.

    `mark` is the rival's mark where the words hold one, as written.
    """

    text: str
    mark: str | None
    incoming_reliability: int | None
    existing_reliability: int | None
    incoming_recency: datetime | None
    existing_recency: datetime | None

    @property
    def rival_mark(self) -> RivalMark:
        """Whether the rival was slower or faster than the row, by what the importer does."""
        if self.incoming_reliability is None or self.existing_reliability is None:
            return "unknown"
        if self.incoming_reliability != self.existing_reliability:
            return "slower" if self.incoming_reliability > self.existing_reliability else "faster"
        if self.incoming_recency is None or self.existing_recency is None:
            return "unknown"
        if self.incoming_recency == self.existing_recency:
            return "unknown"
        return "slower" if self.incoming_recency > self.existing_recency else "faster"


@dataclass(frozen=True, slots=True)
class ParsedNotes:
    """The notes of a personal best: what it said before any conflict, and its rivals in the order of the imports."""

    own: str
    conflicts: tuple[ConflictNote, ...]


def parse_notes(notes: str | None) -> ParsedNotes:
    """Split notes into the row's own words and its rivals; parts that nobody knows stay with what they follow."""
    own, *rivals = _CONFLICT.split(notes or "")
    return ParsedNotes(own=_words(own), conflicts=tuple(_note(rival) for rival in rivals))


def edition_of(*texts: str | None) -> EditionMention:
    """The edition that the first telling text names: 第102回…, a slug such as hakone-102-leg-3, or a year."""
    year: int | None = None
    for text in texts:
        if not text:
            continue
        folded = unicodedata.normalize("NFKC", text)
        year = year if year is not None else _year(folded)
        japanese = _EDITION.search(folded)
        if japanese:
            return EditionMention(series=japanese.group(2), number=int(japanese.group(1)), year=year)
        for slug in _SLUG_EDITION.finditer(folded.lower()):
            if slug.group(1) not in _NO_SERIES:
                return EditionMention(series=slug.group(1), number=int(slug.group(2)), year=year)
    return EditionMention(series=None, number=None, year=year)


def _note(text: str) -> ConflictNote:
    fields = {f"{side}_{what}".lower(): value for side, what, value in _FIELD.findall(text)}
    words = _words(_FIELD.sub("|", text))
    mark = _MARK.search(words)
    return ConflictNote(
        text=words,
        mark=mark.group() if mark else None,
        incoming_reliability=_whole(fields.get("incoming_reliability")),
        existing_reliability=_whole(fields.get("existing_reliability")),
        incoming_recency=_instant(fields.get("incoming_recency")),
        existing_recency=_instant(fields.get("existing_recency")),
    )


def _words(text: str) -> str:
    return " | ".join(part for raw in text.split("|") if (part := raw.strip().strip(",;").strip()))


def _whole(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[0-9]{1,4}", text) else None


def _instant(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found.group(1)) if found else None
