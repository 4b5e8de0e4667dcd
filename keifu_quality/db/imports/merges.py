"""Where an athlete went that is no longer there.

Belongs here: following the records of merges from ids and slugs to the athlete that is left. Stays out: whether a
merge was right.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from keifu_quality.db.business.access import Run
from keifu_quality.db.business.statements import MERGES

LONGEST_CHAIN = 10
"""Merges of merged athletes that are followed; a longer chain is a circle."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """The athlete that a merge left."""

    person_id: str
    slug: str


def follow_merges(run: Run, *, ids: Collection[str] = (), slugs: Collection[str] = ()) -> Mapping[str, Survivor]:
    """By id and by slug, who is left of these athletes, the newest record counting; without those that no merge
    explains."""
    found: dict[str, Survivor] = {}
    # What was asked for, by the id that it leads to so far.
    by_id = {person_id: {person_id} for person_id in ids}
    by_slug = {slug: {slug} for slug in slugs}
    for _ in range(LONGEST_CHAIN):
        if not by_id and not by_slug:
            break
        rows = run(MERGES, {"diagnosed_slugs": list(by_slug), "gone": list(by_id), "diagnosed": []})
        further: dict[str, set[str]] = {}
        ends: dict[str, tuple[str, str | None]] = {}
        for _audit, merged_slug, merged_id, canonical_id, _created, slug in rows:
            for asked in by_id.get(merged_id, set()) | by_slug.get(merged_slug, set()):
                ends[asked] = (canonical_id, slug)
        for asked, (canonical_id, slug) in ends.items():
            if slug is not None:
                found[asked] = Survivor(canonical_id, slug)
            else:
                further.setdefault(canonical_id, set()).add(asked)
        by_id, by_slug = further, {}
    return found
