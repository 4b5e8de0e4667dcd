"""The payload reader: what it finds in one-fault payloads, and that no JSON makes it raise."""

import copy
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.rules.relation_cache.instants import milliseconds, parse_instant
from graphs.rules.relation_cache.payload import PayloadReason, read_payload, related_person_ids
from graphs.rules.rule import evidence_json

ME = "person-under-test"
GENERATED = datetime(2026, 7, 1, 12, 0, 0, 250_000, tzinfo=UTC)


def entry(person_id: str, matchups: int = 6, raw: float = 25.4) -> dict[str, Any]:
    latest = "2025-01-02T00:00:00.000Z"
    return {
        "relatedPersonId": person_id,
        "matchupCount": matchups,
        "matchupSignals": {"matchupCount": matchups, "matchupYearCount": matchups, "latestMatchAt": latest},
        "labels": {
            "info": [{"label": "same_hometown", "contribution": 3}],
            "matchup": [{"label": "frequent_matchup", "contribution": 11.7}],
        },
        "rawScore": raw,
        "displayScore": min(100.0, round(raw * 3, 1)),
        "latestMatchAt": latest,
        "latestCompetitionName": None,
        "stageCount": 1,
        "hasHeadToHeadDetail": matchups >= 5,
        "context": {"sameHometown": True},
    }


def payload() -> dict[str, Any]:
    return {
        "personId": ME,
        "generatedAt": "2026-07-01T12:00:00.250Z",
        "topRelations": [entry("p-a"), entry("p-b"), entry("p-c", matchups=3, raw=15.0)],
    }


def first(broken: dict[str, Any]) -> dict[str, Any]:
    return broken["topRelations"][0]


def change_first(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda broken: first(broken).update(changes)


def drop_first(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda broken: first(broken).pop(name)


def test_valid_payload_has_no_defect_and_gives_its_entries() -> None:
    reading = read_payload(payload(), ME, GENERATED)
    assert reading.defects == ()
    assert [found.related_person_id for found in reading.entries] == ["p-a", "p-b", "p-c"]
    assert reading.entries[0].latest_match_at == datetime(2025, 1, 2, tzinfo=UTC)


ONE_FAULT = {
    "person_id_missing": (lambda broken: broken.pop("personId"), "malformed", "personId"),
    "person_id_number": (lambda broken: broken.update(personId=7), "malformed", "personId"),
    "person_mismatch": (lambda broken: broken.update(personId="p-z"), "person_mismatch", "personId"),
    "stamp_missing": (lambda broken: broken.pop("generatedAt"), "malformed", "generatedAt"),
    "stamp_without_zone": (
        lambda broken: broken.update(generatedAt="2026-07-01T12:00:00.250"),
        "malformed",
        "generatedAt",
    ),
    "stamp_impossible": (
        lambda broken: broken.update(generatedAt="2026-02-30T12:00:00Z"),
        "malformed",
        "generatedAt",
    ),
    "stamp_differs": (lambda broken: broken.update(generatedAt="2026-07-01T12:00:00.249Z"), "clock", "generatedAt"),
    "relations_object": (lambda broken: broken.update(topRelations={}), "malformed", "topRelations"),
    "entry_null": (lambda broken: broken["topRelations"].append(None), "malformed", "topRelations[3]"),
    "id_number": (change_first(relatedPersonId=5), "malformed", "topRelations[0].relatedPersonId"),
    "self": (change_first(relatedPersonId=ME), "self_or_duplicate", "topRelations[0].relatedPersonId"),
    "duplicate": (change_first(relatedPersonId="p-b"), "self_or_duplicate", "topRelations[1].relatedPersonId"),
    "count_zero": (change_first(matchupCount=0), "malformed", "topRelations[0].matchupCount"),
    "count_fraction": (change_first(matchupCount=6.5), "malformed", "topRelations[0].matchupCount"),
    "count_true": (change_first(matchupCount=True), "malformed", "topRelations[0].matchupCount"),
    "count_text": (change_first(matchupCount="6"), "malformed", "topRelations[0].matchupCount"),
    "score_low": (change_first(rawScore=14.99, displayScore=45.0), "malformed", "topRelations[0].rawScore"),
    "score_nan": (change_first(rawScore=float("nan")), "malformed", "topRelations[0].rawScore"),
    "score_infinite": (change_first(rawScore=float("inf")), "malformed", "topRelations[0].rawScore"),
    "score_huge": (change_first(rawScore=10**400), "malformed", "topRelations[0].rawScore"),
    "display_missing": (drop_first("displayScore"), "malformed", "topRelations[0].displayScore"),
    "display_wrong": (change_first(displayScore=75.9), "malformed", "topRelations[0].displayScore"),
    "stages_five": (change_first(stageCount=5), "malformed", "topRelations[0].stageCount"),
    "stages_negative": (change_first(stageCount=-1), "malformed", "topRelations[0].stageCount"),
    "flag_number": (change_first(hasHeadToHeadDetail=1), "malformed", "topRelations[0].hasHeadToHeadDetail"),
    "flag_wrong": (change_first(hasHeadToHeadDetail=False), "malformed", "topRelations[0].hasHeadToHeadDetail"),
    "context_list": (change_first(context=[]), "malformed", "topRelations[0].context"),
    "labels_missing": (drop_first("labels"), "malformed", "topRelations[0].labels"),
    "labels_half": (change_first(labels={"info": []}), "malformed", "topRelations[0].labels.matchup"),
    "label_text": (
        change_first(labels={"info": ["same_hometown"], "matchup": []}),
        "malformed",
        "topRelations[0].labels.info[0]",
    ),
    "label_without_points": (
        change_first(labels={"info": [], "matchup": [{"label": "x", "contribution": None}]}),
        "malformed",
        "topRelations[0].labels.matchup[0]",
    ),
    "signals_null": (change_first(matchupSignals=None), "malformed", "topRelations[0].matchupSignals"),
    "signals_differ": (
        change_first(matchupSignals={"matchupCount": 5}),
        "malformed",
        "topRelations[0].matchupSignals.matchupCount",
    ),
    "latest_not_a_time": (change_first(latestMatchAt="last year"), "malformed", "topRelations[0].latestMatchAt"),
    "latest_number": (change_first(latestMatchAt=1735776000000), "malformed", "topRelations[0].latestMatchAt"),
    "scores_swapped": (lambda broken: broken["topRelations"].reverse(), "order", "topRelations[1]"),
    "tie_by_matchups": (
        change_first(matchupCount=5, matchupSignals={"matchupCount": 5}),
        "order",
        "topRelations[1]",
    ),
    "tie_by_latest": (change_first(latestMatchAt="2024-01-02T00:00:00.000Z"), "order", "topRelations[1]"),
    "tie_by_latest_null": (change_first(latestMatchAt=None), "order", "topRelations[1]"),
    "tie_by_stages": (change_first(stageCount=0), "order", "topRelations[1]"),
}


@pytest.mark.parametrize("name", ONE_FAULT)
def test_one_fault_is_named_with_its_place(name: str) -> None:
    spoil, reason, path = ONE_FAULT[name]
    broken = payload()
    spoil(broken)
    reading = read_payload(broken, ME, GENERATED)
    assert reading.reasons
    assert (reading.defects[0].reason, reading.defects[0].path) == (PayloadReason(reason), path)


def test_entries_are_read_as_far_as_they_can_be() -> None:
    broken = payload()
    broken["topRelations"][0].update(matchupCount="6", latestMatchAt="last year")
    broken["topRelations"][1].update(relatedPersonId=None)
    broken["topRelations"][2].update(latestMatchAt=None)
    reading = read_payload(broken, ME, GENERATED)
    assert [(e.related_person_id, e.matchup_count, e.latest_is_readable) for e in reading.entries] == [
        ("p-a", None, False),
        ("p-c", 3, True),
    ]
    assert not reading.names_everybody


def test_whole_numbers_may_be_written_as_fractions() -> None:
    changed = payload()
    first(changed).update(matchupCount=6.0, stageCount=1.0)
    assert read_payload(changed, ME, GENERATED).defects == ()


def test_ids_that_collate_by_language_are_not_called_unsorted() -> None:
    changed = payload()
    changed["topRelations"] = [entry("p_a"), entry("p-B"), entry("p-a")]
    assert read_payload(changed, ME, GENERATED).defects == ()


@pytest.mark.parametrize(
    ("field", "value", "generation"),
    [("reasons", ["same_school"], "generation 1"), ("context", {"sharedHometown": True}, "generation 2")],
)
def test_earlier_generations_are_told_from_corrupt_payloads(field: str, value: Any, generation: str) -> None:
    old = payload()
    old["topRelations"] = [{"relatedPersonId": "p-a", "matchupCount": 3, field: value}]
    reading = read_payload(old, ME, GENERATED)
    assert [defect.reason for defect in reading.defects] == [PayloadReason.OUTDATED_SCHEMA]
    assert generation in reading.defects[0].message
    old["topRelations"].append(entry("p-b"))
    assert PayloadReason.OUTDATED_SCHEMA not in read_payload(old, ME, GENERATED).reasons


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["2026-07-01T12:00:00Z", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", ME]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(sorted(entry("p-a")))


@given(JSON)
def test_no_json_makes_the_reader_raise(value: Any) -> None:
    reading = read_payload(value, ME, GENERATED)
    assert reading.defects
    related_person_ids(value)


@given(st.lists(st.dictionaries(FIELDS, JSON), max_size=4), JSON, JSON)
def test_no_entry_makes_the_reader_raise(entries: list[Any], person_id: Any, generated_at: Any) -> None:
    value = {"personId": person_id, "generatedAt": generated_at, "topRelations": entries}
    reading = read_payload(value, ME, GENERATED)
    for defect in reading.defects:
        assert len(defect.message) < 400
    assert related_person_ids(value) <= {found.get("relatedPersonId") for found in entries if _is_text(found)}


def _is_text(found: dict[str, Any]) -> bool:
    return isinstance(found.get("relatedPersonId"), str)


@given(st.integers(min_value=0, max_value=2), FIELDS, JSON)
def test_one_changed_field_never_passes_for_another_entry(index: int, field: str, value: Any) -> None:
    broken = payload()
    broken["topRelations"][index][field] = value
    reading = read_payload(broken, ME, GENERATED)
    others = ["p-a", "p-b", "p-c"]
    del others[index]
    assert set(others) <= {found.related_person_id for found in reading.entries}


def test_deep_nesting_is_only_looked_at_from_outside() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    assert read_payload(deep, ME, GENERATED).defects[0].path == "$"
    broken = payload()
    first(broken).update(matchupCount=deep, context=deep, labels={"info": deep, "matchup": deep})
    assert PayloadReason.MALFORMED in read_payload(broken, ME, GENERATED).reasons


def test_ten_megabytes_are_read_through() -> None:
    big = payload()
    big["topRelations"] = [entry(f"p-{number:06}") for number in range(20_000)]
    big["topRelations"][-1]["rawScore"] = "x" * 1_000_000
    assert len(json.dumps(big)) > 10_000_000
    reading = read_payload(big, ME, GENERATED)
    assert [defect.path for defect in reading.defects] == ["topRelations[19999].rawScore"]
    assert len(reading.defects[0].message) < 400
    assert len(reading.entries) == 20_000


def test_reading_leaves_the_payload_as_it_was() -> None:
    given_payload = payload()
    before = copy.deepcopy(given_payload)
    read_payload(given_payload, ME, GENERATED)
    assert given_payload == before


@pytest.mark.parametrize(
    "text", ["", "2026", "2026-07-01T12:00:00", "2026-13-01", "2026-W01-1", "20260701", "２０２６-07-01"]
)
def test_what_is_no_instant(text: str) -> None:
    assert parse_instant(text) is None


def test_instants_are_cut_to_milliseconds() -> None:
    assert milliseconds(datetime(1970, 1, 1, 0, 0, 0, 309_921, tzinfo=UTC)) == 309
    assert milliseconds(datetime(1969, 12, 31, 23, 59, 59, 999_500, tzinfo=UTC)) == -1
    assert parse_instant("2025-01-02") == datetime(2025, 1, 2, tzinfo=UTC)
    assert parse_instant("2025-01-02T09:00:00.5+09:00") == datetime(2025, 1, 2, 0, 0, 0, 500_000, tzinfo=UTC)


def test_reasons_fit_into_evidence() -> None:
    assert evidence_json(PayloadReason.CLOCK) == "clock"
