"""The client put together: one task that hears, one that sends, and a terminal or a pipe in front of them."""

import argparse
import asyncio
import os
import sys
import time
from contextlib import aclosing

import httpx2

from ..api import TIMEOUT_S, Api, Refused, User
from ..command_line import read_command_line
from ..follow import follow
from . import piped
from .chat import HELP, Chat
from .lines import Line
from .terminal import Terminal


def arguments(given: list[str]) -> User:
    """Read the command line and `DETOUR_TOKEN`."""
    parser = argparse.ArgumentParser(
        prog="detour chat", description="Chat with a running server.", epilog=HELP
    )
    # `--url` is what the clients for programs call it.
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
            piped.show_plainly(lines, sys.stdout)
        else:
            terminal.show(lines)

    async with httpx2.AsyncClient(timeout=TIMEOUT_S, trust_env=not user.is_on_this_machine) as http:
        chat = Chat(Api(user, http), show=show, now=time.monotonic)
        async with asyncio.TaskGroup() as group:
            others = [group.create_task(hear_all(chat, user)), group.create_task(chat.send_all())]
            if terminal is None:
                await piped.converse(chat)
            else:
                others.append(group.create_task(terminal.stop_when_asked(chat)))
                await terminal.converse(chat)
            for other in others:
                other.cancel()
    if chat.story.active_task is not None:
        print("What is at work goes on, and is here when you are back.")


async def hear_all(chat: Chat, user: User) -> None:
    """Hear the server until cancelled. Raises `Refused`."""
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
