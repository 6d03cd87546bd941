"""The helpers that order events in tests do so on every loop."""

import asyncio

import pytest

from tests.fakes import Gate, RecordingLog
from tests.fakes.http_server import listen_on_another_port
from tests.fakes.waiting import until


@pytest.mark.virtual_time
async def test_a_gate_holds_whoever_comes_until_it_is_opened() -> None:
    gate = Gate()
    async with asyncio.TaskGroup() as group:
        group.create_task(gate.wait())
        group.create_task(gate.wait())
        await gate.arrived(2)
        await asyncio.sleep(600)
        assert gate.passed == 0
        gate.open()
    assert gate.passed == 2


@pytest.mark.virtual_time
async def test_a_gate_raises_in_whoever_is_cancelled_there() -> None:
    gate = Gate()
    waiter = asyncio.get_running_loop().create_task(gate.wait())
    await gate.arrived()
    waiter.cancel()
    await asyncio.wait([waiter])
    assert waiter.cancelled()
    assert (gate.arrivals, gate.passed) == (1, 0)


@pytest.mark.virtual_time
async def test_a_log_lets_a_test_wait_for_an_entry_that_comes_later_or_came_before() -> None:
    log: RecordingLog[int] = RecordingLog()
    loop = asyncio.get_running_loop()
    for delay in (1, 2, 3):
        loop.call_later(delay, log, delay)
    assert await log.until(lambda entry: entry > 1) == 2
    assert await log.until(lambda entry: entry > 0) == 1
    assert log.entries == [1, 2]
    assert await log.until(lambda entry: entry == 3) == 3


@pytest.mark.virtual_time
@pytest.mark.parametrize(("every_s", "times"), [(0, [0, 3, 6]), (5, [0, 6, 12])])
async def test_what_is_waited_for_has_twice_the_time_of_a_look(every_s: float, times: list[float]) -> None:
    began: list[float] = []

    async def look() -> bool:
        began.append(asyncio.get_running_loop().time())
        await asyncio.sleep(1)
        return len(began) == 3

    assert await until(look, every_s=every_s)
    assert began == times


async def test_no_server_has_the_port_of_an_earlier_one() -> None:
    """The system gives the same port again, if seldom: here the first three count as had."""

    class Had(set[int]):
        refusals = 3

        def __contains__(self, port: object) -> bool:
            self.refusals -= 1
            return self.refusals >= 0 or super().__contains__(port)

    had = Had()
    with listen_on_another_port(had) as listener:
        assert set(had) == {listener.getsockname()[1]}
    assert had.refusals == -1
