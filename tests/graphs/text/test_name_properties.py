import itertools
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphs.text import characters, glyphs, names

KEYS = (
    names.site_key,
    names.strict_key,
    names.variant_key,
    names.loose_key,
    names.kana_key,
    names.kana_loose_key,
    names.roman_key,
)
TEXT_FUNCTIONS = (
    *KEYS,
    names.name_keys,
    names.foreign_tokens,
    names.trailing_annotation,
    names.is_placeholder_name,
    names.has_lost_character,
    names.has_kanji,
)

# Surrogates and NUL included; the second half is made of what the keys treat specially.
ANY_TEXT = st.text(st.characters())
TROUBLE = st.text(
    st.sampled_from("山髙々ゝゞヽヾアか゛゙゚ーｰ-—〜～()（）[]【】⑴・. 　\ufeff\u200b\x85\x1cＡaİσΣ?〓\ufffdヶ𠮷\U000e0100")
)
MESSY = st.one_of(ANY_TEXT, TROUBLE)


class TestTables:
    def test_no_target_is_a_source(self) -> None:
        assert not [target for target in glyphs.TIER_A.values() if ord(target) in glyphs.TIER_A]
        assert not [
            target for target in glyphs.TIER_B.values() if ord(target) in glyphs.TIER_A or ord(target) in glyphs.TIER_B
        ]

    def test_the_tiers_are_disjoint(self) -> None:
        assert not glyphs.TIER_A.keys() & glyphs.TIER_B.keys()

    def test_every_entry_survives_the_strict_key(self) -> None:
        for point, target in itertools.chain(glyphs.TIER_A.items(), glyphs.TIER_B.items()):
            assert names.strict_key(chr(point) + target) == chr(point) + target


class TestProperties:
    @given(MESSY)
    @example("か" + "゛" * 3 + "-")
    @example("サ々-")
    @example("[々")
    @example("ぁ‐々")
    @example("ヵ\u3099ヽ")
    @example("カ々\u3099ヽ")
    @example("サ々-々")
    @example("ぁーゝ")
    @example("ぁ\u3099ヽ")
    @example("山(3).(4)")
    @example("㌈゛-")
    def test_keys_are_idempotent(self, text: str) -> None:
        for key in KEYS:
            assert key(key(text)) == key(text), key.__name__

    @given(MESSY, MESSY)
    def test_equal_keys_stay_equal_in_the_next_key(self, a: str, b: str) -> None:
        left, right = names.name_keys(a), names.name_keys(names.strict_key(a) if len(b) % 2 else b)
        if left.strict == right.strict:
            assert left.variant == right.variant
        if left.variant == right.variant:
            assert left.loose == right.loose
        assert names.variant_key(left.strict) == left.variant
        assert names.loose_key(left.variant) == left.loose

    @given(MESSY)
    def test_keys_computed_together_equal_the_single_ones(self, text: str) -> None:
        assert names.name_keys(text) == names.NameKeys(
            names.site_key(text), names.strict_key(text), names.variant_key(text), names.loose_key(text)
        )

    @given(MESSY)
    def test_the_site_key_strips_what_a_javascript_blank_is(self, text: str) -> None:
        # ECMA-262: tab, line tabulation, form feed, U+FEFF, category Zs, and the four line terminators.
        oracle = "".join(
            character
            for character in text
            if not (character in "\t\v\f\ufeff\n\r\u2028\u2029" or unicodedata.category(character) == "Zs")
        )
        assert names.site_key(text) == oracle

    def test_the_site_key_keeps_what_only_python_strips(self) -> None:
        assert names.site_key("見本\x85\x1c太郎") == "見本\x85\x1c太郎"
        assert names.site_key("見本\ufeff太郎") == "見本太郎"

    @given(MESSY)
    def test_letters_and_digits_never_vanish_outside_an_annotation(self, text: str) -> None:
        plain = "".join(character for character in text if character not in characters.OPENING + characters.CLOSING)
        key = names.strict_key("山" + "".join(c for c in plain if c in "山髙アか〜Ａa𠮷"))
        assert len(key) >= 1 + sum(c in "山髙アか〜Ａa𠮷" for c in plain)

    @given(MESSY, MESSY)
    def test_pairs_of_differing_characters_differ(self, a: str, b: str) -> None:
        assert all(left != right for left, right in names.differing_characters(a, b))

    @given(MESSY)
    def test_a_name_is_an_annotation_short_of_itself(self, text: str) -> None:
        if names.trailing_annotation(text) is not None:
            assert characters.annotation_start(names.strict_key(text)) in {None, 0}

    @pytest.mark.parametrize(
        "text",
        [
            "山" * 10_000,
            "(" * 10_000,
            ")" * 10_000,
            "々" * 10_000,
            "oh" * 5_000,
            "\0",
            "\ud800",
            "ア-" * 5_000,
            "(1)" * 3_000,
        ],
    )
    def test_no_text_is_too_odd(self, text: str) -> None:
        for function in TEXT_FUNCTIONS:
            function(text)
        names.lost_character_pattern(text)
        names.foreign_forms_compatible(text, text)

    @given(MESSY)
    def test_no_text_raises(self, text: str) -> None:
        for function in TEXT_FUNCTIONS:
            function(text)
        names.foreign_forms_compatible(text, "S.ミホンゲイ")
