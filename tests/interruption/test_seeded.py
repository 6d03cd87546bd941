"""Random lives of a server, under a scheduler that draws the order of what is ready: any order may be met."""

import pytest

from tests.interruption.world import play
from tests.virtual_time import run_seeded


@pytest.mark.requirement("ALL-HOLDS-IN-ANY-ORDER")
@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in range(0, 200, 20)], ids=str)
def test_all_holds_whatever_happens_in_whatever_order(seeds):
    for seed in seeds:
        run_seeded(lambda seed=seed: play(seed), seed)
