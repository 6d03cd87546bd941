"""Every promise has a test and every test of a promise names one that is made."""

import ast
import re
from collections.abc import Iterator

from tests.conventions import ROOT, our_files
from tests.requirements import REQUIREMENTS


def requirement_marks(tree: ast.Module) -> Iterator[str]:
    """Yield the ids that `requirement(...)` marks name; a mark must name them literally."""
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr == "requirement":
            yield from (ast.literal_eval(argument) for argument in node.args)


def disagreements(promised: set[str], proven: set[str]) -> list[str]:
    return [
        *(f"{id} is promised and has no test" for id in sorted(promised - proven)),
        *(f"{id} has a test and is not promised" for id in sorted(proven - promised)),
    ]


def test_promises_and_the_tests_that_prove_them_agree() -> None:
    files = [path for path in our_files(".py") if path.is_relative_to(ROOT / "tests")]
    proven = {id for path in files for id in requirement_marks(ast.parse(path.read_text("utf-8")))}
    assert disagreements({one.id for one in REQUIREMENTS}, proven) == []


def test_each_promise_is_made_once_and_is_a_sentence() -> None:
    ids = [one.id for one in REQUIREMENTS]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[A-Z0-9]+(-[A-Z0-9]+)*", id) for id in ids)
    assert all(one.promise.endswith(".") for one in REQUIREMENTS)


def test_a_promise_without_a_test_and_a_test_without_a_promise_are_found() -> None:
    assert disagreements({"KEPT", "FORGOTTEN"}, {"KEPT", "INVENTED"}) == [
        "FORGOTTEN is promised and has no test",
        "INVENTED has a test and is not promised",
    ]


def test_marks_are_read_from_functions_classes_and_modules() -> None:
    source = """
pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("A")]

@pytest.mark.requirement("B", "C")
class TestIt:
    @pytest.mark.requirement("D")
    async def test_it(self): ...
"""
    assert set(requirement_marks(ast.parse(source))) == {"A", "B", "C", "D"}
