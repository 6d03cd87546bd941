"""Which event loop a test runs on; a marker on the test, its class or its module chooses.

No marker: the stock loop. `virtual_time`: timers take no time and a deadlock is an error, for code
without threads. `seeds(n)`: the same, once per seed, with ready tasks in shuffled order. `uvloop`: the
loop the server runs on.

Tests that drive a browser are left out where there is none, and the summary says so; with
`DETOUR_TESTS_COMPLETE=1` they are not, and fail.
"""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
import uvloop
from hypothesis import settings

from tests.chromium import FIXTURE, MISSING, find_chromium, must_be_complete
from tests.virtual_time import SeededLoop, VirtualTimeLoop

settings.register_profile("detour", deadline=None)  # a deadline would read the wall clock
settings.load_profile("detour")

LEFT_OUT = pytest.StashKey[int]()

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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that drive a browser, where there is none."""
    without = [item for item in items if FIXTURE in getattr(item, "fixturenames", ())]
    if not without or find_chromium() or must_be_complete():
        return
    config.stash[LEFT_OUT] = len(without)
    config.hook.pytest_deselected(items=without)
    items[:] = [item for item in items if item not in without]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a worker tell its controller how many tests it has left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker has left out; all of them collect the same."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say which tests were left out, and why."""
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.section("left out", yellow=True)
        terminalreporter.line(f"{count} tests that drive a browser: {MISSING}", yellow=True)
