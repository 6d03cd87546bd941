"""Three replicas and whatever may happen to them: all that a cluster promises holds for every seed.

`make simulate ARGS="--seeds 5000"` plays more of them.
"""

import pytest

from tests.simulation.play import run

SEEDS = 80


@pytest.mark.requirement("REPLICAS-ARE-ONE", "LOST-IS-TAKEN-UP")
@pytest.mark.parametrize("seeds", [range(start, start + 10) for start in range(0, SEEDS, 10)], ids=str)
def test_cluster_keeps_its_promises_for_every_seed(seeds):
    for seed in seeds:
        run(seed)
