"""Random lives of a server whose users steer it, under a scheduler that draws the order of what is ready."""

import pytest

from tests.steering.world import play
from tests.virtual_time import run_seeded


@pytest.mark.requirement("STEERED-ONCE")
@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in range(0, 200, 25)], ids=str)
def test_each_steered_message_has_one_fate_whatever_happens_in_whatever_order(seeds):
    for seed in seeds:
        run_seeded(lambda seed=seed: play(seed), seed)
