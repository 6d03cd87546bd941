"""Every fault of `mutants.toml` can be planted: the text it replaces is there, and so are its tests."""

import re

import pytest

from scripts.mutants import ROOT, mutants


@pytest.mark.parametrize("mutant", mutants(), ids=lambda each: each.name)
def test_fault_can_be_planted(mutant):
    assert mutant.is_applicable(), f"what it replaces is not in {mutant.file} exactly once"
    for test in mutant.tests:
        path, *names = test.split("::")
        text = (ROOT / path).read_text("utf-8")
        assert all(re.search(rf"(def|class) {name}\b", text) for name in names), f"there is no {test}"
