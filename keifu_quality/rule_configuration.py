"""The rules file: what a maintainer may change of the rules without touching code.

Belongs here: reading the TOML file that KEIFU_RULES_FILE names and explaining every fault in it. Stays out: the
settings themselves (`graphs.rules.configuration`) and the example file, which is generated
(`keifu_quality.rules_file_example`).
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from graphs.rules.configuration import RuleConfiguration
from graphs.rules.registry import all_rules, rule_by_code
from keifu_quality.errors import KeifuError

KNOWN_DISTINCT = "known_distinct"
_RULE_LISTS = ("disabled_rules", "enabled_optional_rules")
_MERGED_TABLES = ("mark_bounds", "national_records")
_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")


class RulesFileUnusable(KeifuError):
    """The rules file cannot be read; the message names the file, each wrong key and what is allowed there."""


class KnownDistinctGroup(BaseModel):
    """Slugs of different people of one name, and why they are known to be different."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    slugs: tuple[Annotated[str, StringConstraints(pattern=r"^\S+$")], ...]
    note: str | None = None


_GROUPS = TypeAdapter(tuple[KnownDistinctGroup, ...])


@dataclass(frozen=True, slots=True)
class _Fault:
    key: str
    message: str


def load_rule_configuration(path: Path | None, *, has_payloads: bool = False) -> RuleConfiguration:
    """The configuration that the rules file describes, the default one without a file.

    A list of protected slugs switches PC08 on, import payloads at hand switch PB14 on, unless the file disables them.
    Raises RulesFileUnusable with every fault of the file at once.
    """
    content = _read(path) if path is not None else {}
    faults: list[_Fault] = []
    groups = _groups(content.pop(KNOWN_DISTINCT, []), faults)
    faults += _normalise_rules(content)
    _merge_tables(content)
    configuration = _validated(content, faults)
    if configuration is not None:
        faults += _missing_inputs(configuration, has_payloads=has_payloads)
    if faults or configuration is None:
        raise RulesFileUnusable(
            f"The rules file {path} cannot be used:\n" + "\n".join(f"{fault.key}: {fault.message}" for fault in faults)
        )
    switched_on = {"PC08"} if configuration.protected_slugs else set[str]()
    if has_payloads:
        switched_on.add("PB14")
    return configuration.model_copy(
        update={
            KNOWN_DISTINCT: tuple(frozenset(group.slugs) for group in groups),
            "enabled_optional_rules": configuration.enabled_optional_rules | switched_on,
        }
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        # Editors on Windows put a byte order mark in front.
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        reason = f"{error.strerror}; KEIFU_RULES_FILE must name a TOML file, or be unset for the defaults"
    except UnicodeDecodeError:
        reason = "it is not UTF-8; save it as UTF-8"
    except tomllib.TOMLDecodeError as error:
        reason = f"it is not TOML: {error}"
    raise RulesFileUnusable(f"The rules file {path} cannot be used: {reason}")


def _groups(value: Any, faults: list[_Fault]) -> tuple[KnownDistinctGroup, ...]:
    """The groups of known namesakes; a slug may be in one group only, or it would be unclear who its namesakes are."""
    try:
        groups = _GROUPS.validate_json(_as_json(value), strict=True)
    except ValidationError as error:
        faults.extend(_faults(error, prefix=(KNOWN_DISTINCT,)))
        return ()
    seen: dict[str, int] = {}
    for number, group in enumerate(groups):
        if len(set(group.slugs)) < 2:
            faults.append(_Fault(f"{KNOWN_DISTINCT}[{number}].slugs", "a group needs at least two different slugs"))
        for slug in sorted(set(group.slugs)):
            if slug in seen:
                faults.append(
                    _Fault(
                        f"{KNOWN_DISTINCT}[{number}].slugs",
                        f"{slug} is in {KNOWN_DISTINCT}[{seen[slug]}] already; write one group for all of the name",
                    )
                )
            seen.setdefault(slug, number)
    return groups


def _normalise_rules(content: dict[str, Any]) -> Iterator[_Fault]:
    """Replaces the names of rules by their codes and says which rules do not exist or are listed in vain."""
    optional = [rule.code for rule in all_rules() if not rule.enabled_by_default]
    for key in _RULE_LISTS:
        listed = content.get(key)
        if not isinstance(listed, list):
            continue
        codes: list[Any] = []
        for number, name in enumerate(listed):
            try:
                codes.append(rule_by_code(name).code if isinstance(name, str) else name)
            except LookupError as error:
                codes.append(name)
                yield _Fault(f"{key}[{number}]", str(error))
                continue
            if key == "enabled_optional_rules" and isinstance(name, str) and codes[-1] not in optional:
                yield _Fault(f"{key}[{number}]", f"{name} is on by default; optional are {', '.join(optional)}")
        content[key] = codes
    both = set(map(str, content.get(_RULE_LISTS[0]) or ())) & set(map(str, content.get(_RULE_LISTS[1]) or ()))
    for code in sorted(both):
        yield _Fault(_RULE_LISTS[1], f"{code} is in {_RULE_LISTS[0]} too; leave it in one of them")


def _merge_tables(content: dict[str, Any]) -> None:
    """Disciplines that the file does not name keep their default bounds."""
    family = content.get("personal_best_consistency")
    if not isinstance(family, dict):
        return
    defaults = RuleConfiguration().model_dump(mode="json")["personal_best_consistency"]
    for key in _MERGED_TABLES:
        if isinstance(family.get(key), dict):
            family[key] = {**defaults[key], **family[key]}


def _validated(content: Mapping[str, Any], faults: list[_Fault]) -> RuleConfiguration | None:
    try:
        return RuleConfiguration.model_validate_json(_as_json(content), strict=True)
    except ValidationError as error:
        faults.extend(_faults(error))
        return None


def _missing_inputs(configuration: RuleConfiguration, *, has_payloads: bool) -> Iterator[_Fault]:
    if "PC08" in configuration.enabled_optional_rules and not configuration.protected_slugs:
        yield _Fault("enabled_optional_rules", "PC08 needs protected_slugs, which is empty")
    if "PB14" in configuration.enabled_optional_rules and not has_payloads:
        yield _Fault("enabled_optional_rules", "PB14 needs import payloads: set KEIFU_PAYLOAD_DIRECTORY")


def _as_json(value: Any) -> str:
    # Only of JSON does pydantic take lists for tuples and sets and still refuse text for numbers.
    return json.dumps(value, default=lambda item: item.isoformat())


def _faults(error: ValidationError, prefix: Sequence[str] = ()) -> Iterator[_Fault]:
    for detail in error.errors(include_url=False):
        location = (*prefix, *detail["loc"])
        yield _Fault(_path(location), _explain(detail, location))


def _path(location: Sequence[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).lstrip(".")


def _explain(detail: ErrorDetails, location: Sequence[str | int]) -> str:
    if detail["type"] in _UNKNOWN_KEY:
        return f"there is no such key; the keys here are {', '.join(_keys_at(location[:-1]))}"
    message = detail["msg"].removeprefix("Value error, ").replace("Input should", "should")
    if detail["type"] in ("missing", "value_error") or isinstance(detail["input"], (dict, list)):
        return message
    return f"{message}; found {json.dumps(detail['input'], ensure_ascii=False, default=str)}"


def _keys_at(location: Sequence[str | int]) -> Sequence[str]:
    """The keys that a table of the file may have."""
    if location and location[0] == KNOWN_DISTINCT:
        return list(KnownDistinctGroup.model_fields)
    value: Any = RuleConfiguration()
    for part in location:
        value = next(iter(value.values())) if isinstance(value, Mapping) else getattr(value, str(part))
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    return list(type(value).model_fields)
