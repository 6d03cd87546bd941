"""Waits at gates of the runner's world, from a coroutine or from a thread.

A cancelled coroutine, or one whose process dies, is gone from its gate at once.
"""

import asyncio
import json
import os
import socket
from contextlib import suppress
from typing import Any

CONFORMANCE_WORLD = "CONFORMANCE_WORLD"
"""The environment variable with the world's address, `host:port`."""


async def wait_at(user: str, gate: str, **also: str) -> dict[str, Any]:
    """Wait at a gate until it is opened; return the world's answer. Raises ConnectionError."""
    reader, writer = await asyncio.open_connection(*_address())
    try:
        writer.write(_request(user, gate, also))
        return _answer(await reader.readline())
    finally:
        writer.close()


async def pass_by(user: str, gate: str) -> None:
    """Come to a gate that is always open, to be counted."""
    await wait_at(user, gate, passing="yes")


async def wait_stubbornly(user: str, gate: str) -> None:
    """Wait at a gate, and elsewhere when that is cancelled: only another cancellation ends it then."""
    with suppress(asyncio.CancelledError):
        await wait_at(user, gate)
        return
    await wait_forever()


async def wait_forever() -> None:
    """Wait until cancelled."""
    await asyncio.get_running_loop().create_future()


def wait_in_thread_at(user: str, gate: str, **also: str) -> None:
    """Do the same, and block the thread meanwhile."""
    with socket.create_connection(_address()) as connection, connection.makefile("rb") as answers:
        connection.sendall(_request(user, gate, also))
        _answer(answers.readline())


def pass_by_in_thread(user: str, gate: str) -> None:
    """Come to a gate that is always open, to be counted, and block the thread meanwhile."""
    wait_in_thread_at(user, gate, passing="yes")


async def order(user: str, order_id: str) -> str:
    """Order something: it is taken at once, and confirmed with its reference once the gate is opened."""
    return str((await wait_at(user, "order", order=order_id))["reference"])


async def reference_of(order_id: str) -> str | None:
    """Return the reference of an order, None where it was never taken; this waits at no gate."""
    return (await wait_at("", "orders", order=order_id))["reference"]


def _address() -> tuple[str, int]:
    host, _, port = os.environ[CONFORMANCE_WORLD].rpartition(":")
    return host, int(port)


def _request(user: str, gate: str, also: dict[str, str]) -> bytes:
    return json.dumps({"user": user, "gate": gate, **also}).encode() + b"\n"


def _answer(line: bytes) -> dict[str, Any]:
    if not line:
        raise ConnectionError("the world has gone")
    answer: dict[str, Any] = json.loads(line)
    return answer
