"""Which event loop a test runs on; a marker on the test, its class or its module chooses.

No marker: the stock loop. `virtual_time`: timers take no time and a deadlock is an error, for code
without threads. `seeds(n)`: the same, once per seed, with ready tasks in shuffled order. `uvloop`: the
loop the server runs on.

Tests that need a browser, other people's JavaScript clients, PostgreSQL or haproxy are left out where these
are missing, and the summary says so; with `DETOUR_TESTS_COMPLETE=1` they are not, and fail.
"""

import asyncio
import gc
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pytest
import uvloop
from hypothesis import settings

from backend.tasks.contained import contain_exits
from checks.cluster import balancer
from tests import chromium, plain_logs, postgres
from tests.chromium import find_chromium, must_be_complete
from tests.protocols import node_client
from tests.virtual_time import SeededLoop, VirtualTimeLoop

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # So is a run in the background, and all that it starts would ignore an interrupt as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile("detour", deadline=None)  # a deadline would read the wall clock
settings.load_profile("detour")
plain_logs.configure()

LEFT_OUT = pytest.StashKey[dict[str, int]]()

NEEDED: Mapping[str, tuple[Callable[[], object], str]] = {
    chromium.FIXTURE: (find_chromium, f"tests that drive a browser: {chromium.MISSING}"),
    node_client.FIXTURE: (
        node_client.is_installed,
        f"tests that drive other people's clients: {node_client.MISSING}",
    ),
    "haproxy": (balancer.program, "tests of a balancer: haproxy is not installed"),
    postgres.FIXTURE: (postgres.programs, f"tests of the store over PostgreSQL: {postgres.MISSING}"),
}
"""By fixture or marker: what tells whether such tests can run, and what is said of them if they can't."""

LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def _as_the_servers(make: LoopFactory) -> asyncio.AbstractEventLoop:
    """Return a loop that makes the asyncio tasks of runs as the server's does."""
    loop = make()
    contain_exits(loop)
    return loop


# Each is made once: tests of one module share its loop, and so what is started on it, where they ask for the
# same factory, which no two partials are.
STOCK = {"stock": partial(_as_the_servers, asyncio.new_event_loop)}
UVLOOP = {"uvloop": partial(_as_the_servers, uvloop.new_event_loop)}


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Mapping[str, LoopFactory]:
    """Return the loops a test runs on, by the name that its test id shows when there are several."""
    seeds = item.get_closest_marker("seeds")
    if seeds is not None:
        return {f"seed-{seed}": partial(SeededLoop, seed) for seed in range(seeds.args[0])}
    if item.get_closest_marker("virtual_time"):
        return {"virtual_time": VirtualTimeLoop}
    return UVLOOP if item.get_closest_marker("uvloop") else STOCK


SLOW_FIRST = (
    "browser", "e2e", "protocols", "packaging", "packages", "cli", "clients", "streamlit", "workers",
    "cluster",
)  # fmt: skip
"""Folders whose files run first: one that begins last keeps one worker busy after all others have ended."""


def _rank(item: pytest.Item) -> int:
    folder = item.path.parent.name
    return SLOW_FIRST.index(folder) if folder in SLOW_FIRST else len(SLOW_FIRST)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put first what takes longest, and leave out the tests that drive what is not there."""
    items.sort(key=_rank)
    if must_be_complete():
        return
    left_out = config.stash[LEFT_OUT] = {}
    for fixture, (is_there, _) in NEEDED.items():
        without = [
            item
            for item in items
            if fixture in getattr(item, "fixturenames", ()) or item.get_closest_marker(fixture)
        ]
        if without and not is_there():
            left_out[fixture] = len(without)
            config.hook.pytest_deselected(items=without)
            items[:] = [item for item in items if item not in without]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Have three workers for two cores: a third of the time a worker waits, for a browser or a server."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + cores // 2


@pytest.fixture(scope="session", name=postgres.FIXTURE)
def postgres_server() -> Iterator[postgres.Server]:
    with postgres.serving() as server:
        yield server


@pytest.fixture
def address(postgres: postgres.Server) -> Iterator[str]:
    """The address of a database that is the test's alone, and without rows."""
    made = postgres.new_database()
    yield made
    postgres.give_back(made)


@pytest.fixture(scope="module", autouse=True)
def frozen() -> None:
    """Have the garbage collector leave alone what is here before a module: all tests, and what others keep.

    A full collection then takes 1 ms rather than 0.6 s (measured), and many tests begin or end with one.
    """
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a worker tell its controller how many tests it has left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker has left out; all of them collect the same."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", {})


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say which tests were left out, and why."""
    if left_out := config.stash.get(LEFT_OUT, {}):
        terminalreporter.section("left out", yellow=True)
        for fixture, count in left_out.items():
            terminalreporter.line(f"{count} {NEEDED[fixture][1]}", yellow=True)
