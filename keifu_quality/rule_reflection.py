"""What a rule says of itself: the sections of its docstring, the fields of its evidence, the thresholds it reads.

Belongs here: reading that out of the code, for documentation and for the tests of conventions. Stays out: layout
(`keifu_quality.rule_docs`) and every rule.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from types import CodeType, FunctionType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from graphs.rules.configuration import RuleConfiguration
from graphs.rules.rule import Evidence, Rule

SECTIONS = ("Detects", "Why it matters", "Example", "Traps", "What to do")
"""The sections that every rule's docstring has, in this order."""

_WORDS: Mapping[Any, str] = {
    str: "text",
    bool: "true or false",
    int: "whole number",
    float: "number",
    date: "date",
    datetime: "time in UTC",
    NoneType: "null",
}


@dataclass(frozen=True, slots=True)
class EvidenceField:
    """A field of evidence: its path in JSON (`rows[].mark`) and its type in words."""

    path: str
    type: str


@dataclass(frozen=True, slots=True)
class Threshold:
    """A setting that a rule reads: its path in the configuration, its default and what it means."""

    path: str
    default: str
    meaning: str


def rule_sections(rule: Rule) -> dict[str, str]:
    """The sections of a rule's docstring by heading, each as one paragraph.

    Raises ValueError when a section is missing, empty, repeated or out of order.
    """
    text = inspect.cleandoc(type(rule).__doc__ or "")
    parts = re.split(rf"^({'|'.join(SECTIONS)}):", text, flags=re.MULTILINE)
    headings, bodies = tuple(parts[1::2]), [" ".join(body.split()) for body in parts[2::2]]
    if headings != SECTIONS or not all(bodies):
        raise ValueError(f"{rule.code}: the docstring has the sections {headings}; expected are {SECTIONS}, none empty")
    return dict(zip(headings, bodies, strict=True))


def evidence_fields(kind: type[Evidence], prefix: str = "") -> Iterator[EvidenceField]:
    """The fields of evidence in order; fields of nested evidence follow the one that holds it."""
    hints = get_type_hints(kind)
    for field in fields(kind):
        hint = hints[field.name]
        nested, is_list = _nested(hint)
        path = f"{prefix}{to_camel(field.name)}{'[]' if is_list else ''}"
        yield EvidenceField(path=path, type=_type_in_words(hint))
        if nested is not None:
            yield from evidence_fields(nested, f"{path}.")


def evidence_types(kind: type[Evidence]) -> Iterator[type[Evidence]]:
    """An evidence type and every one nested in it."""
    yield kind
    for hint in get_type_hints(kind).values():
        nested, _ = _nested(hint)
        if nested is not None:
            yield from evidence_types(nested)


def thresholds_read(rule: Rule) -> Sequence[Threshold]:
    """The settings of its family that a rule reads, itself or through the functions that it calls, by name."""
    family = getattr(RuleConfiguration(), rule.category.value)
    known = type(family).model_fields
    found = sorted(name for name in _names_used(type(rule).check, set()) if name in known)
    meanings = attribute_docstrings(type(family))
    return [
        Threshold(
            path=f"{rule.category.value}.{name}",
            default=_default_in_words(getattr(family, name)),
            meaning=meanings.get(name, ""),
        )
        for name in found
    ]


@cache
def attribute_docstrings(kind: type[BaseModel]) -> dict[str, str]:
    """The docstring below each field of a settings class that has one."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)  # noqa: S101 the source of a class is one class statement
    meanings: dict[str, str] = {}
    for statement, following in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and isinstance(following, ast.Expr)
            and isinstance(following.value, ast.Constant)
        ):
            meanings[statement.target.id] = " ".join(str(following.value.value).split())
    return meanings


def _nested(hint: Any) -> tuple[type[Evidence] | None, bool]:
    """The evidence type inside a type, and whether the type is a list."""
    if isinstance(hint, type) and issubclass(hint, Evidence):
        return hint, False
    is_list = get_origin(hint) is tuple
    for part in get_args(hint):
        nested, inner_list = _nested(part)
        if nested is not None or inner_list:
            return nested, is_list or inner_list
    return None, is_list


def _type_in_words(hint: Any) -> str:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is tuple:
        items = " and ".join(_type_in_words(part) for part in parts if part is not Ellipsis)
        return "list of objects" if items == "object" else f"list of {items}"
    if origin in (Union, UnionType):
        return " or ".join(_type_in_words(part) for part in parts)
    if origin is Literal:
        return " or ".join(f"`{part}`" for part in parts)
    if isinstance(hint, type) and issubclass(hint, Evidence):
        return "object"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return " or ".join(f"`{member.value}`" for member in hint)
    return _WORDS.get(hint) or str(getattr(hint, "__name__", hint))


def _names_used(function: FunctionType, seen: set[CodeType]) -> set[str]:
    names: set[str] = set()
    pending = [function.__code__]
    while pending:
        code = pending.pop()
        if code in seen:
            continue
        seen.add(code)
        names.update(code.co_names)
        pending.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
    for name in tuple(names):
        called = inspect.unwrap(function.__globals__[name]) if name in function.__globals__ else None
        if (
            isinstance(called, FunctionType)
            and called.__module__.startswith("graphs.rules.")
            and called.__code__ not in seen
        ):
            names |= _names_used(called, seen)
    return names


def _default_in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_default_in_words(item)}" for key, item in value.items())
    if is_dataclass(value) and not isinstance(value, type):
        return ", ".join(f"{field.name} {_default_in_words(getattr(value, field.name))}" for field in fields(value))
    if isinstance(value, (tuple, list, set, frozenset)):
        items = [_default_in_words(item) for item in value]
        return ", ".join(items if isinstance(value, (tuple, list)) else sorted(items)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
