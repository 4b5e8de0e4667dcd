"""Plausible times per discipline, as configuration.

Belongs here: the figures that bound a credible time, with the day they were gathered. Stays out: parsing, and what a
rule concludes from a time outside the bounds.

Times are milliseconds. Women's bounds apply only where the sex of an athlete is known; the archive holds men. The
best times are world bests as of ``AS_OF`` from World Athletics lists; those not marked as confirmed come from general
knowledge and are to be re-checked with each revision of the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from pydantic import ConfigDict, with_config

AS_OF: Final = date(2026, 2, 1)
"""The day the world bests and bounds were gathered."""

NATIONAL_RECORDS_AS_OF: Final = date(2024, 2, 1)
"""The day the national record lines were gathered; half marathon and marathon have been run faster since."""


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class MarkBounds:
    """The credible range of a time in milliseconds: faster than the floor is wrong, slower than the ceiling doubtful.

    ``best_millis`` is the fastest time known, ``confirmed`` whether a public page was seen for it.
    """

    floor_millis: int
    ceiling_millis: int
    best_millis: int | None = None
    confirmed: bool = False

    def holds(self, millis: int) -> bool:
        """Tell whether a time lies within the bounds, both inclusive."""
        return self.floor_millis <= millis <= self.ceiling_millis


MEN: Final[Mapping[str, MarkBounds]] = MappingProxyType(
    {
        "m800": MarkBounds(100_000, 165_000, 100_910),
        "m1500": MarkBounds(204_000, 340_000, 206_000),
        "m2000sc": MarkBounds(306_000, 480_000, 310_680, confirmed=True),
        "m3000": MarkBounds(434_000, 690_000, 437_550),
        "m3000sc": MarkBounds(468_000, 720_000, 472_110),
        "m5000": MarkBounds(750_000, 1_170_000, 755_360, confirmed=True),
        "m10000": MarkBounds(1_560_000, 2_280_000, 1_571_000, confirmed=True),
        "ten_mile": MarkBounds(2_580_000, 3_900_000, 2_640_000),
        # 56:42 is not ratified; the record is 57:30.
        "half_marathon": MarkBounds(3_390_000, 5_400_000, 3_402_000, confirmed=True),
        "marathon": MarkBounds(7_080_000, 12_600_000, 7_235_000, confirmed=True),
    }
)

WOMEN: Final[Mapping[str, MarkBounds]] = MappingProxyType(
    {
        "m800": MarkBounds(112_000, 190_000, 113_280),
        "m1500": MarkBounds(226_000, 390_000, 228_680),
        "m2000sc": MarkBounds(340_000, 560_000, 352_800, confirmed=True),
        "m3000": MarkBounds(482_000, 800_000, 486_110),
        "m3000sc": MarkBounds(519_000, 860_000, 524_320),
        "m5000": MarkBounds(829_000, 1_350_000, 838_060),
        "m10000": MarkBounds(1_715_000, 2_700_000, 1_734_140),
        "ten_mile": MarkBounds(2_940_000, 4_800_000, 3_000_000),
        "half_marathon": MarkBounds(3_750_000, 6_600_000, 3_772_000, confirmed=True),
        "marathon": MarkBounds(7_740_000, 15_000_000, 7_796_000, confirmed=True),
    }
)

NATIONAL_RECORDS: Final[Mapping[str, int]] = MappingProxyType(
    {"m3000sc": 483_430, "m5000": 788_400, "m10000": 1_629_800, "half_marathon": 3_600_000, "marathon": 7_496_000}
)
"""Records of Japan for men, for a note on athletes of Japanese nationality and on nobody else."""

_LEG_FLOOR_MILLIS_PER_KM: Final = 145_000
_LEG_CEILING_MILLIS_PER_KM: Final = 330_000


def ekiden_leg_bounds(distance_meters: int | None) -> MarkBounds | None:
    """Return the bounds of a relay leg from its length, 2:25 to 5:30 per kilometre; None when the length is unknown."""
    if distance_meters is None or distance_meters <= 0:
        return None
    return MarkBounds(
        floor_millis=distance_meters * _LEG_FLOOR_MILLIS_PER_KM // 1000,
        ceiling_millis=distance_meters * _LEG_CEILING_MILLIS_PER_KM // 1000,
    )
