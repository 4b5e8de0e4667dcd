"""Slugs of people, in the forms that the archive's importer makes.

Belongs here: readable slugs, slugs that encode a name in hexadecimal, and opaque ones, each given once. Stays out:
reading a slug, which is the product's own business.
"""

from random import Random

from keifu_quality.sample.names import Name


def encoded(name: Name, *, bytes_kept: int = 12) -> str:
    """The temporary slug of a kanji name: UTF-8 of family name, space, given name, cut to some bytes, in hex digits."""
    return f"person-{f'{name.family} {name.given}'.encode()[:bytes_kept].hex()}"


class SlugSupply:
    """Gives out slugs, each once."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._used: set[str] = set()

    def is_free(self, slug: str) -> bool:
        """Whether nobody has the slug yet."""
        return slug not in self._used

    def claim(self, slug: str) -> str:
        """Takes a chosen slug. Raises ValueError when it is given out already."""
        if slug in self._used:
            raise ValueError(f"the slug {slug} is given out twice")
        self._used.add(slug)
        return slug

    def opaque(self) -> str:
        """A temporary slug of 16 hexadecimal digits that is not the text of any name; it is still to be claimed."""
        # FF never occurs in UTF-8, so that nobody can read a name into it.
        return f"person-{self._rng.getrandbits(24):06x}ff{self._rng.getrandbits(32):08x}"

    def any_form(self, name: Name, organization_slug: str | None) -> str:
        """A slug in one of the importer's forms, claimed.

        Without `organization_slug` it is readable or opaque, and no name can be read into it.
        """
        chance = self._rng.random()
        if name.roman_is_unique and chance < 0.6:
            wanted = f"{name.given_roman}-{name.family_roman}"
        elif organization_slug is None or chance > 0.9:
            wanted = self.opaque()
        elif not name.is_foreign and chance < 0.75:
            wanted = encoded(name)
        elif chance < 0.85:
            wanted = f"person-{organization_slug}-{self._rng.getrandbits(32):08x}"
        else:
            written = name.written.replace("・", " ") if name.is_foreign else f"{name.family} {name.given}"
            wanted = f"person-{f'{organization_slug}-{written}'.encode()[:60].hex()}"
        return self.claim(self.opaque() if wanted in self._used else wanted)
