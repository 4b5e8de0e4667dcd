"""Which organizations are the same, and which are teams for a day.

Belongs here: `sameOrg` and the temporary teams of the archive. Identity of organizations is only ever evidence.
"""

from functools import lru_cache

from graphs.facts import Organization
from graphs.text.organizations import is_temporary_organization, organization_key


@lru_cache(maxsize=65_536)
def canonical_key(name_ja: str, organization_type: str) -> str:
    """The canonical key of an organization's name; organizations repeat across a roster, so it is kept."""
    return organization_key(name_ja, organization_type)


def is_temporary(organization: Organization) -> bool:
    """Prefecture and selection teams: they never make a membership."""
    return is_temporary_organization(organization.slug, organization.name_ja, organization.type)


def linked_by_name(first: Organization, second: Organization) -> bool:
    """Whether a recorded other name of one is the name of the other."""
    if first.type != second.type:
        return False
    first_keys = {canonical_key(name.value, first.type) for name in first.names}
    second_keys = {canonical_key(name.value, second.type) for name in second.names}
    return (
        canonical_key(second.name_ja, second.type) in first_keys
        or canonical_key(first.name_ja, first.type) in second_keys
    )


def same_organization(first: Organization, second: Organization) -> bool:
    """Same row, linked by a recorded name, or same type and key with no contradicting prefecture.

    The prefecture is trusted first: two schools of one name in two prefectures are two schools.
    """
    if first.id == second.id:
        return True
    if first.type != second.type:
        return False
    if first.prefecture and second.prefecture and first.prefecture != second.prefecture:
        return False
    return canonical_key(first.name_ja, first.type) == canonical_key(second.name_ja, second.type) or linked_by_name(
        first, second
    )
