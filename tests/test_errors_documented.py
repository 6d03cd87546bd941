"""The reference's table of errors names every code that the server can answer with."""

import ast
import re

from tests.conventions import ROOT

NEVER_ANSWERED = {
    "booking_refused",
    "conflict",
    "forbidden",
    "graph_failed",
    "graph_not_found",
    "model_failed",
    "model_not_loaded",
    "no_graph",
    "no_protocol",
    "no_tracing",
    "outcome_unknown",
    "quote_changed",
    "too_much_shown",
}
"""Codes of errors that say it more narrowly where they are raised, keep the server from starting, or become a
task's reply."""


def codes_in(source: str) -> set[str]:
    """Return the codes that a module's classes of errors have, and those it raises errors with."""
    codes: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Assign(targets=[ast.Name("code")], value=ast.Constant(str(code))):
                codes.add(code)
            case ast.keyword(arg="code", value=ast.Constant(str(code))):
                codes.add(code)
            case _:
                pass
    return codes


def documented_codes(reference: str) -> set[str]:
    """Return the codes, in backticks, of the table whose first cells are the statuses of errors."""
    rows = re.findall(r"^\| [45]\d\d \|(.*)\|$", reference, re.MULTILINE)
    return {code for row in rows for code in re.findall(r"`([a-z_]+)`", row)}


def test_error_codes_are_those_of_the_reference() -> None:
    raised = {code for path in (ROOT / "backend").rglob("*.py") for code in codes_in(path.read_text("utf-8"))}
    documented = documented_codes((ROOT / "docs/INTERRUPTION_SYSTEM.md").read_text("utf-8"))
    assert raised > NEVER_ANSWERED
    assert sorted(raised - NEVER_ANSWERED - documented) == []
    assert sorted(documented - raised) == []
