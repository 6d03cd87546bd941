"""Asks the owners of users who are owned elsewhere, until there is a reply, or nobody will do it any more.

What is refused for want of a reply is withdrawn first: it must not be done once it is sent again. What the
owner has begun is waited for. Where the owner dies between doing it and its reply, or the database does not
answer from then on, it is refused and may be done; so it may with an owner of an earlier release, which does
not tell when it begins. A message with a client id is the same message when it is sent again, even then.
"""

import asyncio
from asyncio import Future
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import orjson

from ..conversation.accepted import Accepted
from ..domain import errors
from ..domain.encoding import encode
from ..domain.errors import Conflict, DetourError, StoreUnavailable
from ..store.ownership import OwnedElsewhere
from .leases import Command, Hint, Registry, Tally

# --- commands ------------------------------------------------------------------------------------------
# What replicas say to each other about a command: what is asked, and the reply.
#
# Replicas of two releases run side by side: what the other one says beside what this one knows is passed
# over.


_FIELDS: Mapping[str, Collection[str]] = {
    "message": ("message", "policy", "priority", "client_id", "given", "traceparent"),
    "steer": ("message", "policy", "priority", "client_id", "task_id", "given", "traceparent"),
    "change_pending": ("message_id", "how", "text", "revision"),
    "answer": ("request_id", "answer", "decision", "note"),
    "stop": ("task_id", "by", "withdraws"),
    "stop_agent": ("agent", "task_id"),
    "delete": (),
    "keep": ("thread",),
    "last_request": (),
}
"""What a command of each kind says."""

CARRIED_OUT: ContextVar["CarriedOut | None"] = ContextVar("carried_out", default=None)
"""The command whose step is about to be taken."""


@dataclass(slots=True)
class CarriedOut:
    """A command that is being carried out; it may be `begun` from when that is to be noted."""

    command: Command
    begun: bool = False


class NotWantedError(Exception):
    """The sender has given a command up, or another replica carries it out: nothing was done."""


def read_command(kind: str, body: bytes) -> dict[str, Any]:
    """Return what a command of a kind says. Raises `StoreUnavailable` for a kind of a later release."""
    if kind not in _FIELDS:
        raise StoreUnavailable("The user's server is of an earlier version; please try again.")
    said = orjson.loads(body)
    return {name: said[name] for name in _FIELDS[kind] if name in said}


def done_reply(done: Any) -> bytes:
    """Return the reply that tells what came of a command."""
    return encode({"done": done})


def refused_reply(error: DetourError) -> bytes:
    """Return the reply that tells why a command was refused."""
    kind, body = type(error).__name__, error.to_json()["error"]
    return encode({"refused": {**body, "kind": kind, "retry_after_s": error.retry_after_s}})


def read_reply(reply: bytes) -> Any:
    """Return what came of a command. Raises the error with which its owner refused it."""
    read = orjson.loads(reply)
    if "refused" in read:
        raise _refusal(read["refused"])
    return read["done"]


def read_accepted(answer: Mapping[str, Any]) -> Accepted:
    """Return the answer to a message that the owner accepted."""
    return Accepted.read(answer)


def _refusal(told: Mapping[str, Any]) -> DetourError:
    """Return the error that the owner has raised, of the same class: callers tell errors apart by it."""
    kind = getattr(errors, told["kind"], Conflict)
    kind = kind if isinstance(kind, type) and issubclass(kind, DetourError) else Conflict
    error = kind.__new__(kind)
    # Not the class's own way to be made, which may ask for other things than what is told of every error.
    DetourError.__init__(error, told["message"], code=told["code"], details=told.get("details"))
    error.retry_after_s = told["retry_after_s"]
    return error


# --- owners --------------------------------------------------------------------------------------------


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
