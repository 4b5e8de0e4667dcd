"""Several events of one athlete are one diagnosis."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from keifu_quality.db.agent import ImportRole
from keifu_quality.db.imports.events import AffectedPerson, Reason, collapse


def _person(number: int, role: ImportRole, reasons: set[Reason]) -> AffectedPerson:
    return AffectedPerson(person_id=f"p{number}", slug=f"slug-{number}", role=role, reasons=frozenset(reasons))


PEOPLE = st.lists(
    st.builds(_person, st.integers(0, 5), st.sampled_from(ImportRole), st.sets(st.sampled_from(Reason))), max_size=30
)


@given(PEOPLE, st.randoms())
def test_everybody_is_there_once_with_every_reason_in_whatever_order_they_come(
    people: list[AffectedPerson], random: Random
) -> None:
    once = collapse(people)
    shuffled = list(people)
    random.shuffle(shuffled)
    assert collapse(shuffled) == once
    assert [person.person_id for person in once] == sorted({person.person_id for person in people})
    for person in once:
        same = [other for other in people if other.person_id == person.person_id]
        assert person.reasons == frozenset().union(*(other.reasons for other in same))
        assert (person.role is ImportRole.TOUCHED) == any(other.role is ImportRole.TOUCHED for other in same)
