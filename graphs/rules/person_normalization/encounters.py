"""Whether two records met in a race as two people.

Belongs here: what result lists alone prove. Nobody runs for two teams in one race, nor two legs of one ekiden, nor
women's races here and men's there.
"""

import re

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
    for ours in (_WOMEN, _MEN):
        theirs = _MEN if ours is _WOMEN else _WOMEN
        one, other = _race_of(first, ours), _race_of(second, theirs)
        if one is not None and other is not None:
            return one, other
    return None


def _race_of(record: Record, sex: re.Pattern[str]) -> str | None:
    for result in record.results:
        race = result.race
        if sex.search(f"{race.slug} {race.edition_name} {race.competition_name}".casefold().replace("_", "-")):
            return race.slug
    return None


def met_as_two(first: Record, second: Record) -> tuple[str, ...] | None:
    """Edition or race, then leg and team of either, where both finished and cannot be one runner; None otherwise.

    Rows left over from an earlier import of the race prove nothing: the row was replaced under another slug.
    """
    for groups in (
        (first.results_by_race, second.results_by_race),
        (first.results_by_ekiden, second.results_by_ekiden),
    ):
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
