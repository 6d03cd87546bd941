"""Runs a program as a tool, in a process of its own, and reports what it prints line by line.

The process leads its own group, so that what it starts ends with it. The asyncio task that runs it outlives
the call: a call that is cancelled abandons the process at once and drops what is printed later, while that
task sends SIGTERM to the group, then SIGKILL, and always reaps the process, within bounds.

Its standard input stays open while it may run. It closes with this server, however that ends, so a program
that watches it never outlives the server.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, cast

import structlog

from ...domain.errors import ProviderError
from ...domain.tool_call import Effect
from ..task_owner import TaskOwner
from .base import A, Report, ToolResult
from .fair_turns import FairTurns

TERMINATE_GRACE_S = 2.0
"""Seconds between SIGTERM and SIGKILL."""

REAP_WITHIN_S = 5.0
"""Seconds that a killed process may take to be gone before it is left to the system."""

LAST_OUTPUT_WITHIN_S = 1.0
"""Seconds that what a process had printed may take to arrive after its end."""

LONGEST_LINE = 256 * 1024
"""Bytes of a line; a longer one is skipped."""

MOST_OUTPUT = 16 * 1024 * 1024
"""Bytes that a process may print; one that prints more fails."""

LAST_WORDS = 4 * 1024
"""Bytes of standard error that are kept, the last ones, for the log."""

MOST_PROCESSES = 32
"""Processes of one tool at once, those that are being ended included; a call beyond them waits."""

MOST_OF_A_USER = 4
"""Those of one user; with all of theirs, eight users leave none to others."""

LONGEST_RUN_S = 120.0
"""Seconds that a process may run unless its tool sets another time; one that takes longer fails."""

_STDIN, _STDOUT = 0, 1
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Command:
    """What is run: a program with its arguments, and all of its environment, so that no secret leaks in."""

    arguments: Sequence[str]
    environment: Mapping[str, str]


class Talk(Protocol):
    """One run of a program: its input, and what its output means."""

    @property
    def request(self) -> bytes:
        """What is written to its standard input, which then stays open."""
        ...

    def heard(self, line: str) -> None:
        """Take a line that it printed; bytes that are no UTF-8 are replaced.

        An error that this raises fails the call and ends the process.
        """
        ...

    def result(self, exit_code: int) -> ToolResult:
        """Return the result of the run. Raises `DetourError` with a sentence if it failed."""
        ...


class SubprocessTool(Generic[A]):
    """A tool that runs a program for each call, for effects "none" and "read"."""

    def __init__(
        self,
        name: str,
        command: Command,
        talk: Callable[[A, Report], Talk],
        *,
        owner: TaskOwner,
        effect: Effect = "none",
        fresh_s: float = 0.0,
        longest_run_s: float = LONGEST_RUN_S,
    ) -> None:
        self.name = name
        self.effect: Effect = effect
        self.fresh_s = fresh_s
        self._command = command
        self._talk = talk
        self._owner = owner
        self._longest_run_s = longest_run_s
        self._turns = FairTurns(per_key=MOST_OF_A_USER, in_all=MOST_PROCESSES)

    @property
    def alive(self) -> int:
        """How many of its processes are running, those that are being ended included."""
        return self._turns.taken

    async def run(self, arguments: A, report: Report) -> ToolResult:
        """Run the program to its end, and return what its talk makes of the output.

        Waits while too many are running: users in rotation, so that nobody waits behind all of another's
        calls. Raises `ProviderError` if it cannot be started, takes too long or prints too much. When
        cancelled, this ends at once, and the process soon after.
        """
        talk = self._talk(arguments, report)
        process = _Process(self.name, talk)
        await self._turns.take(report.user_id)
        name = f"process {self.name} {report.call_id}"
        try:
            exit_code = await self._owner.run_to_end(self._live(process, report.user_id), name=name)
        finally:
            process.abandon()
        return talk.result(exit_code)

    async def _live(self, process: "_Process", user_id: str) -> int:
        try:
            return await process.live(self._command, longest_run_s=self._longest_run_s)
        finally:
            self._turns.give_back(user_id)


class _Process(asyncio.SubprocessProtocol):
    """One process, from its start until it is reaped and its pipes are closed.

    A protocol rather than streams: `Process.wait` of the streams returns only once all pipes are closed,
    which does not happen while a grandchild holds one, and a line too long ends a `StreamReader` for good.
    """

    def __init__(self, name: str, talk: Talk) -> None:
        self._name = name
        self._talk = talk
        self._transport: asyncio.SubprocessTransport | None = None
        self._unread = bytearray()
        self._printed = 0
        self._last_words = b""
        self._failure: Exception | None = None
        self._is_abandoned = False
        self._over = asyncio.Event()  # it has exited, or is to end
        self._exited = asyncio.Event()
        self._output_ended = asyncio.Event()
        self._closed = asyncio.Event()

    def abandon(self) -> None:
        """Drop what it prints from now on, and have it end. Returns at once."""
        self._is_abandoned = True
        self._over.set()

    async def live(self, command: Command, *, longest_run_s: float) -> int:
        """Run the process until it has exited or is abandoned; return its exit code.

        Raises `ProviderError`, and whatever `Talk.heard` raised. When cancelled, it is killed.
        """
        try:
            await asyncio.get_running_loop().subprocess_exec(
                lambda: self,
                *command.arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=dict(command.environment),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            _log.error("a process could not be started", tool=self._name, exc_info=error)
            raise ProviderError(f"{self._name} could not be started.") from None
        try:
            async with asyncio.timeout(longest_run_s):
                await self._over.wait()
        except TimeoutError:
            self._fail(ProviderError(f"{self._name} took longer than {longest_run_s:g} seconds."))
        finally:
            await self._end()
        if self._failure is not None:
            raise self._failure
        assert self._transport is not None
        exit_code = self._transport.get_returncode()
        if exit_code != 0 and not self._is_abandoned:
            said = self._last_words.decode(errors="replace")
            _log.warning("a process failed", tool=self._name, code=exit_code, said=said)
        return -1 if exit_code is None else exit_code

    # --- called by the event loop --------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)
        stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(_STDIN))
        with contextlib.suppress(RuntimeError):  # uvloop raises it if the process has exited already
            stdin.write(self._talk.request)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDOUT:
            self._take_in(data)
        else:
            self._last_words = (self._last_words + data)[-LAST_WORDS:]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == _STDOUT:
            self._take_in(b"\n" if self._unread else b"")
            self._output_ended.set()

    def process_exited(self) -> None:
        self._exited.set()
        self._over.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed.set()

    # --- what it prints ------------------------------------------------------------------------------

    def _take_in(self, data: bytes) -> None:
        self._printed += len(data)
        if self._printed > MOST_OUTPUT:
            self._fail(ProviderError(f"{self._name} printed more than it may."))
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._unread += line
            self._hear(bytes(self._unread))
            self._unread.clear()
        self._unread += rest

    def _hear(self, line: bytes) -> None:
        if self._is_abandoned or len(line) > LONGEST_LINE:
            return
        try:
            self._talk.heard(line.decode(errors="replace"))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the call that fails
            self._fail(error)

    def _fail(self, failure: Exception) -> None:
        """Have it end for a reason; the first one counts."""
        if self._failure is None and not self._is_abandoned:
            self._failure = failure
        self.abandon()

    # --- its end -------------------------------------------------------------------------------------

    async def _end(self) -> None:
        """End the process and what it started, and close its pipes.

        When cancelled, it is killed without further grace, and reaped all the same.
        """
        try:
            if not self._exited.is_set():
                self._signal(signal.SIGTERM)
                await _within(TERMINATE_GRACE_S, self._exited)
        finally:
            self._signal(signal.SIGKILL)  # also once it has exited: what it started may live on
            await self._reap()

    async def _reap(self) -> None:
        assert self._transport is not None
        if not await _within(REAP_WITHIN_S, self._exited):
            pid = self._transport.get_pid()
            _log.error("a killed process is still there", tool=self._name, pid=pid)
        await _within(LAST_OUTPUT_WITHIN_S, self._output_ended)
        self._transport.close()
        await _within(REAP_WITHIN_S, self._closed)

    def _signal(self, which: signal.Signals) -> None:
        """Send a signal to the process and all that it started, if any of it is left."""
        assert self._transport is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: only dead ones are left
            os.killpg(self._transport.get_pid(), which)


async def _within(seconds: float, event: asyncio.Event) -> bool:
    """Return whether an event is set within so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
