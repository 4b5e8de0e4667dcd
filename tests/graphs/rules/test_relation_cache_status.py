"""The state of a relation cache, and what happens when it cannot be judged."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from graphs.contracts import Category
from graphs.facts import FactsUnavailableError, Snapshot, Unavailable
from graphs.rules.athlete import Athlete
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.evaluate import evaluate_family
from graphs.rules.relation_cache.status import cache_status
from graphs.rules.rule import RuleContext
from tests.graphs.rules.facts_builder import build_snapshot

CONTEXT = RuleContext(today=date(2026, 7, 2), now=datetime(2026, 7, 2, tzinfo=UTC), configuration=RuleConfiguration())
EMPTY_PAYLOAD = {"personId": "person-under-test", "generatedAt": "2026-07-01T12:00:00Z", "topRelations": []}


def snapshot(cache: dict[str, Any] | None, inputs: dict[str, Any] | None = None, **rest: Any) -> Snapshot:
    built = {"relation_inputs": {"existing_person_ids": [], **(inputs or {})}, **rest}
    if cache is not None:
        built["relation_cache"] = cache
    return build_snapshot(built)


def status(given: Snapshot) -> str:
    return cache_status(Athlete(given), CONTEXT)


def test_missing() -> None:
    assert status(snapshot(None)) == "missing"


def test_fresh() -> None:
    assert status(snapshot({"payload": EMPTY_PAYLOAD}, {"own_results": "2026-06-30"})) == "fresh"


def test_stale_by_an_input() -> None:
    assert status(snapshot({"payload": EMPTY_PAYLOAD}, {"races": "2026-07-01T12:00:05"})) == "stale"


def test_stale_by_counting() -> None:
    assert status(snapshot({"payload": EMPTY_PAYLOAD}, opponents=[{"person_id": "p", "matchups": 9}])) == "stale"


def test_invalid_by_shape_even_when_inputs_are_newer() -> None:
    assert status(snapshot({"payload": {}}, {"races": "2026-07-01T18:00:00"})) == "invalid"


def test_invalid_by_a_person_who_is_gone() -> None:
    old = {**EMPTY_PAYLOAD, "topRelations": [{"relatedPersonId": "p-gone"}]}
    assert status(snapshot({"payload": old})) == "invalid"


def test_copied_stamp_is_fresh_at_milliseconds() -> None:
    payload = {**EMPTY_PAYLOAD, "generatedAt": "2026-07-01T00:00:00.309Z"}
    cache = {"payload": payload, "generated_at": "2026-07-01T00:00:00.309"}
    assert status(snapshot(cache, {"profile": "2026-07-01T00:00:00.309921"})) == "fresh"
    assert status(snapshot(cache, {"profile": "2026-07-01T00:00:00.310"})) == "stale"


def test_oversized_payload_is_not_evaluated() -> None:
    given = snapshot({"payload": None, "too_large": True, "payload_bytes": 40_000_000})
    with pytest.raises(FactsUnavailableError) as raised:
        status(given)
    assert raised.value.code == "payload_too_large"
    audit = evaluate_family(Category.RELATION_CACHE, Athlete(given), CONTEXT)
    assert audit.findings == ()
    assert {(rule.rule, rule.code) for rule in audit.not_evaluated} == {
        (code, "payload_too_large") for code in ("RC02", "RC03", "RC04", "RC05")
    }


def test_unreadable_table_is_no_missing_row() -> None:
    gone = Unavailable[Any](table="PlayerRelationCache", code="permission_denied", message="cannot read")
    given = replace(snapshot(None, opponents=[{"person_id": "p", "matchups": 9}]), relation_caches=gone)
    audit = evaluate_family(Category.RELATION_CACHE, Athlete(given), CONTEXT)
    assert audit.findings == ()
    assert [rule.rule for rule in audit.not_evaluated] == ["RC01", "RC02", "RC03", "RC04", "RC05"]


def test_unreadable_opponents_leave_the_other_rules_alone() -> None:
    gone = Unavailable[Any](table="RaceResult", code="permission_denied", message="cannot read")
    given = replace(snapshot({"payload": []}), opponents=gone)
    audit = evaluate_family(Category.RELATION_CACHE, Athlete(given), CONTEXT)
    assert [finding.code for finding in audit.findings] == ["RC03"]
    assert audit.not_evaluated == ()


def test_cache_without_the_times_of_its_inputs_is_not_called_fresh() -> None:
    given = replace(snapshot({"payload": EMPTY_PAYLOAD}), relation_inputs=())
    with pytest.raises(FactsUnavailableError):
        status(given)
