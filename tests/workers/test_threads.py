"""A blocking function as a tool, in real threads: abandoned at once, ordered, late results passed on.

Planted bugs that were found here, each by the test named: calling the report from the thread itself (reports
reach the event loop), the loop's shared executor (abandoned functions block no later call), dropping what
comes after a call was abandoned instead of passing it on (its result is late), and not looking at a result
that came in the step of the cancellation (result in the step of the cancellation).
"""

import asyncio
import os
import signal
import sys
import threading

import pytest

from backend.domain.errors import NotOnSale, ProviderError
from backend.tasks.ledger import threads
from backend.tasks.ledger.base import ToolResult
from backend.tasks.ledger.threads import ThreadTool
from tests.fakes import RecordingLog
from tests.workers.conftest import BOUND_S
from tests.workers.programs import ENVIRONMENT
from tests.workers.reports import RecordingReport


class Blocking:
    """A function in a thread that tells its name, then waits to be let through."""

    def __init__(self):
        self.began = threading.Event()
        self.may_end = threading.Event()
        self.reports = []

    def __call__(self, arguments, report):
        self.reports.append(report)
        report.found([arguments], source="thread")
        self.began.set()
        assert self.may_end.wait(BOUND_S)
        report.found(["too late"], source="thread")
        report.progress("too late", done=1, total=1)
        return ToolResult("done", arguments)


@pytest.fixture
def late():
    return RecordingLog()


@pytest.fixture
def tool_of(late):
    return lambda function: ThreadTool(
        "a function", function, on_late=lambda report, outcome: late((report.call_id, outcome))
    )


async def until(happened, log):
    async with asyncio.timeout(BOUND_S):
        return await log.until(happened)


async def cancelled(call):
    call.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert call.cancelled()


# --- running -------------------------------------------------------------------------------------------


async def test_reports_reach_the_event_loop_in_order_and_before_the_result(owner, tool_of):
    here = threading.get_ident()
    told = []

    class Here(RecordingReport):
        def found(self, items, *, source):
            told.append((threading.get_ident() == here, items, source))

        def progress(self, detail, *, done, total):
            told.append((threading.get_ident() == here, detail, done, total))

    def count(arguments, report):
        assert threading.get_ident() != here
        for n in range(arguments):
            report.found([n], source="thread")
            report.progress("counting", done=n, total=arguments)
        return ToolResult(f"{report.call_id} of {report.user_id}")

    result = await tool_of(count).run(2_000, Here())
    assert result == ToolResult("call of ann")
    assert told == [
        each for n in range(2_000) for each in [(True, [n], "thread"), (True, "counting", n, 2_000)]
    ]


async def test_endless_reports_block_the_thread_until_the_loop_catches_up(owner, tool_of, late):
    told = 0

    def flood(_arguments, report):
        nonlocal told
        while not report.stopped.is_set():
            report.progress("more", done=0, total=0)
            told += 1
        return ToolResult("stopped")

    report = RecordingReport()
    call = owner.spawn(tool_of(flood).run(None, report), name="call")
    for _ in range(1_000):
        assert told <= len(report.told) + threads.MOST_UNDELIVERED
        await asyncio.sleep(0)
    await cancelled(call)
    await until(lambda _: True, late)


@pytest.mark.parametrize("error", [NotOnSale("Nothing flies."), ValueError("broken")])
async def test_error_of_the_function_is_raised(owner, tool_of, error):
    def fail(_arguments, _report):
        raise error

    with pytest.raises(type(error), match=str(error)):
        await tool_of(fail).run(None, RecordingReport())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_function_that_ends_its_thread_has_failed(owner, tool_of):
    with pytest.raises(ProviderError, match=r"^a function ended without a result\.$"):
        await tool_of(lambda *_: sys.exit(1)).run(None, RecordingReport())


async def test_refused_report_fails_the_call_and_stops_the_function(owner, tool_of, late):
    class Full(RecordingReport):
        def found(self, items, *, source):
            raise ProviderError("That is too much.")

    def wait_to_be_stopped(_arguments, report):
        report.found([1], source="thread")
        assert report.stopped.wait(BOUND_S)
        return ToolResult("stopped")

    with pytest.raises(ProviderError, match="That is too much"):
        await tool_of(wait_to_be_stopped).run(None, Full())
    assert await until(lambda _: True, late) == ("call", ToolResult("stopped"))


# --- abandoning ----------------------------------------------------------------------------------------


async def test_cancelled_call_ends_at_once_and_its_result_is_late(owner, tool_of, late):
    function, report = Blocking(), RecordingReport()
    tool = tool_of(function)
    call = owner.spawn(tool.run("first", report), name="call")
    await until(lambda _: True, report.items)
    await cancelled(call)
    assert function.reports[0].stopped.is_set()
    assert (tool.alive, late.entries) == (1, [])
    function.may_end.set()
    assert await until(lambda _: True, late) == ("call", ToolResult("done", "first"))
    assert (report.items.entries, report.told) == ([("thread", "first")], [])
    assert tool.alive == 0


async def test_error_after_the_cancellation_is_late(owner, tool_of, late):
    began = asyncio.Event()

    def fail_when_stopped(_arguments, report):
        report.progress("began", done=0, total=0)
        assert report.stopped.wait(BOUND_S)
        raise NotOnSale("Nothing flies.")

    class Told(RecordingReport):
        def progress(self, detail, *, done, total):
            began.set()

    call = owner.spawn(tool_of(fail_when_stopped).run(None, Told()), name="call")
    await began.wait()
    await cancelled(call)
    _, error = await until(lambda _: True, late)
    assert isinstance(error, NotOnSale)


async def test_result_in_the_step_of_the_cancellation_is_late(owner, tool_of, late):
    """The result is there, and the call is cancelled before it could take it."""
    function, report = Blocking(), RecordingReport()
    tool = tool_of(function)
    call = owner.spawn(tool.run("first", report), name="call")
    await until(lambda _: True, report.items)
    (thread,) = [each for each in threading.enumerate() if each.name == "a function call"]
    function.may_end.set()
    thread.join(BOUND_S)  # the loop stands still meanwhile: all that the thread told waits for its next step
    asyncio.get_running_loop().call_soon(call.cancel)
    with pytest.raises(asyncio.CancelledError):
        await call
    assert late.entries == [("call", ToolResult("done", "first"))]


@pytest.mark.requirement("THREADS-ARE-LET-GO")
async def test_abandoned_functions_block_no_later_call(owner, tool_of, late):
    deaf = Blocking()
    tool = tool_of(deaf)
    for n in range(40):  # more than the threads of the loop's own pool
        report = RecordingReport()
        call = owner.spawn(tool.run(n, report), name="call")
        await until(lambda _: True, report.items)
        await cancelled(call)
    assert (await tool_of(lambda *_: ToolResult("here")).run(None, RecordingReport())).summary == "here"
    deaf.may_end.set()
    await until(lambda _: len(late.entries) == 40, late)


@pytest.mark.requirement("BLOCKING-HOLDS-UP-ITS-OWN-USER")
async def test_user_has_at_most_half_the_threads_of_a_tool(owner, tool_of, late, monkeypatch):
    monkeypatch.setattr(threads, "MOST_THREADS", 4)
    function = Blocking()
    tool = tool_of(function)
    for n in range(2):
        report = RecordingReport()
        call = owner.spawn(tool.run(n, report), name="call")
        await until(lambda _: True, report.items)
        await cancelled(call)
    with pytest.raises(ProviderError, match="busy with too many calls"):
        await tool.run(3, RecordingReport())
    bens = RecordingReport(user_id="ben")
    call = owner.spawn(tool.run(3, bens), name="call")
    await until(lambda _: True, bens.items)
    function.may_end.set()
    assert (await call).value == 3
    await until(lambda _: len(late.entries) == 2, late)
    assert (await tool.run(4, RecordingReport())).value == 4


async def test_call_is_cancelled_at_any_step(owner, tool_of, late):
    for steps in range(10):
        function = Blocking()
        call = owner.spawn(tool_of(function).run(None, RecordingReport()), name="call")
        for _ in range(steps):
            await asyncio.sleep(0)
        await cancelled(call)
        function.may_end.set()
    # One that was cancelled before its first step has started no thread.
    await until(lambda _: len(late.entries) == 9, late)


@pytest.mark.requirement("THREADS-ARE-LET-GO")
async def test_abandoned_function_keeps_no_process_alive():
    source = """
import asyncio, threading
from backend.tasks.ledger.threads import ThreadTool
from tests.workers.reports import RecordingReport

def wait_for_ever(_arguments, report):
    report.found(["began"], source="thread")
    threading.Event().wait()

async def main():
    report = RecordingReport()
    tool = ThreadTool("deaf", wait_for_ever, on_late=print)
    call = asyncio.get_running_loop().create_task(tool.run(None, report))
    await report.items.until(lambda _: True)
    call.cancel()

asyncio.run(main())
print("ended")
"""
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", source), stdout=asyncio.subprocess.PIPE, env=environment
    )
    try:
        async with asyncio.timeout(BOUND_S):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
    assert (said, process.returncode) == (b"ended\n", 0)
