"""The personal bests of the site's import payloads, for the rule that compares them (PB14, off by default).

Belongs here: reading a directory of payloads and handing an athlete's bests to its snapshot. Stays out: what the rule
concludes. A payload is a JSON file as the site's generators write it: `sourceId` and `entries` with `displayNameJa`
and `pbs` of `discipline`, `mark` and perhaps a `sourceId` of its own. Drafts (`*.draft.json`) are no payloads yet.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from graphs.contracts import DiagnosisInput, PersonRef
from graphs.facts import Discipline, PayloadBest, Snapshot
from graphs.ports import BusinessReader
from graphs.text.names import strict_key
from keifu_quality.errors import KeifuError

_EDITION_AND_LEG = re.compile(r"-(\d{1,3})-leg-(\d{1,2})$")


class PayloadUnreadable(KeifuError):
    """A file in the directory of payloads is no payload."""


class _PayloadModel(BaseModel):
    # Payloads hold much more than bests, and their generators add to it.
    model_config = ConfigDict(alias_generator=to_camel, extra="ignore", frozen=True)


class _Best(_PayloadModel):
    discipline: Discipline
    mark: str
    source_id: str | None = None


class _Entry(_PayloadModel):
    display_name_ja: str
    pbs: tuple[_Best, ...] = ()


class _Payload(_PayloadModel):
    source_id: str
    entries: tuple[_Entry, ...]


def read_payloads(directory: Path) -> Mapping[str, Sequence[PayloadBest]]:
    """The bests of every payload in a directory, by the strict key of the printed name.

    Raises PayloadUnreadable, which names the directory or the file and what is wrong with it.
    """
    if not directory.is_dir():
        raise PayloadUnreadable(f"{directory} is no directory; give the site's directory of import payloads")
    bests: dict[str, list[PayloadBest]] = {}
    for path in sorted(directory.glob("*.json")):
        if path.name.endswith(".draft.json"):
            continue
        payload = _read(path)
        numbers = _EDITION_AND_LEG.search(path.stem)
        for entry in payload.entries:
            bests.setdefault(strict_key(entry.display_name_ja), []).extend(
                PayloadBest(
                    name_ja=entry.display_name_ja,
                    discipline=best.discipline,
                    mark=best.mark,
                    source_id=best.source_id or payload.source_id,
                    file_name=path.name,
                    edition=int(numbers.group(1)) if numbers else None,
                    leg=int(numbers.group(2)) if numbers else None,
                )
                for best in entry.pbs
            )
    return {key: tuple(rows) for key, rows in bests.items() if rows}


class PayloadBestReader:
    """A reader whose snapshots hold the bests that payloads print under the athlete's name as well."""

    def __init__(self, reader: BusinessReader, payloads: Mapping[str, Sequence[PayloadBest]]) -> None:
        self._reader = reader
        self._payloads = payloads

    def find_people(self, request: DiagnosisInput, *, limit: int) -> tuple[Sequence[PersonRef], int]:
        """As the reader that it wraps."""
        return self._reader.find_people(request, limit=limit)

    def load_snapshots(self, person_ids: Sequence[str]) -> Mapping[str, Snapshot]:
        """As the reader that it wraps, with the payloads' bests."""
        return {
            person_id: replace(snapshot, payload_bests=tuple(bests)) if bests else snapshot
            for person_id, snapshot in self._reader.load_snapshots(person_ids).items()
            for bests in [self._payloads.get(strict_key(snapshot.person.name_ja), ())]
        }


def _read(path: Path) -> _Payload:
    try:
        return _Payload.model_validate_json(path.read_bytes())
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in fault["loc"]) or "the file"
        raise PayloadUnreadable(f"{path} is no payload: {where}: {fault['msg']}; mend it or move it away") from None
