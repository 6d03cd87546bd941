"""Random lives of servers whose users search and book, in whatever order what is ready is run.

What is booked may be allowed, denied, called off or cut short at any moment, by whoever books as well.
"""

import pytest

from tests.interruption.world import ALLOWING, CALLING, World, play
from tests.virtual_time import run_seeded

EVERY = range(0, 300, 30)


async def call(seed: int, **more) -> World:
    """Let users search and book."""
    return await play(seed, programs=CALLING, speaking=ALLOWING, **more)


@pytest.mark.requirement("ALL-HOLDS-IN-ANY-ORDER")
@pytest.mark.parametrize("seeds", [range(start, start + 30) for start in EVERY], ids=str)
def test_all_holds_whatever_happens_to_calls_in_whatever_order(seeds):
    for seed in seeds:
        run_seeded(lambda seed=seed: call(seed), seed)
