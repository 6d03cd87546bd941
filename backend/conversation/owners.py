"""Asks the owners of users who are owned elsewhere, until there is a reply, or nobody will do it any more.

What is refused for want of a reply is withdrawn first: it must not be done once it is sent again. What the
owner has begun is waited for. Where the owner dies between doing it and its reply, or the database does not
answer from then on, it is refused and may be done; so it may with an owner of an earlier release, which does
not tell when it begins. A message with a client id is the same message when it is sent again, even then.
"""

import asyncio
from asyncio import Future
from collections.abc import Awaitable, Callable
from typing import Any

from ..errors import StoreUnavailable
from ..log.ownership.base import OwnedElsewhere
from ..log.ownership.registry import Command, Hint, Registry
from ..log.ownership.tally import Tally
from .commands import read_reply

ASK_AGAIN_S = 0.5
"""Seconds after which a command is looked after again: its hint, or its owner, may be gone."""

BEYOND_THE_LEASE_S = 10.0
"""Seconds beyond a lease for which an answer is waited for: by then somebody else must own the user."""


class Owners:
    """The other replicas, as those whose users are asked for here."""

    def __init__(
        self, registry: Registry, take_here: Callable[[str], Awaitable[None]], *, lease_s: float, tally: Tally
    ) -> None:
        """`take_here` takes a user whom nobody owns any more, or raises `OwnedElsewhere`."""
        self._registry = registry
        self._take_here = take_here
        self.within_s = lease_s + BEYOND_THE_LEASE_S
        self._tally = tally
        self._replies: dict[str, Future[bytes | None]] = {}

    def heard(self, hint: Hint) -> None:
        """Take the hint that a command has a reply."""
        replied = self._replies.get(hint.command_id)
        if replied is not None and not replied.done():
            replied.set_result(hint.reply.encode() or None)

    async def ask(self, command: Command, owner: str) -> Any:
        """Have the owner do something; return what came of it, and raise what the owner refused it with.

        Raises `StoreUnavailable` once nobody will begin it any more. Cancelling this takes nothing back.
        """
        loop = asyncio.get_running_loop()
        left_at = loop.time()
        self._tally.commanded("forwarded")
        replied = self._replies[command.command_id] = loop.create_future()
        try:
            reply = await self._reply_in_time(command, owner, replied)
            if reply is None:
                reply = await self._withdraw(command, replied)
        finally:
            del self._replies[command.command_id]
        if reply is None:
            raise StoreUnavailable("The user's server does not answer; please try again in a moment.")
        self._tally.replied(loop.time() - left_at)
        return read_reply(reply)

    async def _reply_in_time(
        self, command: Command, owner: str, replied: "Future[bytes | None]"
    ) -> bytes | None:
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + self.within_s
        while (left_s := give_up_at - loop.time()) > 0:
            try:
                # What is left anew, since the database had lost it, ends when it would have ended.
                await self._registry.leave_command(command, owner, within_s=left_s)
                await asyncio.wait({replied}, timeout=ASK_AGAIN_S)
                reply = replied.result() if replied.done() else None
                if reply is None:  # it was too long for a hint, or its hint was lost
                    reply = await self._registry.reply_to(command.user_id, command.command_id)
                if reply is not None:
                    return reply
                # Taken here, the user's commands are carried out first, and this one among them.
                await self._take_here(command.user_id)
            except OwnedElsewhere as elsewhere:
                owner = elsewhere.owner
            except StoreUnavailable:
                # Refused now, it might be carried out all the same: nobody can tell what was left.
                await asyncio.sleep(ASK_AGAIN_S)
        return None

    async def _withdraw(self, command: Command, replied: "Future[bytes | None]") -> bytes | None:
        """Take a command back; return its reply if it is too late for that.

        Waits on while a replica that is alive carries it out, but not for a database that does not answer.
        """
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + BEYOND_THE_LEASE_S
        while True:
            try:
                withdrawn, reply = await self._registry.withdraw_command(command)
                if withdrawn or reply is not None:
                    return reply
            except StoreUnavailable:
                if loop.time() > give_up_at:
                    return None
            await asyncio.wait({replied}, timeout=ASK_AGAIN_S)
