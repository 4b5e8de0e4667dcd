"""PB05: a mark that is not written as a mark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from graphs.contracts import ActionType, Category, RiskLevel, Severity
from graphs.rules.athlete import Athlete
from graphs.rules.personal_best_consistency.bests import BestRow, best_row
from graphs.rules.rule import ActionTemplate, Evidence, Finding, Rule, RuleContext
from graphs.text.marks import ParsedMark

Problem = Literal["spelling", "another_reading", "ambiguous", "spreadsheet", "status", "empty", "invalid"]

_HAND = re.compile(r"\s*(?:[hH]|[(（]?手動[)）]?)$")
_NO_MARK = ("spreadsheet", "status", "empty", "invalid")
_LONG_MINUTES = re.compile(r"\d{2,3}:\d{2}(?:\.\d{1,3})?")


@dataclass(frozen=True, slots=True)
class NotCanonicalEvidence(Evidence):
    """The row, what is wrong with its text, how it would be written, and another reading where one fits."""

    best: BestRow
    problem: Problem
    canonical: str | None
    flags: tuple[str, ...]
    reason: str | None
    suggestion: str | None
    suggestion_millis: int | None


class MarkNotCanonical(Rule):
    """A mark is not written as a mark.

    Detects: a mark that is written otherwise than H:MM:SS or M:SS with its decimals, that two readings fit, that only
    makes sense in another reading, or that is no time at all: a status, empty, impossible, or a cell that a
    spreadsheet took for a time of day.

    Why it matters: the importer's own parser reads such text wrongly or not at all, and lists show it as it is.

    Example: ":59:49" on a broadcaster's page for a half marathon of 59:49; "13’45”67"; "1:02" for a half marathon of an
    hour and two minutes; "0.043402777", which is 1:02:30 as a fraction of a day.

    Traps: 62:10 is a proper half marathon and an h behind a mark says that it was timed by hand, so neither is
    reported. Not finishing is a fact in a result list, but never a personal best, so a status is an error here. Another
    reading is only shown, never used.

    What to do: look the mark up in its source and write it in the usual form.
    """

    code = "PB05"
    name = "mark_not_canonical"
    category = Category.PERSONAL_BEST_CONSISTENCY
    needs = ("personal_bests",)
    severities = (Severity.WARNING, Severity.ERROR)
    evidence_type = NotCanonicalEvidence
    action = ActionTemplate(
        type=ActionType.MANUAL_CHECK,
        name="fix_mark_text",
        reason="A mark is not written as a mark; look it up in its source. The site's mark script cannot repair it.",
        risk=RiskLevel.LOW,
    )

    def check(self, athlete: Athlete, context: RuleContext) -> Iterator[Finding]:
        """One finding for every row whose text is not the canonical one."""
        if not len(athlete.snapshot.personal_bests):
            return
        for best in athlete.personal_bests:
            parsed = athlete.parsed_bests[best.id]
            problem = _problem(best.mark, parsed)
            if problem is None:
                continue
            yield Finding(
                key=(best.id,),
                severity=Severity.ERROR if problem in _NO_MARK else Severity.WARNING,
                detail=f"{best.discipline} {best.mark!r}: {_explain(problem, parsed)}.",
                evidence=NotCanonicalEvidence(
                    best=best_row(best),
                    problem=problem,
                    canonical=parsed.canonical,
                    flags=tuple(sorted(parsed.flags)),
                    reason=parsed.reason,
                    suggestion=parsed.suggestion,
                    suggestion_millis=parsed.suggestion_millis,
                ),
            )


def _problem(text: str, parsed: ParsedMark) -> Problem | None:
    match parsed.kind:
        case "time" if parsed.suggestion is not None:
            return "another_reading"
        case "time":
            return None if _is_usual(text, parsed) else "spelling"
        case "status" | "empty":
            return parsed.kind
        case _ if parsed.reason is not None and parsed.reason.startswith("spreadsheet"):
            return "spreadsheet"
        case _:
            return parsed.kind


def _is_usual(text: str, parsed: ParsedMark) -> bool:
    bare = _HAND.sub("", text) if "hand" in parsed.flags else text
    return bare == parsed.canonical or ("minutes_over_59" in parsed.flags and _LONG_MINUTES.fullmatch(bare) is not None)


def _explain(problem: Problem, parsed: ParsedMark) -> str:
    other = f", perhaps {parsed.suggestion}" if parsed.suggestion else ""
    match problem:
        case "spelling":
            return f"the usual form is {parsed.canonical}"
        case "another_reading":
            return f"it reads as {parsed.canonical}, which cannot be{other}"
        case "ambiguous":
            return f"it has more than one reading{other}"
        case "spreadsheet":
            return f"a spreadsheet has turned it into a time of day{other}"
        case "status":
            return f"{parsed.status} is no personal best"
        case "empty":
            return "there is no mark"
        case "invalid":
            return f"it is no time ({parsed.reason}){other}"
