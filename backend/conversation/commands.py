"""What replicas say to each other about a command: what is asked, and the reply.

Replicas of two releases run side by side: what the other one says beside what this one knows is passed over.
"""

from collections.abc import Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import orjson

from .. import errors
from ..domain.encoding import encode
from ..errors import Conflict, DetourError, StoreUnavailable
from ..log.ownership.registry import Command
from .accepted import Accepted

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
