"""The bests of import payloads, from a directory into the snapshots of athletes."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from graphs.contracts import DiagnosisInput, PersonRef
from graphs.facts import Snapshot
from graphs.rules.athlete import Athlete
from graphs.rules.configuration import RuleConfiguration
from graphs.rules.registry import rule_by_code
from graphs.rules.rule import RuleContext
from keifu_quality.payload_bests import PayloadBestReader, PayloadUnreadable, read_payloads
from tests.graphs.rules.facts_builder import build_snapshot


class Archive:
    """A reader that knows two athletes."""

    def find_people(self, request: DiagnosisInput, *, limit: int) -> tuple[Sequence[PersonRef], int]:
        return (PersonRef(person_id="a", person_slug="a", display_name_ja=request.person_name or ""),), limit

    def load_snapshots(self, person_ids: Sequence[str]) -> Mapping[str, Snapshot]:
        names = {"a": "例見 太郎", "b": "別見 次郎"}
        best = {"discipline": "m5000", "mark": "13:52.10", "mark_millis": 832_100}
        return {
            person_id: build_snapshot(
                {"person": {"id": person_id, "name_ja": names[person_id]}, "personal_bests": [best]}
            )
            for person_id in person_ids
        }


def write(directory: Path, name: str, mark: str, **best: Any) -> None:
    """A payload with one entry and what else a payload holds."""
    payload = {
        "batchKey": name,
        "sourceId": f"source-{name}",
        "entries": [
            {
                "slug": "reimi-taro",
                "displayNameJa": "例見　太郎",
                "grade": 3,
                "pbs": [{"discipline": "m5000", "mark": mark, **best}],
            },
            {"slug": "nobody", "displayNameJa": "無見 三郎"},
        ],
    }
    (directory / f"{name}.json").write_text(json.dumps(payload), encoding="utf-8")


def test_bests_are_read_by_name_with_edition_leg_and_source(tmp_path: Path) -> None:
    write(tmp_path, "reiji-102-leg-3", "13:45.67")
    write(tmp_path, "reiji-meet", "13:50.00", sourceId="source-own")
    write(tmp_path, "reiji-103-leg-1.draft", "13:00.00")

    bests = read_payloads(tmp_path)

    assert list(bests) == ["例見太郎"]
    assert [(best.mark, best.edition, best.leg, best.source_id) for best in bests["例見太郎"]] == [
        ("13:45.67", 102, 3, "source-reiji-102-leg-3"),
        ("13:50.00", None, None, "source-own"),
    ]


def test_the_rule_compares_what_the_reader_hands_on(tmp_path: Path) -> None:
    write(tmp_path, "reiji-101-leg-9", "13:52.10")
    write(tmp_path, "reiji-102-leg-3", "13:45.67")
    snapshots = PayloadBestReader(Archive(), read_payloads(tmp_path)).load_snapshots(["a", "b"])
    context = RuleContext(
        today=date(2026, 11, 1), now=datetime(2026, 11, 1, tzinfo=UTC), configuration=RuleConfiguration()
    )

    (finding,) = rule_by_code("PB14").check(Athlete(snapshots["a"]), context)

    assert "reiji-102-leg-3.json has 13:45.67" in finding.detail
    assert list(rule_by_code("PB14").check(Athlete(snapshots["b"]), context)) == []


def test_a_search_is_passed_on() -> None:
    people, count = PayloadBestReader(Archive(), {}).find_people(DiagnosisInput(person_name="例見 太郎"), limit=3)

    assert ([person.person_id for person in people], count) == (["a"], 3)


@pytest.mark.parametrize(
    ("content", "fault"),
    [("{", "Invalid JSON"), ("[]", "object"), ('{"sourceId": "s", "entries": [{"pbs": []}]}', "displayNameJa")],
)
def test_a_file_that_is_no_payload_is_named(tmp_path: Path, content: str, fault: str) -> None:
    (tmp_path / "broken.json").write_text(content, encoding="utf-8")

    with pytest.raises(PayloadUnreadable, match=f"broken.json.*{fault}"):
        read_payloads(tmp_path)


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PayloadUnreadable, match="nowhere is no directory"):
        read_payloads(tmp_path / "nowhere")
