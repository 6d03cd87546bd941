"""A program as a tool, with real processes: its output is heard, and nothing of it is ever left.

Planted bugs that were found here, each by the test named: waiting for the process with the streams'
`Process.wait` (detached grandchild that holds the output), signalling the process instead of its group
(children of a program), not killing after the grace (ignores SIGTERM), cancelling the life of the process
with the call and hearing lines after it was abandoned (its program gets SIGTERM), and reading lines without a
bound (line that is too long).
"""

import asyncio
import os
import signal
import sys

import psutil
import pytest
from structlog.testing import capture_logs

from backend.domain.errors import ProviderError
from backend.tasks.ledger import processes
from backend.tasks.ledger.processes import Command, SubprocessTool
from backend.tasks.task_owner import TaskOwner
from tests.workers.conftest import BOUND_S
from tests.workers.programs import ENVIRONMENT, Heard, program
from tests.workers.reports import RecordingReport


async def run(tool, user_id="ann"):
    async with asyncio.timeout(BOUND_S):
        return await tool.run(None, RecordingReport(user_id=user_id))


async def until(log, line):
    async with asyncio.timeout(BOUND_S):
        return await log.until(lambda said: said.startswith(line))


async def gone(owner):
    """Return once no task of the owner is left, and so no process."""
    async with asyncio.timeout(BOUND_S):
        while len(owner):
            await asyncio.wait(list(owner._tasks))


async def cancelled(task):
    """Cancel a call, and return once it has ended; that takes no more than a few steps."""
    task.cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert task.cancelled()


def number_after(line):
    return int(line.split()[1])


# --- what it prints ------------------------------------------------------------------------------------


async def test_line_is_heard_as_it_is_printed(owner):
    tool, talk = program("print('one'); sys.stdin.readline(); print('two')", owner=owner)
    talk.request = b""
    call = owner.spawn(run(tool), name="call")
    await until(talk.lines, "one")
    assert talk.lines.entries == ["one"]
    await cancelled(call)


async def test_program_reads_its_request_and_its_input_stays_open(owner):
    source = """
print(sys.stdin.readline().strip())
import select
print("open" if not select.select([sys.stdin], [], [], 0)[0] else "closed")
"""
    tool, _ = program(source, owner=owner, talk=Heard(b"a request\n"))
    assert (await run(tool)).value == ["a request", "open"]


async def test_output_is_heard_to_the_last_line_if_the_program_ends_at_once(owner):
    tool, _ = program("print('\\n'.join(map(str, range(20000)))); print('end', end='')", owner=owner)
    assert (await run(tool)).value == [*map(str, range(20000)), "end"]


async def test_bytes_that_are_no_text_are_replaced(owner):
    source = """
for piece in (b"caf\\xc3", b"\\xa9\\n", b"\\xff\\xfe\\x00half \\xc3\\n", b"\\n", b"end \\xe2\\x82"):
    os.write(1, piece)
"""
    tool, _ = program(source, owner=owner)
    assert (await run(tool)).value == ["café", "\ufffd\ufffd\x00half \ufffd", "", "end \ufffd"]


async def test_line_that_is_too_long_is_skipped(owner, monkeypatch):
    monkeypatch.setattr(processes, "LONGEST_LINE", 100_000)
    tool, _ = program("print('a'); print('b' * 100_001); print('c' * 100_000); print('d')", owner=owner)
    assert (await run(tool)).value == ["a", "c" * 100_000, "d"]


@pytest.mark.parametrize("piece", ["'x' * 70_000", "'line\\n' * 14_000"])
async def test_endless_output_fails_its_call_and_no_other(owner, monkeypatch, piece):
    monkeypatch.setattr(processes, "MOST_OUTPUT", 2_000_000)
    tool, talk = program(f"while True: sys.stdout.write({piece})", owner=owner)
    other, _ = program("print('here')", owner=owner)
    flood = owner.spawn(run(tool), name="flood")
    assert (await run(other)).value == ["here"]
    with pytest.raises(ProviderError, match=r"^a program printed more than it may\.$"):
        await flood
    await gone(owner)
    assert sum(map(len, talk.lines.entries)) <= 2_000_000


async def test_error_of_the_talk_fails_the_call_and_ends_the_program(owner):
    class Refusing(Heard):
        def heard(self, line):
            super().heard(line)
            raise ValueError(line)

    tool, talk = program("print('bad'); print('worse'); wait()", owner=owner, talk=Refusing())
    with pytest.raises(ValueError, match=r"^bad$"):
        await run(tool)
    assert talk.lines.entries == ["bad"]


# --- how it ends ---------------------------------------------------------------------------------------


async def test_program_that_closes_its_output_is_waited_for(owner, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    source = f"""
print("before")
os.close(1)
open({str(gate)!r}).read()
os._exit(7)
"""
    tool, talk = program(source, owner=owner)
    call = owner.spawn(run(tool), name="call")
    await until(talk.lines, "before")
    os.close(os.open(gate, os.O_WRONLY))  # returns once the program waits at the gate
    with pytest.raises(ProviderError, match=r"^ended with 7$"):
        await call


async def test_last_words_of_a_failed_program_are_logged(owner):
    tool, talk = program("print('kept'); sys.stderr.write('x' * 9_000 + 'why'); sys.exit(3)", owner=owner)
    with capture_logs() as logged, pytest.raises(ProviderError, match=r"^ended with 3$"):
        await run(tool)
    (line,) = logged
    assert (line["event"], line["code"]) == ("a process failed", 3)
    assert line["said"] == "x" * (processes.LAST_WORDS - 3) + "why"
    assert talk.lines.entries == ["kept"]


async def test_program_that_is_killed_from_outside_has_failed(owner):
    tool, talk = program("print('pid', os.getpid()); wait()", owner=owner)
    call = owner.spawn(run(tool), name="call")
    os.kill(number_after(await until(talk.lines, "pid")), signal.SIGKILL)
    with capture_logs(), pytest.raises(ProviderError, match=r"^ended with -9$"):
        await call


@pytest.mark.parametrize("command", [("no-such-program",), ("/",), ("bad\0name",)])
async def test_program_that_cannot_be_started_fails_with_a_sentence(owner, command):
    talk = Heard()
    tool = SubprocessTool("a program", Command(command, ENVIRONMENT), lambda *_: talk, owner=owner)
    with capture_logs(), pytest.raises(ProviderError, match=r"^a program could not be started\.$"):
        await run(tool)


async def test_program_that_takes_too_long_is_ended(owner):
    tool, _ = program("wait()", owner=owner, longest_run_s=0.01)
    with pytest.raises(ProviderError, match=r"^a program took longer than 0\.01 seconds\.$"):
        await run(tool)


async def test_program_sees_only_the_given_environment(owner, monkeypatch):
    monkeypatch.setenv("DETOUR_TOKEN", "secret")
    tool, _ = program("print(*sorted(os.environ))", owner=owner)
    (names,) = (await run(tool)).value
    assert {*names.split()} - {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"} == ENVIRONMENT.keys()


# --- cancelling ----------------------------------------------------------------------------------------

ON_SIGTERM = """
def end(*_):
    print("too late")
    open({path!r}, "w").close()
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print("ready", os.getpid())
wait()
"""


async def test_cancelled_call_ends_at_once_and_its_program_gets_sigterm(owner, tmp_path):
    told = tmp_path / "told to end"
    tool, talk = program(ON_SIGTERM.format(path=str(told)), owner=owner)
    call = owner.spawn(run(tool), name="call")
    pid = number_after(await until(talk.lines, "ready"))
    await cancelled(call)
    await gone(owner)
    assert told.exists()
    assert not psutil.pid_exists(pid)
    assert talk.lines.entries == [f"ready {pid}"], "what it prints later is not heard"


@pytest.mark.requirement("NO-PROCESS-IS-LEFT")
async def test_program_that_ignores_sigterm_is_killed_with_its_children(owner, monkeypatch):
    monkeypatch.setattr(processes, "TERMINATE_GRACE_S", 0.05)
    forking = "signal.signal(15, signal.SIG_IGN); os.fork(); os.write(1, b'pid %d\\n' % os.getpid()); wait()"
    tool, talk = program(forking, owner=owner)
    call = owner.spawn(run(tool), name="call")
    async with asyncio.timeout(BOUND_S):
        await talk.lines.until(lambda _: len(talk.lines.entries) == 2)
    both = [psutil.Process(number_after(line)) for line in talk.lines.entries]
    await cancelled(call)
    await gone(owner)
    assert psutil.wait_procs(both, timeout=BOUND_S)[1] == []


FORKING = """
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], start_new_session={apart})
print("child", child.pid)
{then}
"""


@pytest.mark.requirement("NO-PROCESS-IS-LEFT")
@pytest.mark.parametrize("then", ["wait()", "os._exit(0)"], ids=["is cancelled", "ends by itself"])
async def test_children_of_a_program_end_with_it(owner, then):
    tool, talk = program(FORKING.format(apart=False, then=then), owner=owner)
    call = owner.spawn(run(tool), name="call")
    child = psutil.Process(number_after(await until(talk.lines, "child")))
    call.cancel()
    await gone(owner)
    assert psutil.wait_procs([child], timeout=BOUND_S) == ([child], [])


async def test_detached_grandchild_that_holds_the_output_delays_no_call(owner, monkeypatch):
    monkeypatch.setattr(processes, "LAST_OUTPUT_WITHIN_S", 0.05)
    tool, talk = program(FORKING.format(apart=True, then="os._exit(0)"), owner=owner)
    result = await run(tool)
    (line,) = talk.lines.entries
    assert result.value == [line]
    os.kill(number_after(line), signal.SIGKILL)


async def test_call_cancelled_at_any_step_leaves_nothing(owner):
    for steps in range(40):
        tool, _ = program("wait()", owner=owner)
        call = owner.spawn(run(tool), name="call")
        for _ in range(steps):
            await asyncio.sleep(0)
        await cancelled(call)
    await gone(owner)


@pytest.mark.requirement("NO-USER-TAKES-ALL-PROCESSES")
async def test_call_beyond_the_most_processes_waits(owner, monkeypatch):
    monkeypatch.setattr(processes, "MOST_PROCESSES", 2)
    tool, talk = program("print('here'); wait()", owner=owner)
    calls = [owner.spawn(run(tool, user_id=user), name="call") for user in ("ann", "bob")]
    async with asyncio.timeout(BOUND_S):
        await talk.lines.until(lambda _: len(talk.lines.entries) == 2)
    waiting = owner.spawn(run(tool, user_id="cem"), name="call")
    gave_up = owner.spawn(run(tool, user_id="dan"), name="call")
    await asyncio.sleep(0)
    assert tool.alive == 2
    await cancelled(gave_up)
    await cancelled(calls[0])
    async with asyncio.timeout(BOUND_S):
        await talk.lines.until(lambda _: len(talk.lines.entries) == 3)
    for call in (calls[1], waiting):
        await cancelled(call)
    await gone(owner)
    assert tool.alive == 0


async def test_owner_out_of_patience_has_the_program_killed(monkeypatch):
    monkeypatch.setattr(processes, "TERMINATE_GRACE_S", BOUND_S)
    owner = TaskOwner()
    tool, talk = program("signal.signal(15, signal.SIG_IGN); print('pid', os.getpid()); wait()", owner=owner)
    call = owner.spawn(run(tool), name="call")
    pid = number_after(await until(talk.lines, "pid"))
    await cancelled(call)
    await owner.finish(grace_s=0.5)
    assert (len(owner), psutil.pid_exists(pid)) == (0, False)


@pytest.mark.requirement("NO-PROCESS-IS-LEFT")
async def test_program_that_watches_its_input_ends_with_a_killed_server(tmp_path):
    server = """
import asyncio, os, signal, sys
from backend.tasks.task_owner import TaskOwner
from tests.workers.programs import Heard, program
from tests.workers.reports import RecordingReport

async def main():
    tool, talk = program("print('pid', os.getpid()); sys.stdin.read()", owner=TaskOwner())
    call = asyncio.get_running_loop().create_task(tool.run(None, RecordingReport()))
    print((await talk.lines.until(lambda line: True)), flush=True)
    await call

asyncio.run(main())
"""
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", server), stdout=asyncio.subprocess.PIPE, env=environment
    )
    worker = psutil.Process(number_after((await process.stdout.readline()).decode()))
    process.kill()
    assert psutil.wait_procs([worker], timeout=BOUND_S)[1] == []
    assert await process.wait() == -signal.SIGKILL
