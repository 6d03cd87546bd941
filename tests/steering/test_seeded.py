"""Random lives of a server whose users steer it, under a scheduler that draws the order of what is ready."""

from collections import Counter

import pytest

from tests.steering.replicas import play_cluster
from tests.steering.world import play
from tests.virtual_time import run_seeded


@pytest.mark.requirement("STEERED-ONCE")
@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in range(0, 100, 25)], ids=str)
def test_steered_message_has_one_fate_for_every_seed(seeds):
    for seed in seeds:
        run_seeded(lambda seed=seed: play(seed), seed)


@pytest.mark.requirement("STEERED-ONCE", "REPLICAS-ARE-ONE")
@pytest.mark.parametrize("seeds", [range(start, start + 8) for start in range(0, 16, 8)], ids=str)
def test_steered_message_has_one_fate_in_a_cluster(seeds):
    fates = Counter[str]()
    for seed in seeds:
        fates += play_cluster(seed)
    assert fates["taken_in"] > 10
