"""What a shell record is: a person made from one result row, with nothing else attached."""

from graphs.rules.athlete import Athlete


def is_shell(athlete: Athlete) -> bool:
    """Pending, without memberships and personal bests, with at most one result."""
    return (
        athlete.person.status == "pending"
        and len(athlete.snapshot.memberships) == 0
        and len(athlete.snapshot.personal_bests) == 0
        and len(athlete.snapshot.results) <= 1
    )
