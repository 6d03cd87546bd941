"""The terminal: lines scroll up, the prompt stays at the bottom, and the active task's state is below it.

A typed message is shown once the server has it, so that the screen is always true.
"""

import argparse
import asyncio
import os
import sys
import threading
import time
from contextlib import aclosing
from typing import TextIO

import httpx2
from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.styles import Style

from ..api import TIMEOUT_S, Api, Refused, User, follow
from ..server import read_command_line
from .chat import HELP, Chat
from .narrator import Line

TWICE_S = 1.0
"""Within how many seconds a second Ctrl-C leaves."""
REFRESH_S = 0.2

STYLE = Style.from_dict(
    {
        "you": "bold",
        "reply": "",
        "note": "fg:ansibrightblack",
        "progress": "fg:ansibrightblack",
        "offer": "fg:ansicyan",
        "ask": "fg:ansiyellow",
        "error": "fg:ansired",
        "bottom-toolbar": "noreverse",
        "prompt": "fg:ansiyellow",
    }
)


class Terminal:
    """The prompt of one conversation, at the keyboard of the process or at the one given."""

    def __init__(self, keyboard: Input | None = None) -> None:
        self._chat: Chat | None = None
        self._begun_for: str | None = None
        self._was_empty = True
        self._pressed_s = float("-inf")
        self._stop_asked = asyncio.Event()
        self._keyboard = keyboard or create_input()
        # The library leaves raw mode while lines are printed, and the terminal itself would swallow a Ctrl-D
        # of that moment; printing works in raw mode as well.
        setattr(self._keyboard, "cooked_mode", self._keyboard.raw_mode)  # noqa: B010 - it is no field of the type
        self._session: PromptSession[str] = PromptSession(
            input=self._keyboard,
            key_bindings=self._keys(),
            bottom_toolbar=self._toolbar,
            refresh_interval=REFRESH_S,
            erase_when_done=True,
            reserve_space_for_menu=0,
            style=STYLE,
        )
        self._session.default_buffer.on_text_changed += self._typed

    def show(self, lines: list[Line]) -> None:
        """Print lines above the prompt; progress is under it already."""
        shown = [line for line in lines if line.style != "progress"]
        if shown:
            fragments = [(f"class:{line.style}", f"{line.text}\n") for line in shown]
            print_formatted_text(FormattedText(fragments), style=STYLE, end="")
        self._session.app.invalidate()

    async def converse(self, chat: Chat) -> None:
        """Read lines until the user leaves. Keys typed between two prompts count, too."""
        with self._keyboard.raw_mode():
            await self._read_lines(chat)

    async def _read_lines(self, chat: Chat) -> None:
        self._chat = chat
        while not chat.left:
            self._was_empty = True
            try:
                text = await self._session.prompt_async(self._label)
            except EOFError:
                return
            chat.enter(text, begun_for=self._begun_for if text else chat.open_request)

    async def stop_when_asked(self, chat: Chat) -> None:
        """Stop the active task whenever Ctrl-C asks for it; never returns."""
        while True:
            await self._stop_asked.wait()
            self._stop_asked.clear()
            await chat.stop()

    def _label(self) -> FormattedText:
        label = self._chat.label() if self._chat else ""
        return FormattedText([("class:prompt", f"{label}> ")])

    def _toolbar(self) -> FormattedText:
        chat = self._chat
        if chat is None or not chat.connected:
            return FormattedText([("class:error", "Not connected")])
        lines = chat.narrator.live(time.monotonic())
        if not lines:
            return FormattedText([("class:note", "Ready. Type /help for help")])
        texts = [(f"class:{line.style}", line.text) for line in lines]
        return FormattedText([*texts[:1], *((style, f"\n{text}") for style, text in texts[1:])])

    def _typed(self, buffer: Buffer) -> None:
        """Remember the request that was open when a line was begun: the line answers it."""
        if self._chat is not None and (self._was_empty or not buffer.text):
            self._begun_for = self._chat.open_request
        self._was_empty = not buffer.text

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("tab")
        def steer(event: KeyPressEvent) -> None:  # pyright: ignore[reportUnusedFunction]
            buffer = event.current_buffer
            if buffer.text.strip() and not buffer.text.lstrip().startswith("/"):
                buffer.text = f"/steer {buffer.text}"
                buffer.validate_and_handle()

        @keys.add("c-c")
        @keys.add("<sigint>")
        def interrupt(event: KeyPressEvent) -> None:  # pyright: ignore[reportUnusedFunction]
            now_s = time.monotonic()
            if now_s - self._pressed_s <= TWICE_S:
                event.app.exit(exception=EOFError)
                return
            self._pressed_s = now_s
            event.app.current_buffer.reset()
            self._was_empty = True
            self._stop_asked.set()

        return keys


# --- piped ---------------------------------------------------------------------------------------------
# Without a terminal: each line of the input is sent once the previous one has been dealt with.
#
# `python -m backend.clients.cli < lines.txt` is a conversation, with lines for answers.


_BLOCK = 65_536


def show_plainly(lines: list[Line], out: TextIO) -> None:
    """Write lines as plain text, at once."""
    for line in lines:
        out.write(f"{line.text}\n")
    out.flush()


async def converse(chat: Chat) -> None:
    """Send each line of the standard input; return when the last one has been dealt with."""
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


# --- client --------------------------------------------------------------------------------------------
# The whole client: a task that listens, one that sends, and a terminal or a pipe.


def arguments(given: list[str]) -> User:
    """Read the command line and `DETOUR_TOKEN`."""
    parser = argparse.ArgumentParser(
        prog="detour chat", description="Chat with a running server.", epilog=HELP
    )
    # `--url` is its name in the clients for programs.
    parser.add_argument("--server", "--url", default="http://127.0.0.1:8000", help="default: %(default)s")
    parser.add_argument("--user", default="you", help="whose conversation; default: %(default)s")
    parser.add_argument("--token", help="the server's token, if it has one (default: DETOUR_TOKEN)")
    options = read_command_line(parser, given)
    if not options.server.startswith(("http://", "https://")):
        parser.error("--server begins with http:// or https://")
    token = options.token or os.environ.get("DETOUR_TOKEN") or None
    return User(url=options.server, user_id=options.user, token=token)


async def run(user: User) -> None:
    """Converse until the user leaves. Raises `Refused` if the server does not let this user in."""
    terminal = Terminal() if sys.stdin.isatty() and sys.stdout.isatty() else None

    def show(lines: list[Line]) -> None:
        if terminal is None:
            show_plainly(lines, sys.stdout)
        else:
            terminal.show(lines)

    async with httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=not user.is_on_this_machine) as http:
        chat = Chat(Api(user, http), show=show, now=time.monotonic)
        async with asyncio.TaskGroup() as group:
            others = [group.create_task(hear_all(chat, user)), group.create_task(chat.send_all())]
            if terminal is None:
                await converse(chat)
            else:
                others.append(group.create_task(terminal.stop_when_asked(chat)))
                await terminal.converse(chat)
            for other in others:
                other.cancel()
    if chat.story.active_task is not None:
        print("The task goes on, and will be here when you are back.")


async def hear_all(chat: Chat, user: User) -> None:
    """Follow the events until cancelled. Raises `Refused`."""
    async with aclosing(follow(user)) as events:
        async for heard in events:
            chat.hear(heard)


def main(given: list[str]) -> int:
    """Run the client and return its exit code."""
    user = arguments(given)
    try:
        asyncio.run(run(user))
    except KeyboardInterrupt:
        return 130
    except ExceptionGroup as failed:
        refused, unexpected = failed.split(Refused)
        if refused is None or unexpected is not None:
            raise
        reason = refused.exceptions[0]
        wants_token = isinstance(reason, Refused) and reason.code == "unauthorized"
        hint = " Give it with --token, or DETOUR_TOKEN." if wants_token else ""
        print(f"{reason}{hint}", file=sys.stderr)
        return 1
    return 0
