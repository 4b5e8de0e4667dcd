"""Athletes as partitions: which slugs can be keys, and how the set of keys is kept in step with the roster."""

import re
import time
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

import dagster as dg

from graphs.retry import MAX_ATTEMPTS, is_transient

ATHLETES = dg.DynamicPartitionsDefinition(name="athletes")

KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,255}")
"""Dagster itself refuses only NUL; commas, dots in threes, blanks and the empty text break ranges and the UI later."""

KEYS_PER_CALL = 10_000


@dataclass(frozen=True, slots=True)
class KeyChanges:
    """The keys that there are now, and what came and went; `unusable` are slugs that cannot be keys, whose athletes are
    still diagnosed otherwise."""

    keys: Set[str]
    added: Sequence[str]
    removed: Sequence[str]
    unusable: Sequence[str]


def can_be_key(slug: str) -> bool:
    """Whether a slug can be a partition key."""
    return KEY_PATTERN.fullmatch(slug) is not None


def synchronise(instance: dg.DagsterInstance, slugs: Iterable[str]) -> KeyChanges:
    """Makes the partition keys those of the roster. Keys that stay keep their place in the order.

    Keys are added in sorted order: two processes that add the same keys in different orders deadlock.
    """
    name = ATHLETES.name or ""
    wanted = set(slugs)
    usable = {slug for slug in wanted if can_be_key(slug)}
    existing = set(instance.get_dynamic_partitions(name))
    added, removed = sorted(usable - existing), sorted(existing - usable)
    for start in range(0, len(added), KEYS_PER_CALL):
        _add(instance, name, added[start : start + KEYS_PER_CALL])
    for key in removed:
        instance.delete_dynamic_partition(name, key)
    return KeyChanges(keys=usable, added=added, removed=removed, unusable=sorted(wanted - usable))


def _add(instance: dg.DagsterInstance, name: str, keys: Sequence[str]) -> None:
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            instance.add_dynamic_partitions(name, keys)
        except Exception as error:
            if attempt == MAX_ATTEMPTS or not is_transient(error):
                raise
            time.sleep(0.5 * attempt)
        else:
            return
