"""Findings of a whole roster as a file: one JSON line a finding, athletes in the order of their slugs.

Belongs here: writing such a file and reading it along with the roster, a line at a time. Stays out: the comparison
(`keifu_quality.rehearsal`).

The first line says what the file is. Every other line is `{"slug", "fingerprint", "code", "severity", "evidenceHash"}`,
or `{"slug", "code", "notEvaluated": true}` for a rule that could not finish on the athlete.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from keifu_quality.errors import KeifuError
from keifu_quality.evaluation import Evaluated
from keifu_quality.rehearsal_findings import AthleteFindings, FindingMark

FORMAT = "keifu findings 1"


class BaselineUnusable(KeifuError):
    """The file of earlier findings cannot be read; the message names the line."""


class BaselineWriter:
    """Writes findings beside the file's final place and moves them there at the end, so that no half file is left."""

    def __init__(self, path: Path, rule_set_version: str) -> None:
        self._path = path
        self._unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            self._file: TextIO = self._unfinished.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise BaselineUnusable(f"{path} cannot be written: {error.strerror}") from error
        self._write({"format": FORMAT, "ruleSetVersion": rule_set_version})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if kind is None:
            self._unfinished.replace(self._path)
        else:
            self._unfinished.unlink()

    def add(self, slug: str, evaluated: Evaluated) -> None:
        """Writes an athlete; athletes come in the order of their slugs."""
        for finding in evaluated.findings:
            self._write(
                {
                    "slug": slug,
                    "fingerprint": finding.fingerprint,
                    "code": finding.code,
                    "severity": finding.severity.value,
                    "evidenceHash": finding.evidence_hash,
                }
            )
        for rule in evaluated.not_evaluated:
            self._write({"slug": slug, "code": rule.rule, "notEvaluated": True})

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")


class BaselineReader:
    """Gives the findings of athletes who are asked for in the order of their slugs; holds one athlete at a time.

    `versions` counts the athletes by the rule set version of their findings. `gone` counts the athletes of the file so
    far whom nobody asked for: the roster does not have them any more.
    """

    def __init__(self, path: Path, version: str, lines: Iterator[dict[str, Any]]) -> None:
        self._athletes = groupby(_in_order(path, lines), key=lambda line: str(line["slug"]))
        self._next = self._advance()
        self._version = version
        self.versions: Counter[str] = Counter()
        self.gone = 0

    def findings_of(self, athletes: Sequence[tuple[str, str]]) -> Mapping[str, AthleteFindings]:
        """The earlier findings of athletes, given as id and slug, by slug; whom the file does not name had none."""
        found = {slug: AthleteFindings({}, frozenset()) for _, slug in athletes}
        self.versions[self._version] += len(athletes)
        while self._next is not None and athletes and self._next[0] <= athletes[-1][1]:
            slug, findings = self._next
            if slug in found:
                found[slug] = findings
            else:
                self.gone += 1
            self._next = self._advance()
        return found

    def finish(self) -> None:
        """Counts the athletes that are left as gone."""
        while self._next is not None:
            self.gone += 1
            self._next = self._advance()

    def _advance(self) -> tuple[str, AthleteFindings] | None:
        group = next(self._athletes, None)
        return None if group is None else (group[0], _findings(group[1]))


@contextmanager
def open_baseline(path: Path) -> Iterator[BaselineReader]:
    """A file of earlier findings; at the end its last athletes are counted too. Raises BaselineUnusable."""
    try:
        with path.open(encoding="utf-8") as file:
            lines = _lines(path, file)
            head = next(lines, {})
            if head.get("format") != FORMAT:
                raise BaselineUnusable(f"{path} is no file of findings; make one with: keifu rehearse --save {path}")
            reader = BaselineReader(path, str(head.get("ruleSetVersion")), lines)
            yield reader
            reader.finish()
    except OSError as error:
        raise BaselineUnusable(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BaselineUnusable(f"{path} is no file of findings: it is not UTF-8") from error


def _lines(path: Path, file: TextIO) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(file, start=1):
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or (number > 1 and not _is_complete(line)):
            raise BaselineUnusable(f"{path}, line {number}: this is no finding; save the file anew")
        yield line


def _is_complete(line: Mapping[str, Any]) -> bool:
    needed = (
        ("slug", "code") if line.get("notEvaluated") else ("slug", "code", "fingerprint", "severity", "evidenceHash")
    )
    return all(isinstance(line.get(key), str) for key in needed)


def _in_order(path: Path, lines: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    last = ""
    for line in lines:
        if line["slug"] < last:
            raise BaselineUnusable(
                f"{path}: {line['slug']} comes after {last}; save the file anew, it must stay sorted"
            )
        last = line["slug"]
        yield line


def _findings(lines: Iterable[dict[str, Any]]) -> AthleteFindings:
    marks: dict[str, FindingMark] = {}
    blind: set[str] = set()
    for line in lines:
        if line.get("notEvaluated"):
            blind.add(line["code"])
        else:
            marks[line["fingerprint"]] = FindingMark(line["code"], line["severity"], line["evidenceHash"])
    return AthleteFindings(marks, frozenset(blind))
