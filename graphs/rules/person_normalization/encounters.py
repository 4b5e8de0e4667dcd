"""Whether two records met in a race as two people.

Belongs here: what result lists alone prove. Nobody runs for two teams in one race, nor two legs of one ekiden, nor
women's races here and men's there.
"""

import re
from functools import lru_cache

from graphs.facts import RaceResult
from graphs.rules.affiliation import is_temporary, same_organization
from graphs.rules.person_normalization.record import Record
from graphs.rules.racing import is_finish

_WOMEN = re.compile(r"女子|\b(?:women|womens|girls|ladies)\b")
_MEN = re.compile(r"男子|\b(?:men|mens|boys)\b")


def ran_apart_by_sex(first: Record, second: Record) -> tuple[str, str] | None:
    """A women's race of one record and a men's race of the other, first's first; None without such races.

    Only races that say so count: the archive has no sex column, and most competitions do not say it in their name.
    """
    our_women, our_men = _races_by_sex(first)
    their_women, their_men = _races_by_sex(second)
    if our_women is not None and their_men is not None:
        return our_women, their_men
    if our_men is not None and their_women is not None:
        return our_men, their_women
    return None


@lru_cache(maxsize=256)
def _races_by_sex(record: Record) -> tuple[str | None, str | None]:
    """The first women's and the first men's race of a record, by slug."""
    women: str | None = None
    men: str | None = None
    for result in record.results:
        race = result.race
        is_women, is_men = _sexes_named(race.slug, race.edition_name, race.competition_name)
        if is_women and women is None:
            women = race.slug
        if is_men and men is None:
            men = race.slug
    return women, men


@lru_cache(maxsize=16_384)
def _sexes_named(slug: str, edition: str, competition: str) -> tuple[bool, bool]:
    """Whether a race says to be one of women, and one of men; races repeat across a roster, so it is kept."""
    text = f"{slug} {edition} {competition}".casefold().replace("_", "-")
    return _WOMEN.search(text) is not None, _MEN.search(text) is not None


def met_as_two(first: Record, second: Record) -> tuple[str, ...] | None:
    """Edition or race, then leg and team of either, where both finished and cannot be one runner; None otherwise.

    Rows left over from an earlier import of the race prove nothing: the row was replaced under another slug.
    """
    for groups in (
        (first.results_by_race, second.results_by_race),
        (first.results_by_ekiden, second.results_by_ekiden),
    ):
        if groups[0].keys().isdisjoint(groups[1].keys()):
            continue
        for key in sorted(groups[0].keys() & groups[1].keys()):
            for ours in groups[0][key]:
                for theirs in groups[1][key]:
                    if _two_runners(ours, theirs):
                        return ours.race.edition_slug, _start(ours), _start(theirs)
    return None


def _two_runners(ours: RaceResult, theirs: RaceResult) -> bool:
    if ours.is_leftover or theirs.is_leftover or not (is_finish(ours) and is_finish(theirs)):
        return False
    if ours.race.id != theirs.race.id and ours.race.leg != theirs.race.leg:
        return True
    if ours.organization is None or theirs.organization is None:
        return False
    if same_organization(ours.organization, theirs.organization):
        return False
    # A selection team and the home team of one runner: one row of a result list, imported under either.
    one_row = ours.race.id == theirs.race.id and ours.mark_millis == theirs.mark_millis
    return not (one_row and (is_temporary(ours.organization) or is_temporary(theirs.organization)))


def _start(result: RaceResult) -> str:
    place = f"leg {result.race.leg}" if result.race.leg is not None else result.race.name
    return f"{place} for {result.organization.name_ja}" if result.organization is not None else place
