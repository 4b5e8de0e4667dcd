import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.text.slugs import DecodedSlug, SlugName, decode_slug, name_from_slug, temporary_slug
from tests.graphs.text.vectors import load

VECTORS = load("slugs")
JAPANESE = st.text(st.sampled_from("見本例太郎𠮷髙ミホンーゲイさと ・"), min_size=2, max_size=12).filter(
    lambda text: any(character not in " ・ー" for character in text[:2])
)


@pytest.mark.parametrize("vector", VECTORS["decoded"], ids=lambda v: v["slug"])
def test_decoded(vector: dict[str, dict[str, str | bool] | None]) -> None:
    expected = vector["decoded"]
    decoded = decode_slug(str(vector["slug"]))
    assert decoded == (None if expected is None else DecodedSlug(str(expected["text"]), bool(expected["truncated"])))


@pytest.mark.parametrize(("name", "slug"), VECTORS["collisions"].items())
def test_collisions(name: str, slug: str) -> None:
    assert temporary_slug(name) == slug


@pytest.mark.parametrize(
    ("slug", "expected"),
    [
        ("person-e4b8ade9878c20e68b93e6b5", SlugName("中里 拓", complete=False)),
        ("person-e4be8be794b020e699832de6", SlugName("例田 晃", complete=True)),
        (f"person-{'例田 晃-例高'.encode().hex()}", SlugName("例田 晃", complete=True, school="例高")),
        ("person-jusic2021-e4be8be983a8e587b1e69d8f", SlugName("例部凱杏", complete=True)),
        (
            f"person-{'rei-university-サミュエル ミホンゲイ'.encode().hex()}",
            SlugName("サミュエル ミホンゲイ", complete=True, organization_slug="rei-university"),
        ),
        ("mihon-taro", None),
        ("person-nittaidai328-ac0a0777128b13477117", None),
    ],
)
def test_name_from_slug(slug: str, expected: SlugName | None) -> None:
    assert name_from_slug(slug) == expected


@given(JAPANESE)
def test_a_temporary_slug_decodes_to_a_prefix(name: str) -> None:
    decoded = decode_slug(temporary_slug(name))
    assert decoded is not None
    assert name.startswith(decoded.text)
    assert decoded.truncated == (len(name.encode()) > 12 and len(decoded.text.encode()) < 12)


@given(st.text(st.characters()), st.binary(max_size=60))
def test_no_slug_raises(text: str, content: bytes) -> None:
    for slug in (
        text,
        f"person-{text}",
        f"person-{content.hex()}",
        f"person-x-{content.hex()[:-1]}",
        temporary_slug(text),
    ):
        decode_slug(slug)
        name_from_slug(slug)
