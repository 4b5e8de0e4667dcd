"""All forms, in the order in which they are planted.

Belongs here: the list of modules and the order. Stays out: any particular form.
"""

from collections import Counter
from types import ModuleType

from keifu_quality.sample.faults import (
    bests_marks,
    bests_rows,
    caches,
    clean,
    identity_forms,
    identity_mixed,
    identity_records,
    identity_same,
    membership_career,
    membership_current,
    membership_order,
    membership_results,
    membership_rows,
    names_malformed,
    profiles,
    profiles_verified,
)
from keifu_quality.sample.faults.form import Form

FIRST_CODES = (
    "PC01", "PC05", "MT01", "MT02", "MT04", "PN01", "PN02", "PN04", "PN16", "PB01", "PB03", "PB04", "PB06", "RC01",
    "RC02", "RC03",
)  # fmt: skip
"""Rules that a small roster shows first."""

_FAULT_MODULES: tuple[ModuleType, ...] = (
    membership_current,
    membership_order,
    membership_rows,
    membership_results,
    membership_career,
    identity_same,
    identity_forms,
    identity_mixed,
    identity_records,
    names_malformed,
    profiles,
    profiles_verified,
    bests_rows,
    bests_marks,
    caches,
)


def fault_forms() -> list[Form]:
    """The first form of every rule, then the second ones, and so on; the rules of `FIRST_CODES` lead."""
    seen: Counter[str] = Counter()
    placed: list[tuple[int, bool, Form]] = []
    for module in _FAULT_MODULES:
        for form in _forms(module):
            placed.append((seen[form.code], form.code not in FIRST_CODES, form))
            seen[form.code] += 1
    return [form for _turn, _late, form in sorted(placed, key=lambda item: item[:2])]


def clean_forms() -> list[Form]:
    """The clean special cases."""
    return _forms(clean)


def _forms(module: ModuleType) -> list[Form]:
    found: list[Form] = []
    for value in vars(module).values():
        if isinstance(value, Form):
            found.append(value)
        elif isinstance(value, tuple):
            found += [item for item in value if isinstance(item, Form)]
    return found
