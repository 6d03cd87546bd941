"""Every promise has a test, every test of a promise names one that is made, and the page lists them all."""

import ast
import re
from collections.abc import Iterable

from scripts.write_docs import promises
from tests.conventions import ROOT
from tests.requirement_marks import PROMISES, marked_files, requirement_marks


def disagreements(promised: Iterable[str], proven: Iterable[str]) -> list[str]:
    return [
        *(f"{id} is promised and has no test" for id in sorted(set(promised) - set(proven))),
        *(f"{id} has a test and is not promised" for id in sorted(set(proven) - set(promised))),
    ]


def test_promises_have_tests_and_tests_have_promises() -> None:
    promised = [id for group in PROMISES.values() for id in group]
    assert disagreements(promised, marked_files()) == []


def test_promises_are_unique_sentences() -> None:
    promised = [(id, promise) for group in PROMISES.values() for id, promise in group.items()]
    assert len(promised) == len(dict(promised))
    assert all(re.fullmatch(r"[A-Z0-9]+(-[A-Z0-9]+)*", id) for id, _ in promised)
    assert all(re.fullmatch(r"[A-Z].*\.", promise) for _, promise in promised)


def test_disagreements_are_found_both_ways() -> None:
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


def test_promises_page_is_what_make_docs_writes() -> None:
    assert (ROOT / "docs/promises.md").read_text("utf-8") == promises(), "run `make docs`"
