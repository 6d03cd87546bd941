"""Which event loop a test runs on; a marker on the test, its class or its module chooses.

No marker: the stock loop. `virtual_time`: timers take no time and a deadlock is an error, for code
without threads. `seeds(n)`: the same, once per seed, with ready tasks in shuffled order. `uvloop`: the
loop the server runs on.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

import pytest
import uvloop
from hypothesis import settings

from tests.virtual_time import SeededLoop, VirtualTimeLoop

settings.register_profile("detour", deadline=None)  # a deadline would read the wall clock
settings.load_profile("detour")

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Mapping[str, LoopFactory]:
    """Return the loops a test runs on, by the name that its test id shows when there are several."""
    seeds = item.get_closest_marker("seeds")
    if seeds is not None:
        return {f"seed-{seed}": partial(SeededLoop, seed) for seed in range(seeds.args[0])}
    if item.get_closest_marker("virtual_time"):
        return {"virtual_time": VirtualTimeLoop}
    if item.get_closest_marker("uvloop"):
        return {"uvloop": uvloop.new_event_loop}
    return {"stock": asyncio.new_event_loop}
