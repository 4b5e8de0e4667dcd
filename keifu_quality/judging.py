"""Judging two athletes by their slugs.

Belongs here: who is meant, and the sentence that explains a pair that cannot be judged. Stays out: the table
(`keifu_quality.db.judgements`) and the terminal.
"""

from collections.abc import Sequence

from graphs.contracts import DiagnosisInput
from graphs.ports import BusinessReader
from keifu_quality.db.judgements import Judged, JudgementStore, RecordedJudgement, Verdict
from keifu_quality.errors import KeifuError


class PairRefused(KeifuError):
    """The two slugs do not name two athletes."""


class Judging:
    """Records what maintainers decide about two athletes; rules heed it from the next diagnosis of either on."""

    def __init__(self, reader: BusinessReader, store: JudgementStore) -> None:
        self._reader = reader
        self._store = store

    def judge(self, slugs: tuple[str, str], verdict: Verdict, *, note: str | None, by: str) -> RecordedJudgement:
        """Records a judgement in place of the one in force. Raises PairRefused."""
        return self._store.judge(*self._pair(slugs), verdict, note=note, by=by)

    def withdraw(self, slugs: tuple[str, str], *, by: str) -> RecordedJudgement:
        """Ends the judgement in force. Raises PairRefused, and NothingToWithdraw."""
        return self._store.withdraw(*self._pair(slugs), by=by)

    def history(self, slugs: tuple[str, str]) -> Sequence[RecordedJudgement]:
        """Every judgement on the pair, oldest first. Raises PairRefused."""
        return self._store.history(*self._pair(slugs))

    def _pair(self, slugs: tuple[str, str]) -> tuple[Judged, Judged]:
        one, other = (self._judged(slug) for slug in slugs)
        if one.person_id == other.person_id:
            raise PairRefused(f"{slugs[0]} is one athlete; a judgement needs the slugs of two.")
        return one, other

    def _judged(self, slug: str) -> Judged:
        people, _ = self._reader.find_people(DiagnosisInput(person_slug=slug), limit=1)
        if not people:
            raise PairRefused(f"Nobody has the slug {slug}. keifu diagnose --person-name finds an athlete by name.")
        return Judged(people[0].person_id, people[0].person_slug)
