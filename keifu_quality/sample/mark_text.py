"""Marks as result lists print them.

Belongs here: text out of whole milliseconds. Stays out: reading marks, which is the product's own business.
"""

TRACK = frozenset({"m800", "m1500", "m2000sc", "m3000", "m3000sc", "m5000", "m10000"})
"""Disciplines timed to the hundredth; everything on the road is timed in whole seconds."""


def canonical(discipline: str, millis: int) -> str:
    """The mark in the archive's form: `13:45.67` on the track, `1:02:03` or `28:12` on the road."""
    seconds, rest = divmod(millis, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
    return f"{clock}.{rest // 10:02d}" if discipline in TRACK else clock


def timed(discipline: str, millis: float) -> int:
    """Milliseconds rounded up to what the discipline's timing shows: a hundredth or a whole second."""
    unit = 10 if discipline in TRACK else 1000
    return -int(-millis // unit) * unit
