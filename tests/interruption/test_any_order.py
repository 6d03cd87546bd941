"""Random lives of servers, under a scheduler that draws the order of what is ready: any order may occur.

With calls, what is booked may be allowed, denied, called off or cut short at any moment, by the provider too.
"""

import pytest

from tests.interruption.world import ALLOWING, CALLING, World, play
from tests.virtual_time import run_seeded


async def play_calls(seed: int, **more) -> World:
    """Let users search and book."""
    return await play(seed, programs=CALLING, speaking=ALLOWING, **more)


@pytest.mark.requirement("ALL-HOLDS-IN-ANY-ORDER")
@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in range(0, 200, 20)], ids=str)
def test_invariants_hold_in_any_order_of_steps(seeds):
    for seed in seeds:
        run_seeded(lambda seed=seed: play(seed), seed)


@pytest.mark.requirement("ALL-HOLDS-IN-ANY-ORDER")
@pytest.mark.parametrize("seeds", [range(start, start + 30) for start in range(0, 300, 30)], ids=str)
def test_invariants_of_calls_hold_in_any_order_of_steps(seeds):
    for seed in seeds:
        run_seeded(lambda seed=seed: play_calls(seed), seed)
