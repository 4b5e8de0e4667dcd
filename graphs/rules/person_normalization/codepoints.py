"""How a name's characters are shown where they cannot be seen.

Belongs here: code points as text. Stays out: which characters are wrong (`name_faults`).
"""


def codepoints(text: str) -> tuple[str, ...]:
    """The code points of a text in the form U+9AD9, in reading order."""
    return tuple(f"U+{ord(character):04X}" for character in text)
