"""Snapshots survive JSON: an equal snapshot comes back, and what was unreadable stays unreadable."""

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.facts import FactsUnavailableError, Snapshot, Unavailable
from graphs.person_diagnosis.snapshot_codec import decode_snapshot, encode_snapshot
from tests.graphs.rules.facts_builder import build_snapshot

RICH: dict[str, Any] = {
    "memberships": [{"organization": {"type": "high_school", "name_ja": "架空高", "names": {"former": "旧架空高"}}}],
    "personal_bests": [{"discipline": "m5000", "mark": "13:45.67", "mark_millis": 825670}],
    "results": [{"race": {"leg": 2, "on": "2025-01-02"}, "organization": "university:例示大学", "mark": "DNS"}],
    "name_variants": [{"value": "Reimi"}],
    "source_references": [{"name_ja": "例見太郎"}],
    "relation_cache": {"payload": {"personId": "p", "snake_case": [1, 2.5, None, True]}},
    "candidates": [{"person": {"name_ja": "例見 太朗"}, "memberships": [{"organization": "club:例クラブ"}]}],
}


def through_json(snapshot: Snapshot) -> Snapshot:
    return decode_snapshot(json.loads(json.dumps(encode_snapshot(snapshot), ensure_ascii=False)))


def test_a_rich_snapshot_comes_back_equal() -> None:
    snapshot = build_snapshot(RICH)
    assert through_json(snapshot) == snapshot


def test_the_published_names_are_used() -> None:
    encoded = encode_snapshot(build_snapshot(RICH))
    assert {"profile", "memberships", "personalBests", "relationCache", "raceResults"} <= set(encoded)
    assert encoded["profile"]["nameJa"] == "例見 太郎"
    assert encoded["relationCache"]["payload"] == RICH["relation_cache"]["payload"]


def test_no_relation_cache_is_null() -> None:
    assert encode_snapshot(build_snapshot({}))["relationCache"] is None


@pytest.mark.parametrize("section", [f.name for f in dataclasses.fields(Snapshot) if "Sequence" in str(f.type)])
def test_every_unreadable_section_stays_unreadable(section: str) -> None:
    unreadable: Any = Unavailable(table="T", code="42501", message="no")
    decoded = through_json(dataclasses.replace(build_snapshot(RICH), **{section: unreadable}))
    with pytest.raises(FactsUnavailableError, match="no"):
        len(getattr(decoded, section))


def test_unreadable_names_of_an_organization_stay_unreadable() -> None:
    snapshot = build_snapshot(RICH)
    unreadable: Any = Unavailable(table="NameVariant", code="42P01", message="no")
    membership = snapshot.memberships[0]
    organization = dataclasses.replace(membership.organization, names=unreadable)
    changed = (dataclasses.replace(membership, organization=organization),)
    decoded = through_json(dataclasses.replace(snapshot, memberships=changed))
    with pytest.raises(FactsUnavailableError, match="no"):
        len(decoded.memberships[0].organization.names)


@given(
    name=st.text(max_size=50),
    notes=st.none() | st.text(max_size=50),
    payload=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    ),
)
@settings(max_examples=60)
def test_any_text_and_any_payload_comes_back(name: str, notes: str | None, payload: Any) -> None:
    snapshot = build_snapshot(
        {"person": {"name_ja": name, "notes": notes, "search_key": ""}, "relation_cache": {"payload": payload}}
    )
    assert through_json(snapshot) == snapshot
