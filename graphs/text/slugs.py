"""Names inside temporary person slugs.

Belongs here: decoding the hexadecimal slugs that importers derive from a name, and building one. Stays out: comparing
the name with a record.

An importer without a readable slug writes ``person-`` and the UTF-8 bytes of a text as hexadecimal digits, in one form
cut to 12 bytes, so that names with a common start share a slug. Other slugs of the same look hold a digest and no name.
"""

import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from graphs.text.characters import has_kana, has_kanji

TEMPORARY_SLUG_BYTES: Final = 12
"""How many bytes of the name the short form keeps."""

_TEMPORARY: Final = re.compile(r"person-(?:.*-)?(?P<digits>[0-9a-f]{6,})", re.ASCII)
_LATIN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z'. -]{6,}", re.ASCII)
_ORGANIZATION: Final = re.compile(r"(?P<slug>[a-z0-9]+(?:-[a-z0-9]+)*)-(?=[^\x00-\x7f])", re.ASCII)


@dataclass(frozen=True, slots=True)
class DecodedSlug:
    """The text inside a slug; ``truncated`` when its last character was cut and left out."""

    text: str
    truncated: bool


@dataclass(frozen=True, slots=True)
class SlugName:
    """The parts of a decoded slug.

    ``name`` may be a prefix only: ``complete`` tells that something follows it or that the text was not cut.
    ``school`` is the start of a school's name, ``organization_slug`` the slug of the team the name was entered for.
    """

    name: str
    complete: bool
    school: str | None = None
    organization_slug: str | None = None


def decode_slug(slug: str) -> DecodedSlug | None:
    """Return the text that a temporary person slug holds; None for a readable slug, a digest or anything else."""
    found = _TEMPORARY.fullmatch(slug)
    if found is None:
        return None
    digits = found["digits"]
    whole = len(digits) // 2 * 2
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(bytes.fromhex(digits[:whole]))
    except UnicodeDecodeError:
        return None
    pending, _ = decoder.getstate()
    return DecodedSlug(text, truncated=bool(pending) or whole < len(digits)) if _is_name(text) else None


def name_from_slug(slug: str) -> SlugName | None:
    """Return the name, school and organization inside a temporary slug; None when the slug holds no name."""
    decoded = decode_slug(slug)
    if decoded is None:
        return None
    text = decoded.text
    organization = _ORGANIZATION.match(text)
    organization_slug = None
    if organization is not None:
        organization_slug, text = organization["slug"], text[organization.end() :]
    name, dash, school = text.partition("-")
    return SlugName(
        name=name.strip(),
        complete=bool(dash) or not decoded.truncated,
        school=school or None,
        organization_slug=organization_slug,
    )


def temporary_slug(name: str) -> str:
    """Return the short temporary slug of a name, as the importer builds it from the spelling of the source."""
    return f"person-{name.encode('utf-8', 'surrogatepass')[:TEMPORARY_SLUG_BYTES].hex()}"


def _is_name(text: str) -> bool:
    if any(unicodedata.category(character).startswith("C") for character in text):
        return False
    return has_kanji(text) or has_kana(text) or _LATIN_NAME.fullmatch(text) is not None
