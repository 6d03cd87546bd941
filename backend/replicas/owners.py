"""Sends commands to the owners of users, until there is a reply, or nobody will carry the command out.

A command without a reply is withdrawn before it is refused: it must not be carried out once its client sends
it again. A command that the owner has begun is awaited. If the owner dies between doing it and its reply, or
the database does not answer from then on, it is refused and may be done; so it may with an owner of an
earlier release, which does not record when it begins. A message with a client id is the same message when it
is sent again, even then.
"""

import asyncio
import secrets
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
from ..domain.task import TaskStatus
from ..store.codec import saved_thread_from_json, to_json
from ..store.ownership import OwnedElsewhere
from ..store.threads import SavedThread
from ..tasks.workflow import CALLER_TRACE
from .leases import ReplicaFigures
from .postgres import Command, Hint, PostgresRegistry

# --- commands ------------------------------------------------------------------------------------------
# The wire format of commands and replies. Replicas of two releases run side by side: fields that only the
# other one knows are ignored.


_FIELDS: Mapping[str, Collection[str]] = {
    "message": ("message", "policy", "priority", "client_id", "given", "traceparent"),
    # Kinds of their own: an owner of an earlier release would have them interrupt.
    "steer": ("message", "policy", "priority", "client_id", "task_id", "given", "traceparent"),
    "delayed": ("message", "policy", "priority", "client_id", "given", "traceparent", "after_s"),
    "change_pending": ("message_id", "how", "text", "revision"),
    "answer": ("request_id", "answer", "decision", "note", "page"),
    "stop": ("task_id", "by", "withdraws"),
    "stop_agent": ("agent", "task_id"),
    "write_state": ("supersteps", "graph", "step_id"),
    "copy_states": ("source", "states"),
    "delete": (),
    "keep": ("thread",),
    "last_request": (),
    "use_items": ("operations", "turn"),
}
"""The fields of a command, by its kind."""

CARRIED_OUT: ContextVar["CarriedOut | None"] = ContextVar("carried_out", default=None)
"""The command whose step is about to be taken."""


@dataclass(slots=True)
class CarriedOut:
    """A command that is being carried out, and whether that has been recorded (`begun`)."""

    command: Command
    begun: bool = False


class NotWantedError(Exception):
    """The sender has withdrawn a command, or another replica carries it out: nothing was done."""


def write_command(action: str, said: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return the kind and the body of the command that has the owner carry out an action."""
    kind, body = action, {name: value for name, value in said.items() if value is not None}
    if action == "message":
        kind = "steer" if said["policy"] == "steer" else action
        kind = "delayed" if said.get("after_s") is not None else kind
        # An id of our own if the client gave none: a message that is carried out twice must count once.
        body.setdefault("client_id", f"forwarded-{secrets.token_hex(8)}")
        body["traceparent"] = CALLER_TRACE.get()
    elif action == "keep":
        record = body.pop("record")
        if not isinstance(record, SavedThread):
            raise TypeError(f"a {type(record).__name__} is kept with a task alone")
        body["thread"] = orjson.loads(to_json(record))
    return kind, encode({name: body[name] for name in _FIELDS[kind] if name in body})


def read_command(kind: str, body: bytes) -> tuple[str, dict[str, Any]]:
    """Return the action and arguments of a command. Raises `StoreUnavailable` for a later release's kind."""
    if kind not in _FIELDS:
        raise StoreUnavailable("The user's server is of an earlier version; please try again.")
    read = orjson.loads(body)
    said = {name: read[name] for name in _FIELDS[kind] if name in read}
    if kind == "keep":
        return kind, {"record": saved_thread_from_json(orjson.dumps(said["thread"]))}
    return "message" if kind in ("steer", "delayed") else kind, said


def done_reply(done: Any) -> bytes:
    """Return the reply with the result of a command."""
    if isinstance(done, Accepted):
        done = done.to_wire()
    return encode({"done": orjson.loads(done) if isinstance(done, bytes) else done})


def refused_reply(error: DetourError) -> bytes:
    """Return the reply with the error that refused a command."""
    kind, body = type(error).__name__, error.to_json()["error"]
    return encode({"refused": {**body, "kind": kind, "retry_after_s": error.retry_after_s}})


def read_reply(action: str, reply: bytes) -> Any:
    """Return the result of an action, as if carried out here. Raises the error that the owner raised."""
    read = orjson.loads(reply)
    if "refused" in read:
        raise _refusal(read["refused"])
    done = read["done"]
    match action:
        case "message":
            return Accepted.read(done)
        case "answer":
            return {**done, "status": TaskStatus(done["status"])}
        case "stop" if done is not None:
            return encode(done)
        case _:
            return done


def _refusal(told: Mapping[str, Any]) -> DetourError:
    """Return the error that the owner has raised, of the same class: callers tell errors apart by it."""
    kind = getattr(errors, told["kind"], Conflict)
    kind = kind if isinstance(kind, type) and issubclass(kind, DetourError) else Conflict
    error = kind.__new__(kind)
    # Not the class's own constructor, which may have other parameters.
    DetourError.__init__(error, told["message"], code=told["code"], details=told.get("details"))
    error.retry_after_s = told["retry_after_s"]
    return error


# --- owners --------------------------------------------------------------------------------------------


ASK_OWNER_AGAIN_S = 0.5
"""Seconds after which a command is checked again: its hint, or its owner, may be gone."""

BEYOND_THE_LEASE_S = 10.0
"""Seconds beyond a lease to wait for a reply: by then another replica must own the user."""


class Owners:
    """The other replicas, as the owners of users."""

    def __init__(
        self,
        registry: PostgresRegistry,
        acquire_here: Callable[[str], Awaitable[None]],
        *,
        lease_s: float,
        tally: ReplicaFigures,
    ) -> None:
        """`acquire_here` takes a user without an owner, or raises `OwnedElsewhere`."""
        self._registry = registry
        self._acquire_here = acquire_here
        self.within_s = lease_s + BEYOND_THE_LEASE_S
        self._tally = tally
        self._replies: dict[str, Future[bytes | None]] = {}

    def heard(self, hint: Hint) -> None:
        """Take the hint that a command has a reply."""
        replied = self._replies.get(hint.command_id)
        if replied is not None and not replied.done():
            replied.set_result(hint.reply.encode() or None)

    async def ask(self, command: Command, owner: str) -> bytes:
        """Have the owner carry out a command, and return its reply.

        Raises `StoreUnavailable` once nobody will begin it any more. Cancelling this withdraws nothing.
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
        return reply

    async def _reply_in_time(
        self, command: Command, owner: str, replied: "Future[bytes | None]"
    ) -> bytes | None:
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + self.within_s
        while (left_s := give_up_at - loop.time()) > 0:
            try:
                # Stored again after the database had lost it, it expires when it would have expired.
                await self._registry.leave_command(command, owner, within_s=left_s)
                await asyncio.wait({replied}, timeout=ASK_OWNER_AGAIN_S)
                reply = replied.result() if replied.done() else None
                if reply is None:  # it was too long for a hint, or its hint was lost
                    reply = await self._registry.reply_to(command.user_id, command.command_id)
                if reply is not None:
                    return reply
                # If the user is taken here, the stored commands are carried out, this one among them.
                await self._acquire_here(command.user_id)
            except OwnedElsewhere as elsewhere:
                owner = elsewhere.owner
            except StoreUnavailable:
                # Refused now, it might be carried out all the same: it may have been stored.
                await asyncio.sleep(ASK_OWNER_AGAIN_S)
        return None

    async def _withdraw(self, command: Command, replied: "Future[bytes | None]") -> bytes | None:
        """Withdraw a command; return its reply if it is too late for that.

        Waits while a live replica carries it out, but not for a database that does not answer.
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
            await asyncio.wait({replied}, timeout=ASK_OWNER_AGAIN_S)
