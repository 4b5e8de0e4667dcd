"""The athletes of the demonstration, present in every roster of 50 or more.

Belongs here: one clean athlete, one with faults in every family, and two of one name. Stays out: everybody else.
"""

from keifu_quality.sample.workshop import Workshop

DEMO_CLEAN_SLUG = "tsukasa-hinayama"
DEMO_FAULTY_SLUG = "isamu-karisaka"
DEMO_AMBIGUOUS_NAME = "例池稔"
DEMO_AMBIGUOUS_SLUG = "minoru-reiike"


def plant(workshop: Workshop) -> None:
    """Makes the athletes of the demonstration."""
