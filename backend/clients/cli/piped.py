"""Without a terminal: each line of the input is said once the one before has been dealt with; all is plain.

So `python -m backend.clients.cli < lines.txt` is a conversation; answers to what is asked are lines of it.
"""

import asyncio
import os
import sys
import threading
from typing import TextIO

from .chat import Chat
from .lines import Line

_BLOCK = 65_536


def show_plainly(lines: list[Line], out: TextIO) -> None:
    """Write lines as they are, at once."""
    for line in lines:
        out.write(f"{line.text}\n")
    out.flush()


async def converse(chat: Chat) -> None:
    """Say each line of the standard input; return when the last one has been dealt with."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        # The file itself, not `sys.stdin`: its lock, held by a thread, would break the end of the process.
        rest = b""
        while block := os.read(sys.stdin.fileno(), _BLOCK):
            *whole, rest = (rest + block).split(b"\n")
            for each in whole:
                loop.call_soon_threadsafe(lines.put_nowait, each.decode("utf-8", "replace"))
        if rest:
            loop.call_soon_threadsafe(lines.put_nowait, rest.decode("utf-8", "replace"))
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, name="standard input", daemon=True).start()
    while not chat.left:
        await chat.until_idle()
        if label := chat.label():
            show_plainly([Line("ask", f"{label}?")], sys.stdout)
        text = await lines.get()
        if text is None:
            return
        chat.enter(text, begun_for=chat.open_request)
