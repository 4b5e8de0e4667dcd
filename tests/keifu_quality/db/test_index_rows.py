"""Which keys a name gets by where it was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keifu_quality.db.agent import KEY_COLUMNS, NameKind
from keifu_quality.db.index_rows import ArchivePerson, keys_version, name_rows, person_row, turned_slugs

B_TREE_LIMIT = 2_704


def keys_of(kind: NameKind, value: str) -> dict[str, str]:
    person = ArchivePerson("p", "slug", "例山", frozenset({(kind, value)}))
    [row] = [row for row in name_rows(person) if (row[1], row[2]) == (kind, value)]
    return {column: key for column, key in zip(KEY_COLUMNS, row[3:], strict=True) if key is not None}


@pytest.mark.parametrize(
    ("kind", "value", "columns"),
    [
        (NameKind.DISPLAY, "里見 朝日", {"site_key", "strict_key", "variant_key", "loose_key"}),
        (NameKind.KANA, "サトミ アサヒ", {"kana_key", "loose_key"}),
        (NameKind.ROMAN, "Asahi Satomi", {"roman_key"}),
        (NameKind.CHINESE, "里见朝日", {"site_key", "strict_key", "variant_key", "loose_key"}),
        (NameKind.ENGLISH, "Sam Ple", {"site_key", "strict_key", "variant_key", "loose_key", "roman_key"}),
        (NameKind.VARIANT, "サトミ", set(KEY_COLUMNS)),
    ],
)
def test_a_name_has_the_keys_of_its_kind(kind: NameKind, value: str, columns: set[str]) -> None:
    assert keys_of(kind, value).keys() == columns


def test_the_row_of_a_person_has_reading_and_romanised_name() -> None:
    names = frozenset({(NameKind.KANA, "サトミ アサヒ"), (NameKind.ROMAN, "Asahi Satomi"), (NameKind.VARIANT, "旧見")})
    row = person_row(ArchivePerson("p", "asahi", "里見 朝日", names))
    assert row[:3] == ("p", "asahi", "里見 朝日")
    keys = dict(zip((*KEY_COLUMNS, "is_placeholder"), row[3:], strict=True))
    assert (keys["strict_key"], keys["kana_key"], keys["roman_key"]) == ("里見朝日", "サトミアサヒ", "asahi satomi")
    assert (keys["foreign_key"], keys["is_placeholder"]) == (None, False)


@given(st.text(max_size=250), st.sampled_from(list(NameKind)))
def test_no_name_is_too_long_for_an_index(value: str, kind: NameKind) -> None:
    person = ArchivePerson("p", "slug", value, frozenset({(kind, value)}))
    for row in (person_row(person)[3:10], *(row[2:] for row in name_rows(person))):
        for key in row:
            assert key is None or (isinstance(key, str) and len(key.encode("utf-8", "surrogatepass")) < B_TREE_LIMIT)
            assert key != ""


@pytest.mark.parametrize(
    ("slug", "turned"),
    [
        ("haruto-mitani", {"mitani-haruto"}),
        ("a-b-c", {"a-c-b", "b-a-c", "b-c-a", "c-a-b", "c-b-a"}),
        ("mitani", set()),
        ("same-same", set()),
        ("person-abc", set()),
        ("a--b", set()),
        ("a-b-c-d-e", set()),
    ],
)
def test_a_slug_turns_unless_it_was_made_up(slug: str, turned: set[str]) -> None:
    assert turned_slugs(slug) == turned


def test_the_version_of_the_keys_is_short_and_stable() -> None:
    assert keys_version() == keys_version()
    assert len(keys_version()) == 12
