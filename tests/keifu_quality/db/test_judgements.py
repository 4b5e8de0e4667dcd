"""Judgements on pairs of athletes: what is kept, what is in force, what the rules are given."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, insert
from sqlalchemy.exc import IntegrityError

from keifu_quality.db.judgements import Judged, JudgementStore, NothingToWithdraw, Verdict, identity_judgements

pytestmark = pytest.mark.postgres

A, B, C = (Judged(name, f"slug-{name}") for name in "abc")


@pytest.fixture
def store(agent: Engine) -> JudgementStore:
    return JudgementStore(agent)


def judge(store: JudgementStore, one: Judged, other: Judged, verdict: Verdict, note: str | None = None) -> None:
    store.judge(one, other, verdict, note=note, by="keeper")


def test_a_pair_is_one_pair_in_either_order(store: JudgementStore) -> None:
    recorded = store.judge(B, A, "different", note="two legs", by="keeper")

    assert (recorded.first_person_id, recorded.second_person_id) == ("a", "b")
    assert (recorded.first_slug, recorded.second_slug) == ("slug-a", "slug-b")
    assert (recorded.verdict, recorded.note, recorded.decided_by) == ("different", "two legs", "keeper")
    assert recorded.decided_at.tzinfo is not None
    assert store.history(A, B) == store.history(B, A) == [recorded]


def test_a_new_judgement_ends_the_one_before_and_keeps_it(store: JudgementStore) -> None:
    judge(store, A, B, "unsure")
    store.judge(A, B, "same", note=None, by="successor")

    old, new = store.history(A, B)

    assert (old.verdict, old.withdrawn_by) == ("unsure", "successor")
    assert old.withdrawn_at is not None
    assert old.decided_at < old.withdrawn_at <= new.decided_at
    assert (new.verdict, new.withdrawn_at) == ("same", None)


def test_saying_the_same_again_changes_nothing_and_a_new_note_does(store: JudgementStore) -> None:
    judge(store, A, B, "same", "photo")
    judge(store, B, A, "same", "photo")
    assert len(store.history(A, B)) == 1
    judge(store, A, B, "same", "photo and birth date")
    assert [row.note for row in store.history(A, B)] == ["photo", "photo and birth date"]


def test_a_withdrawn_judgement_is_history_only(store: JudgementStore) -> None:
    judge(store, A, B, "different")

    withdrawn = store.withdraw(B, A, by="keeper")

    assert store.history(A, B) == [withdrawn]
    assert (withdrawn.withdrawn_by, withdrawn.withdrawn_at is None) == ("keeper", False)
    assert store.judgements_among({"a": ["a", "b"]}) == {"a": []}
    with pytest.raises(NothingToWithdraw, match="slug-a and slug-b"):
        store.withdraw(A, B, by="keeper")


def test_each_group_gets_the_judgements_within_it(store: JudgementStore) -> None:
    judge(store, A, B, "different", "two legs")
    judge(store, B, C, "same")

    found = store.judgements_among({"a": ["a", "b", "c"], "c": ["c", "b"], "x": ["a", "c"], "y": []})

    assert [(j.person_ids, j.verdict) for j in found["a"]] == [(("a", "b"), "different"), (("b", "c"), "same")]
    assert [j.person_ids for j in found["c"]] == [("b", "c")]
    assert (found["x"], found["y"]) == ([], [])
    assert (found["a"][0].note, found["a"][0].decided_by) == ("two legs", "keeper")


def test_one_athlete_is_no_pair(store: JudgementStore) -> None:
    with pytest.raises(ValueError, match="two athletes"):
        judge(store, A, A, "same")


def test_ids_are_ordered_by_code_point_as_the_rules_order_them(store: JudgementStore) -> None:
    recorded = store.judge(Judged("a1", "one"), Judged("B2", "two"), "same", note=None, by="keeper")
    assert (recorded.first_person_id, recorded.second_person_id) == ("B2", "a1")


def test_judgements_at_once_leave_one_in_force(store: JudgementStore) -> None:
    start = threading.Barrier(4)

    def run(number: int) -> None:
        start.wait()
        judge(store, A, B, "different", str(number))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))

    rows = store.history(A, B)
    assert sorted(row.note or "" for row in rows) == ["0", "1", "2", "3"]
    assert [row.withdrawn_at is None for row in rows] == [False, False, False, True]


@pytest.mark.parametrize(
    ("changed", "constraint"),
    [
        ({"first_person_id": "b", "second_person_id": "a"}, "ascending"),
        ({"second_person_id": "a"}, "ascending"),
        ({"verdict": "perhaps"}, "verdict"),
        ({"withdrawn_by": "keeper"}, "withdrawal"),
        ({}, "uq_identity_judgements_in_force"),
    ],
)
def test_the_table_keeps_to_its_rules(
    agent: Engine, store: JudgementStore, changed: dict[str, str], constraint: str
) -> None:
    judge(store, A, B, "same")
    row = {
        "first_person_id": "a",
        "second_person_id": "b",
        "first_slug": "slug-a",
        "second_slug": "slug-b",
        "verdict": "same",
        "decided_by": "keeper",
    }
    with agent.begin() as connection, pytest.raises(IntegrityError, match=constraint):
        connection.execute(insert(identity_judgements).values(row | changed))
