"""Whether a name that a source printed, or a slug holds, is the athlete's name.

Belongs here: the one comparison behind PN11 and PN15. Stays out: other people (`weighing`).
"""

import re
from typing import Literal

from graphs.rules.athlete import Athlete
from graphs.text.names import (
    foreign_forms_compatible,
    foreign_tokens,
    has_kanji,
    is_placeholder_name,
    kana_key,
    lost_character_pattern,
    name_keys,
)

Agreement = Literal["equal", "glyphs", "other"]

_JAPANESE_NAME = re.compile(
    r"[\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\s・]+"
)


def agreement(athlete: Athlete, printed: str) -> Agreement:
    """Whether a printed name is the athlete's, differs in glyph forms only, or is another name.

    Recorded other names, foreign long, short and initial forms, the reading, and a name with lost characters that
    fits all count as the athlete's. A placeholder says nothing against it.
    """
    known = [athlete.person.name_ja, *(v.value for v in athlete.name_variants)]
    if is_placeholder_name(printed):
        return "equal"
    keys = name_keys(printed)
    variants = [name_keys(name) for name in known]
    if any(keys.strict == other.strict for other in variants) or any(_is_form_of(printed, name) for name in known):
        return "equal"
    kana = athlete.person.kana
    if kana and not has_kanji(printed) and kana_key(printed) == kana_key(kana):
        return "equal"
    return "glyphs" if any(keys.variant == other.variant for other in variants) else "other"


def slug_agreement(athlete: Athlete, name: str) -> Agreement:
    """Whether the name inside a slug begins the athlete's name; a cut slug holds only its beginning.

    Bytes that do not spell a Japanese name were a digest, and say nothing.
    """
    if _JAPANESE_NAME.fullmatch(name) is None:
        return "equal"
    whole = agreement(athlete, name)
    if whole != "other":
        return whole
    keys = name_keys(name)
    known = [name_keys(value) for value in (athlete.person.name_ja, *(v.value for v in athlete.name_variants))]
    if any(other.strict.startswith(keys.strict) for other in known):
        return "equal"
    return "glyphs" if any(other.variant.startswith(keys.variant) for other in known) else "other"


def _is_form_of(printed: str, name: str) -> bool:
    for first, second in ((printed, name), (name, printed)):
        pattern = lost_character_pattern(first)
        if pattern is not None and pattern.fullmatch(name_keys(second).strict):
            return True
    if has_kanji(printed) or has_kanji(name):
        return False
    if foreign_forms_compatible(printed, name) != "no":
        return True
    ours, theirs = set(foreign_tokens(printed).tokens), set(foreign_tokens(name).tokens)
    return bool(ours and theirs) and (ours <= theirs or theirs <= ours)
