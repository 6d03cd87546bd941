"""Every fault of `mutants.toml` can be planted: the text it replaces is there, and so are its tests."""

import pytest

from scripts.mutants import ROOT, mutants


@pytest.mark.parametrize("mutant", mutants(), ids=lambda each: each.name)
def test_fault_can_be_planted(mutant):
    assert mutant.is_applicable(), f"what it replaces is not in {mutant.file} exactly once"
    assert all((ROOT / test.split("::")[0]).is_file() for test in mutant.tests)
