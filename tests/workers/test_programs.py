"""Programs that nodes and tools of a graph start end when those are cancelled, and nothing else does.

With real programs, as agents start them: a shell and its children, a leader of its own group, one that
ignores SIGTERM. Planted bugs that were found here: signalling the process group of a plain child, which is
the server's own; signalling the child alone; no SIGKILL after the grace; following the asyncio task that
starts a program in place of the tool's; ending what a tool has left on purpose; and reading the outcome of a
call before its program is gone.
"""

import asyncio
import os
import shlex
import sys
from asyncio import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import detour.tools
import psutil
import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import MessagesState

from backend.domain.task import InterruptReason
from backend.graphs.hosted_graph import HostedGraph
from backend.tasks import programs
from backend.tasks.contained import contain_exits
from backend.tasks.ledger import observed
from backend.tasks.programs import Programs
from backend.tasks.user_threads import UserThreads
from tests.fakes.waiting import until
from tests.graphs.building import beside, pipeline
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.parts import Parts, started
from tests.workers.conftest import BOUND_S
from tests.workers.programs import is_alive

pytestmark = pytest.mark.requirement("PROGRAMS-END-WITH-THEIR-TOOL")

SAYS_ITS_ID = "import os, signal; os.write(1, b'%d\\n' % os.getpid()); signal.pause()"
"""Source of a program that says its id, in one piece, and waits for ever."""

SAYING = f"{shlex.quote(sys.executable)} -c {shlex.quote(SAYS_ITS_ID)}"
"""The same as a command of a shell."""

IGNORES_SIGTERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);" + SAYS_ITS_ID

LEAVES_IT_TO_OTHERS = f"""
import subprocess, sys, signal
subprocess.Popen([sys.executable, "-c", {SAYS_ITS_ID!r}])
{SAYS_ITS_ID}
"""
"""Source of a program that starts another one; both say their ids."""


class Shell:
    """Starts programs for a graph, and knows those that have said their ids."""

    def __init__(self) -> None:
        self.begun: asyncio.Queue[psutil.Process] = asyncio.Queue()
        self.asked = asyncio.Event()

    async def start(self, source: str, **options: Any) -> subprocess.Process:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-c", source, stdout=subprocess.PIPE, **options
        )

    async def hear(self, process: subprocess.Process) -> None:
        """Note each program that says its id on the output of a process, until that ends."""
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self.begun.put_nowait(psutil.Process(int(line)))

    async def run(self, source: str, **options: Any) -> None:
        """Run a program to its end, as most tools do."""
        await self.hear(await self.start(source, **options))


@pytest.fixture
async def shell(owner: Any) -> Shell:
    """Return a shell of which nothing may be left when the test ends."""
    return Shell()


@asynccontextmanager
async def serving(graph: Any) -> AsyncIterator[Parts]:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(UserThreads())
    contain_exits(loop)
    parts = Parts(workflow=lambda ledger, owner: HostedGraph(graph, ledger=ledger, owner=owner))
    Programs(parts.owner).follow(loop)
    async with started(parts), asyncio.timeout(BOUND_S):
        yield parts


def agent(command: Callable[[], Any], times: int = 1) -> Any:
    """Return an agent that so many times has its tool run a command, and then says so."""

    @tool
    async def run(name: str) -> str:
        """Run a command."""
        await command()
        return "ran"

    return create_agent(ScriptedChat(script=[*[calling("run", name="ls")] * times, "It is done."]), [run])


@asynccontextmanager
async def stopped(graph: Any, shell: Shell, *, programs: int = 1) -> AsyncIterator[tuple[Parts, str, Any]]:
    """Serve a graph, and stop its task once so many programs have begun; yield all three."""
    async with serving(graph) as parts:
        task = await parts.post("Run it")
        begun = [await shell.begun.get() for _ in range(programs)]
        await parts.runner.stop("ann", task)
        yield parts, task, begun


async def line(parts: Parts, task: str) -> tuple[str, str]:
    """Return outcome and summary of the only call in a task's receipt."""
    [call] = (await parts.receipt(task))["tool_calls"]
    return call["outcome"], call["summary"]


async def gone(process: psutil.Process) -> None:
    await until(lambda: not is_alive(process))


# --- the ordinary tool ---------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", [*InterruptReason])
async def test_program_ends_with_its_tool_for_every_reason(shell: Shell, reason: InterruptReason) -> None:
    async with serving(agent(lambda: shell.run(SAYS_ITS_ID))) as parts:
        task = await parts.post("Run it")
        program = await shell.begun.get()
        assert parts.interruptions.interrupt_task(task, reason)
        await parts.settled(task)
        assert not is_alive(program)
        assert await line(parts, task) == ("cancelled", observed.PROGRAM_ENDED)
        assert "and its program was ended" in (await parts.history())[-1][1]


@pytest.mark.parametrize("leads", [True, False])
async def test_program_ends_with_its_children_whether_or_not_it_leads_a_group(
    shell: Shell, leads: bool
) -> None:
    async with serving(agent(lambda: shell.run(LEAVES_IT_TO_OTHERS, start_new_session=leads))) as parts:
        task = await parts.post("Run it")
        begun = [await shell.begun.get(), await shell.begun.get()]
        assert {os.getpgid(each.pid) == os.getpgid(0) for each in begun} == {not leads}
        await parts.runner.stop("ann", task)
        assert not any(map(is_alive, begun))


async def test_orphan_in_the_group_of_a_program_ends(shell: Shell) -> None:
    # The inner shell ends at once: what it started is nobody's child.
    source = f"({SAYING} &); exec {SAYING}"

    async def command() -> None:
        options: Any = {"stdout": subprocess.PIPE, "start_new_session": True}
        await shell.hear(await asyncio.create_subprocess_shell(source, **options))

    async with stopped(agent(command), shell, programs=2) as (_, _, begun):
        for each in begun:
            await gone(each)


async def test_server_and_programs_of_other_users_survive(shell: Shell) -> None:
    async with serving(agent(lambda: shell.run(LEAVES_IT_TO_OTHERS), times=2)) as parts:
        task = await parts.post("Run it")
        anns = {await shell.begun.get(), await shell.begun.get()}
        await parts.post("Run it", user="bob")
        bobs = {await shell.begun.get(), await shell.begun.get()}
        own = await asyncio.create_subprocess_exec("cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert {os.getpgid(each.pid) for each in anns | bobs} == {os.getpgid(own.pid)} == {os.getpgid(0)}
        await parts.runner.stop("ann", task)
        assert not any(map(is_alive, anns))
        assert all(map(is_alive, bobs))
        assert await own.communicate(b"alive") == (b"alive", None)
        [bob] = parts.interruptions.running_tasks("bob")
        await parts.runner.stop("bob", bob)
        assert not any(map(is_alive, bobs))


# --- programs that resist ------------------------------------------------------------------------------


async def test_program_that_ignores_sigterm_is_reported_as_running_until_it_is_gone(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observed, "PROGRAM_PATIENCE_S", 0.0)
    monkeypatch.setattr(programs, "TERMINATE_GRACE_S", BOUND_S)
    async with stopped(agent(lambda: shell.run(IGNORES_SIGTERM)), shell) as (parts, task, [program]):
        assert is_alive(program)
        assert await line(parts, task) == ("unknown", observed.PROGRAM_RUNS)
        assert "Run is still running, as a program" in (await parts.history())[-1][1]
        assert [each["name"] for each in parts.ledger.observed.still_running("ann")] == ["run"]
        program.kill()
        await parts.quiet()
        assert await line(parts, task) == ("cancelled", observed.PROGRAM_ENDED)
        assert (await parts.history())[-1][1] == f"No longer running: run was {observed.PROGRAM_ENDED}."


async def test_child_that_ignores_sigterm_is_killed_after_its_parent_ended(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "TERMINATE_GRACE_S", 0.01)
    source = LEAVES_IT_TO_OTHERS.replace(repr(SAYS_ITS_ID), repr(IGNORES_SIGTERM))
    async with stopped(agent(lambda: shell.run(source)), shell, programs=2) as (parts, task, begun):
        await parts.quiet()
        assert not any(map(is_alive, begun))
        assert (await line(parts, task))[0] == "cancelled"


async def test_shutdown_kills_resisting_programs_within_its_grace(shell: Shell) -> None:
    async with serving(agent(lambda: shell.run(IGNORES_SIGTERM))) as parts:
        await parts.post("Run it")
        program = await shell.begun.get()
        await parts.runner.close(grace_s=20)
        await parts.owner.finish(grace_s=0.01)
        # It ignores SIGTERM: only the kill ends it, which the system may carry out after these 10 ms.
        async with asyncio.timeout(20):
            await gone(program)


# --- whatever starts it --------------------------------------------------------------------------------


async def by_wait_for(shell: Shell) -> None:
    await shell.hear(await asyncio.wait_for(shell.start(SAYS_ITS_ID), 20))  # noqa: TID251


async def in_a_gather(shell: Shell) -> None:
    await asyncio.gather(shell.run(SAYS_ITS_ID), asyncio.sleep(3600))


async def in_a_task_group(shell: Shell) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(shell.run(SAYS_ITS_ID))


async def by_a_task_that_ends(shell: Shell) -> None:
    process = await asyncio.create_task(shell.start(SAYS_ITS_ID))  # noqa: TID251
    await shell.hear(process)


async def with_a_time_out(shell: Shell) -> None:
    async with asyncio.timeout(3600):
        await shell.run(SAYS_ITS_ID)


async def by_anyio(shell: Shell) -> None:
    process = await anyio.open_process([sys.executable, "-c", SAYS_ITS_ID])
    assert process.stdout is not None
    shell.begun.put_nowait(psutil.Process(int(await process.stdout.receive())))
    await process.wait()


async def catching_it_once(shell: Shell) -> None:
    process = await shell.start(SAYS_ITS_ID)
    try:
        await shell.hear(process)
    except asyncio.CancelledError:
        return


WAYS = [by_wait_for, in_a_gather, in_a_task_group, by_a_task_that_ends, with_a_time_out, by_anyio]


@pytest.mark.parametrize("way", [*WAYS, catching_it_once])
async def test_program_ends_with_its_tool_however_it_was_started(
    shell: Shell, way: Callable[[Shell], Any]
) -> None:
    async with stopped(agent(lambda: way(shell)), shell) as (parts, _, [program]):
        await parts.quiet()
        assert not is_alive(program)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_parallel", [False, True])
async def test_program_ends_with_the_async_node_that_started_it(
    shell: Shell, way: Callable[[Shell], Any], is_parallel: bool
) -> None:
    async def node(_state: MessagesState) -> dict[str, Any]:
        await way(shell)
        return {}

    async def other(_state: MessagesState) -> dict[str, Any]:
        return {}

    both = [("node", node), *([("other", other)] if is_parallel else [])]
    async with stopped(beside(*both, state=MessagesState), shell) as (parts, task, [program]):
        await parts.quiet()
        assert not is_alive(program)
        assert (await parts.receipt(task))["tool_calls"] == []


async def test_node_with_a_resisting_program_is_reported_as_running(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observed, "PROGRAM_PATIENCE_S", 0.0)
    monkeypatch.setattr(programs, "TERMINATE_GRACE_S", BOUND_S)

    async def node(_state: MessagesState) -> dict[str, Any]:
        await shell.run(IGNORES_SIGTERM)
        return {}

    async with stopped(pipeline(node=node), shell) as (parts, task, [program]):
        assert await line(parts, task) == ("unknown", observed.STEP_PROGRAM_RUNS)
        program.kill()
        await parts.quiet()
        assert await line(parts, task) == ("cancelled", observed.STEP_PROGRAM_ENDED)


# --- what is left alone --------------------------------------------------------------------------------


async def ended_by_hand(program: psutil.Process) -> None:
    assert is_alive(program)
    program.kill()
    await gone(program)


async def test_program_left_on_purpose_survives_a_later_interruption(shell: Shell) -> None:
    async def leave() -> None:
        process = await shell.start(SAYS_ITS_ID)
        assert process.stdout is not None
        shell.begun.put_nowait(psutil.Process(int(await process.stdout.readline())))

    async def node(_state: MessagesState) -> dict[str, Any]:
        await leave()
        return {}

    async def later(_state: MessagesState) -> dict[str, Any]:
        shell.asked.set()
        await asyncio.get_running_loop().create_future()
        return {}

    graph = pipeline(agent=agent(leave), node=node, later=later)
    async with serving(graph) as parts:
        task = await parts.post("Run it")
        await shell.asked.wait()
        left = [await shell.begun.get(), await shell.begun.get()]
        await parts.runner.stop("ann", task)
        await parts.quiet()
        for each in left:
            await ended_by_hand(each)


async def test_program_kept_running_by_its_tool_survives(shell: Shell) -> None:
    async def command() -> None:
        with detour.tools.keeps_running():
            process = await shell.start(SAYS_ITS_ID)
        await shell.hear(process)

    async with stopped(agent(command), shell) as (parts, task, [program]):
        assert await line(parts, task) == ("cancelled", observed.CUT_SHORT)
        await parts.quiet()
        await ended_by_hand(program)


async def test_tool_that_ends_its_own_program_is_undisturbed(shell: Shell) -> None:
    said: list[bytes] = []
    tidies_up = f"{SAYS_ITS_ID.removesuffix('signal.pause()')} os.read(0, 1); os.write(1, b'tidied up')"

    async def command() -> None:
        process = await shell.start(tidies_up, stdin=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdin is not None
        shell.begun.put_nowait(psutil.Process(int(await process.stdout.readline())))
        try:
            await process.wait()
        finally:
            process.stdin.close()
            said.append(await process.stdout.read())
            await process.wait()

    async with stopped(agent(command), shell) as (parts, task, _):
        assert said == [b"tidied up"]
        assert await line(parts, task) == ("cancelled", observed.CUT_SHORT)


async def test_program_after_a_timeout_in_its_tool_is_left_to_the_tool(shell: Shell) -> None:
    async def command() -> None:
        process = await shell.start(SAYS_ITS_ID)
        assert process.stdout is not None
        shell.begun.put_nowait(psutil.Process(int(await process.stdout.readline())))
        try:
            async with asyncio.timeout(0):
                await process.wait()
        except TimeoutError:
            return

    async with serving(agent(command)) as parts:
        await parts.settled(task := await parts.post("Run it"))
        assert (await line(parts, task))[0] == "completed"
        await parts.quiet()
        await ended_by_hand(await shell.begun.get())


async def test_program_of_a_read_goes_on_when_the_read_is_adopted(
    shell: Shell,
) -> None:
    started: list[subprocess.Process] = []
    source = f"{SAYS_ITS_ID.removesuffix('signal.pause()')} os.read(0, 1)"

    @detour.tools.tool(effect="read")
    async def look(name: str) -> str:
        started.append(await shell.start(source, stdin=subprocess.PIPE))
        await shell.hear(started[0])
        return f"found {name}"

    async def node(_state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage((await detour.tools.use(look, name="it")).value)]}

    async with serving(pipeline(node=node)) as parts:
        first = await parts.post("Look")
        program = await shell.begun.get()
        second = await parts.post("Look once more")
        await parts.settled(first)
        assert is_alive(program)
        assert started[0].stdin is not None
        started[0].stdin.close()
        await parts.settled(second)
        assert (await parts.history())[-1] == ("assistant", "found it")
        assert len(started) == 1
        await started[0].wait()


async def test_ended_program_is_never_signalled(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(programs, "end_program", lambda transport: ended.append(transport.get_pid()))

    async def command() -> None:
        process = await asyncio.create_subprocess_exec("true", stdout=subprocess.PIPE)
        await process.communicate()
        shell.asked.set()
        await asyncio.get_running_loop().create_future()

    async with serving(agent(command)) as parts:
        task = await parts.post("Run it")
        await shell.asked.wait()
        await parts.runner.stop("ann", task)
        assert ended == []
        assert await line(parts, task) == ("cancelled", observed.CUT_SHORT)


# --- where the system tells less -----------------------------------------------------------------------


@pytest.mark.parametrize("leads", [True, False])
async def test_without_pidfds_child_or_its_group_is_signalled(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, leads: bool
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    source = LEAVES_IT_TO_OTHERS if leads else SAYS_ITS_ID
    graph = agent(lambda: shell.run(source, start_new_session=leads))
    async with stopped(graph, shell, programs=1 + leads) as (_, _, begun):
        for each in begun:
            await gone(each)
