"""The rules of the family relation_cache, in the order in which they run."""

from graphs.rules.relation_cache.rc01_missing import RelationCacheMissing
from graphs.rules.relation_cache.rc02_stale import RelationCacheStale
from graphs.rules.relation_cache.rc03_invalid import RelationCacheInvalid
from graphs.rules.relation_cache.rc04_drift import RelationCacheDrift
from graphs.rules.relation_cache.rc05_dangling_person import RelationCacheDanglingPerson
from graphs.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    RelationCacheMissing(),
    RelationCacheStale(),
    RelationCacheInvalid(),
    RelationCacheDrift(),
    RelationCacheDanglingPerson(),
)
