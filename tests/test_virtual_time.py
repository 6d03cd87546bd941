"""The repeatable loops find what they are there to find: each is shown a planted bug."""

import asyncio
import socket
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph

from tests.fakes import RecordingLog
from tests.virtual_time import (
    START_OF_VIRTUAL_TIME,
    CallbackFailed,
    Deadlock,
    SeededLoop,
    TasksLeft,
    VirtualTimeLoop,
    run_seeded,
    virtual_clock,
)

SEEDS = range(100)


def run_virtually(coroutine: Any) -> Any:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(coroutine)


class Desk:
    """One user's running work. `replace` has a planted bug: it cancels the old work without awaiting it."""

    def __init__(self) -> None:
        self.work: asyncio.Task[None] | None = None
        self.holder: str | None = None
        self.shared_by: list[str] = []

    async def replace(self, name: str) -> None:
        if self.work:
            self.work.cancel()
        self.work = asyncio.get_running_loop().create_task(self._hold(name))

    async def replace_and_wait(self, name: str) -> None:
        if self.work:
            self.work.cancel()
            await asyncio.wait([self.work])
        self.work = asyncio.get_running_loop().create_task(self._hold(name))

    async def _hold(self, name: str) -> None:
        if self.holder is not None:
            self.shared_by.append(f"{self.holder} and {name}")
        self.holder = name
        try:
            await asyncio.sleep(600)
        finally:
            self.holder = None


async def two_in_a_row(desk: Desk, replace: Any) -> list[str]:
    await replace("first")
    await asyncio.sleep(1)
    await replace("second")
    await asyncio.wait([desk.work])
    return desk.shared_by


def shared_on_seed(method: str, seed: int) -> bool:
    desk = Desk()
    return bool(run_seeded(lambda: two_in_a_row(desk, getattr(desk, method)), seed))


# Virtual time


@pytest.mark.virtual_time
async def test_a_sleep_of_ten_minutes_moves_the_loop_by_ten_minutes() -> None:
    loop = asyncio.get_running_loop()
    before = loop.time()
    await asyncio.sleep(600)
    assert isinstance(loop, VirtualTimeLoop)
    assert loop.time() - before == 600


@pytest.mark.virtual_time
async def test_the_virtual_clock_tells_what_was_slept() -> None:
    now = virtual_clock()
    before = now()
    await asyncio.sleep(90)
    assert (now() - before).total_seconds() == 90
    assert before >= START_OF_VIRTUAL_TIME


@pytest.mark.virtual_time
async def test_a_timeout_fires_at_its_time_and_not_before() -> None:
    loop = asyncio.get_running_loop()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(30):
            await asyncio.sleep(31)
    assert loop.time() == 30
    async with asyncio.timeout(30):
        await asyncio.sleep(29)
    assert loop.time() == 59


@pytest.mark.virtual_time
async def test_timers_fire_in_the_order_of_their_times() -> None:
    log: RecordingLog[int] = RecordingLog()
    async with asyncio.TaskGroup() as group:
        for delay in (300, 100, 200):
            group.create_task(asyncio.sleep(delay)).add_done_callback(lambda _, d=delay: log(d))
    assert log.entries == [100, 200, 300]


@pytest.mark.virtual_time
async def test_sockets_within_the_process_work_on_virtual_time() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        writer.close()
        await writer.wait_closed()

    left, right = socket.socketpair()
    server = asyncio.get_running_loop().create_task(echo(*await asyncio.open_connection(sock=left)))
    reader, writer = await asyncio.open_connection(sock=right)
    writer.write(b"hello\n")
    assert await reader.readline() == b"hello\n"
    writer.close()
    await writer.wait_closed()
    await server


def test_a_deadlock_is_an_error_that_names_who_waits_and_where() -> None:
    async def wait_for_ever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Deadlock, match=r"Event\.wait"):
        run_virtually(wait_for_ever())


def test_two_tasks_that_wait_for_each_other_are_a_deadlock() -> None:
    async def take(one: asyncio.Lock, other: asyncio.Lock, both_hold: asyncio.Barrier) -> None:
        async with one:
            await both_hold.wait()
            async with other:
                pass

    async def cross() -> None:
        left, right, barrier = asyncio.Lock(), asyncio.Lock(), asyncio.Barrier(2)
        await asyncio.gather(take(left, right, barrier), take(right, left, barrier))

    with pytest.raises(Deadlock, match=r"Lock\.acquire"):
        run_virtually(cross())


# The seeded order


def test_a_cancel_without_an_await_fails_for_some_seeds_though_it_passes_on_the_stock_order() -> None:
    """Planted: `Desk.replace`. On the stock order the old work always ends before the new one starts."""
    desk = Desk()
    assert run_virtually(two_in_a_row(desk, desk.replace)) == []
    found = [seed for seed in SEEDS if shared_on_seed("replace", seed)]
    assert 0 < len(found) < len(SEEDS)


def test_the_same_code_with_the_await_passes_for_every_seed() -> None:
    assert not any(shared_on_seed("replace_and_wait", seed) for seed in SEEDS)


def order_of_five_tasks(seed: int) -> list[int]:
    async def main() -> list[int]:
        log: RecordingLog[int] = RecordingLog()

        async def visit(number: int) -> None:
            await asyncio.sleep(1)
            log(number)

        async with asyncio.TaskGroup() as group:
            for number in range(5):
                group.create_task(visit(number))
        return log.entries

    return run_seeded(main, seed)


def test_a_seed_always_gives_the_same_order_and_seeds_differ() -> None:
    orders = [tuple(order_of_five_tasks(seed)) for seed in SEEDS]
    assert orders == [tuple(order_of_five_tasks(seed)) for seed in SEEDS]
    assert len(set(orders)) > 50


def test_plain_callbacks_keep_the_order_they_were_scheduled_in() -> None:
    async def main() -> list[int]:
        log: RecordingLog[int] = RecordingLog()
        loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as group:
            for number in range(10):
                loop.call_soon(log, number)
                group.create_task(asyncio.sleep(0))
        return log.entries

    assert all(run_seeded(main, seed) == list(range(10)) for seed in SEEDS)


def test_a_task_may_be_stepped_before_or_after_a_callback_that_was_scheduled_with_it() -> None:
    async def main() -> str:
        log: RecordingLog[str] = RecordingLog()

        async def step() -> None:
            log("task")

        task = asyncio.get_running_loop().create_task(step())
        asyncio.get_running_loop().call_soon(log, "callback")
        await task
        await asyncio.sleep(0)
        return log.entries[0]

    assert {run_seeded(main, seed) for seed in SEEDS} == {"task", "callback"}


def test_streams_arrive_whole_and_in_order_under_every_seed() -> None:
    async def main() -> bytes:
        left, right = socket.socketpair()
        reader, _other = await asyncio.open_connection(sock=left)
        _reader, writer = await asyncio.open_connection(sock=right)
        for number in range(200):
            writer.write(f"{number}\n".encode())
            await writer.drain()
        writer.close()
        await writer.wait_closed()
        received = await reader.read()
        _other.close()
        await _other.wait_closed()
        return received

    expected = "".join(f"{number}\n" for number in range(200)).encode()
    assert all(run_seeded(main, seed) == expected for seed in range(20))


def test_a_graph_with_two_branches_gives_the_same_state_under_every_seed() -> None:
    class State(TypedDict, total=False):
        left: int
        right: int
        total: int

    async def left(state: State) -> State:
        await asyncio.sleep(1)
        return {"left": 1}

    async def right(state: State) -> State:
        await asyncio.sleep(1)
        return {"right": 2}

    async def add(state: State) -> State:
        return {"total": state["left"] + state["right"]}

    builder = StateGraph(State)
    for name, node in (("left_node", left), ("right_node", right), ("add", add)):
        builder.add_node(name, node)
    builder.add_edge(START, "left_node")
    builder.add_edge(START, "right_node")
    builder.add_edge(["left_node", "right_node"], "add")
    builder.add_edge("add", END)
    graph = builder.compile()
    assert all(
        run_seeded(lambda: graph.ainvoke({}), seed) == {"left": 1, "right": 2, "total": 3} for seed in SEEDS
    )


def test_an_error_says_under_which_seed_it_happened() -> None:
    async def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no") as caught:
        run_seeded(fail, 7)
    assert caught.value.__notes__ == ["under seed 7"]


def test_a_scenario_that_leaves_a_task_running_fails() -> None:
    async def forget() -> asyncio.Task[None]:
        return asyncio.get_running_loop().create_task(asyncio.sleep(600), name="forgotten")

    with pytest.raises(TasksLeft, match="forgotten: sleep"):
        run_seeded(forget, 0)


def test_a_scenario_whose_callback_raises_fails() -> None:
    async def main() -> None:
        asyncio.get_running_loop().call_soon(lambda: 1 // 0)
        await asyncio.sleep(1)

    with pytest.raises(CallbackFailed) as caught:
        run_seeded(main, 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.seeds(3)
async def test_the_seeds_marker_runs_a_test_once_per_seed(request: pytest.FixtureRequest) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SeededLoop)
    assert loop.seed == int(request.node.callspec.id.removeprefix("seed-"))


@pytest.mark.uvloop
async def test_the_uvloop_marker_runs_a_test_on_uvloop() -> None:
    assert type(asyncio.get_running_loop()).__module__ == "uvloop"


async def test_an_unmarked_test_runs_on_the_stock_loop() -> None:
    assert type(asyncio.get_running_loop()) is asyncio.SelectorEventLoop
