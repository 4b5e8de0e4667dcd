"""PN12: a search key that does not follow the name."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.person_normalization.codepoints import codepoints
from graphs.rules.rule import EVIDENCE_ROWS, ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.names import has_kanji, site_key


@dataclass(frozen=True, slots=True)
class SearchKeyEvidence(Evidence):
    """The stored key and the one that the name gives, with the code points that only one of them has."""

    name: str
    stored: str
    expected: str
    differing_codepoints: tuple[str, ...]
    spaces_in_name: bool


class SearchKeyOutOfSync(Rule):
    """The search key does not match the name.

    Detects: displayNameJaSearch is empty or is not the display name without its blanks (what JavaScript counts as
    blank, no other folding); or a name in kanji still holds blanks.

    Why it matters: the site's search and the importer's duplicate check compare this key, so the athlete is not found
    and the next import makes a second record. A key that is right finds the athlete although the name holds blanks;
    then only what compares the printed name goes wrong, which is a warning.

    Example: 例見 太郎 was renamed to 例見 太朗 by hand and the key still reads 例見太郎.

    Traps: names without kanji keep their blanks. A migration of 2026-07-04 filled old rows and took the blanks out of
    names in kanji; merges, seeds and raw SQL do not keep the key.

    What to do: write the display name again the way the importer does; the expected key is in the evidence.
    """

    code = "PN12"
    name = "search_key_out_of_sync"
    category = Category.PERSON_NORMALIZATION
    severities = (Severity.ERROR, Severity.WARNING)
    evidence_type = SearchKeyEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="rewrite_search_key",
        reason="The search key does not match the name; write name and key again.",
        risk=RiskLevel.MEDIUM,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding on the name and its key."""
        name, stored = athlete.person.name_ja, athlete.person.search_key
        expected = site_key(name)
        spaces = len(expected) != len(name) and has_kanji(name)
        if not expected or (stored == expected and not spaces):
            return
        if not stored:
            detail = f"The search key of {name} is empty."
        elif stored != expected:
            detail = f"The search key is {stored!r}; {name!r} gives {expected!r}."
        else:
            detail = f"The name {name!r} still holds blanks."
        strange = sorted(set(stored) ^ set(expected))
        yield Finding(
            key=(),
            severity=Severity.WARNING if stored == expected else Severity.ERROR,
            detail=detail,
            evidence=SearchKeyEvidence(
                name=name,
                stored=stored,
                expected=expected,
                differing_codepoints=codepoints("".join(strange))[:EVIDENCE_ROWS],
                spaces_in_name=spaces,
            ),
        )
