"""A program in a terminal of its own, as a person sits before it: keys go in, what is shown is waited for."""

import asyncio
import os
import pty
import re
import signal
import sys
import termios

from backend.clients.server import environment_without_settings

BOUND_S = 60.0
CTRL_C, CTRL_D, ENTER, TAB = "\x03", "\x04", "\r", "\t"
SIZE = (50, 200)
"""Rows and columns."""
CURSOR_ASKED = b"\x1b[6n"
CURSOR_TOLD = b"\x1b[50;1R"
ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]")


class PseudoTerminal:
    """The terminal client with these arguments, in a pseudo-terminal that answers as a real one does."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        self.arguments = arguments
        self.env = env or {}
        self.raw = b""
        self.seen = 0
        self.process: asyncio.subprocess.Process | None = None
        self._news = asyncio.Event()

    async def __aenter__(self) -> "PseudoTerminal":
        self._main, other = pty.openpty()
        termios.tcsetwinsize(other, SIZE)
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "backend.clients.cli", *self.arguments),
            env={**environment_without_settings(), "TERM": "xterm-256color", **self.env},
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)
        asyncio.get_running_loop().add_reader(self._main, self._read)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            await self.process.wait()
        self._close()

    @property
    def text(self) -> str:
        """All that was shown since `shown` was last told, without what moves the cursor."""
        return ESCAPE.sub("", self.raw[self.seen :].decode("utf-8", "replace"))

    async def shown(self, *texts: str) -> str:
        """Wait until each of these is shown, and return what was; the next wait begins after it."""
        async with asyncio.timeout(BOUND_S):
            try:
                while not all(text in self.text for text in texts):
                    self._news.clear()
                    await self._news.wait()
            except asyncio.CancelledError:
                print("waited for", texts, "and saw:", self.text)
                raise
        seen = self.text
        self.seen = len(self.raw)
        return seen

    def type(self, keys: str) -> None:
        """Type keys."""
        os.write(self._main, keys.encode())

    def say(self, line: str) -> None:
        """Type a line and Enter."""
        self.type(line + ENTER)

    async def ended(self) -> int:
        """Wait until the program has ended, and return its exit code."""
        async with asyncio.timeout(BOUND_S):
            return await self.process.wait()

    def _read(self) -> None:
        try:
            data = os.read(self._main, 65_536)
        except OSError:  # the other end is closed
            data = b""
        if not data:
            self._close()
        for _ in range(data.count(CURSOR_ASKED)):
            os.write(self._main, CURSOR_TOLD)
        self.raw += data
        self._news.set()

    def _close(self) -> None:
        if self._main >= 0:
            asyncio.get_running_loop().remove_reader(self._main)
            os.close(self._main)
            self._main = -1
