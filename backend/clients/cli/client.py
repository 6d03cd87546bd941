"""The client put together: a link that follows, a sender, and a terminal or a pipe in front of them."""

import argparse
import asyncio
import os
import sys
import time

import httpx2

from . import piped
from .api import Api, Refused, Server
from .chat import HELP, Chat
from .lines import Line
from .link import Link
from .terminal import Terminal


def arguments(given: list[str]) -> Server:
    """Read the command line and `DETOUR_TOKEN`."""
    parser = argparse.ArgumentParser(prog="python -m backend.clients.cli", description=__doc__, epilog=HELP)
    parser.add_argument("--server", default="http://127.0.0.1:8000", help="default: %(default)s")
    parser.add_argument("--user", default="you", help="whose conversation; default: %(default)s")
    parser.add_argument("--token", help="the server's token, if it has one (default: DETOUR_TOKEN)")
    options = parser.parse_args(given)
    if not options.server.startswith(("http://", "https://")):
        parser.error("--server begins with http:// or https://")
    token = options.token or os.environ.get("DETOUR_TOKEN") or None
    return Server(url=options.server, user_id=options.user, token=token)


async def run(server: Server) -> None:
    """Converse until the user leaves. Raises `Refused` where the server lets nobody in."""
    terminal = Terminal() if sys.stdin.isatty() and sys.stdout.isatty() else None

    def show(lines: list[Line]) -> None:
        if terminal is None:
            piped.show_plainly(lines, sys.stdout)
        else:
            terminal.show(lines)

    async with httpx2.AsyncClient(trust_env=not server.is_this_machine) as http:
        chat = Chat(Api(server, http), show=show, now=time.monotonic)
        link = Link(server, position=lambda: chat.position, on_frame=chat.hear, on_change=chat.change)
        async with asyncio.TaskGroup() as group:
            others = [group.create_task(link.follow()), group.create_task(chat.send_all())]
            if terminal is None:
                await piped.converse(chat)
            else:
                others.append(group.create_task(terminal.stop_when_asked(chat)))
                await terminal.converse(chat)
            for other in others:
                other.cancel()
    if chat.story.at_work is not None:
        print("What is at work goes on, and is here when you are back.")


def main(given: list[str]) -> int:
    """Run the client and return its exit code."""
    server = arguments(given)
    try:
        asyncio.run(run(server))
    except KeyboardInterrupt:
        return 130
    except ExceptionGroup as failed:
        refused, unexpected = failed.split(Refused)
        if refused is None or unexpected is not None:
            raise
        print(refused.exceptions[0], file=sys.stderr)
        return 1
    return 0
