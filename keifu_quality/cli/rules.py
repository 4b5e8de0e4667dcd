"""`keifu rules`."""

from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from keifu_quality.cli.diagnose import JsonOption


def rules(
    code: Annotated[str | None, typer.Argument(help="A rule's code or name: print its documentation.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the rules, or explain one.

    Examples:

        keifu rules

        keifu rules MT01
    """
    from graphs.rules.registry import all_rules, rule_by_code  # noqa: PLC0415 keeps --help fast
    from keifu_quality.cli.output import print_json  # noqa: PLC0415
    from keifu_quality.rule_docs import rule_document, rule_markdown  # noqa: PLC0415

    if code is not None:
        try:
            rule = rule_by_code(code)
        except LookupError as error:
            raise typer.BadParameter(str(error)) from None
        if as_json:
            print_json(rule_document(rule))
        else:
            print(rule_markdown(rule))
        return
    if as_json:
        print_json([rule_document(rule) for rule in all_rules()])
        return
    table = Table("code", "severity", "finding", "family")
    for rule in all_rules():
        severities = ", ".join(severity.value for severity in rule.severities)
        off = "" if rule.enabled_by_default else " (off by default)"
        table.add_row(rule.code, severities, escape(rule.title()) + off, rule.category.value)
    Console().print(table)
