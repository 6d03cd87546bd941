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


def test_every_code_of_an_error_is_documented_and_every_documented_one_exists() -> None:
    raised = {code for path in (ROOT / "backend").rglob("*.py") for code in codes_in(path.read_text("utf-8"))}
    documented = documented_codes((ROOT / "docs/INTERRUPTION_SYSTEM.md").read_text("utf-8"))
    assert raised > NEVER_ANSWERED
    assert sorted(raised - NEVER_ANSWERED - documented) == []
    assert sorted(documented - raised) == []


def test_a_code_is_found_in_a_class_and_where_an_error_is_raised() -> None:
    source = """
class Lost(DetourError):
    code = "lost_way"

def look():
    raise NotFound("There is none.", code="no_such_thing")
"""
    assert codes_in(source) == {"lost_way", "no_such_thing"}
