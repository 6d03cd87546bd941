"""Runs of `looping_graph` for tests: one waits in a tool until its test lets it go on."""

import asyncio
from pathlib import Path
from typing import Any, NamedTuple

from tests.api.live import BOUND_S, Client

LOOPING = "tests.protocols.looping_graph:graph"


class Looking(NamedTuple):
    """A run whose tool waits; the model reads what its user has said once it may go on."""

    task_id: str
    until: Path

    def goes_on(self) -> None:
        self.until.touch()


async def looking(api: Client, user_id: str, until: Path, verb: str = "look") -> Looking:
    """Begin a run by a message; return it once its model has called the tool, which looks or asks."""
    begun = Looking((await api.chat(user_id, f"{verb} {until}"))["task_id"], until)
    await until_called(api, user_id, begun.task_id)
    return begun


async def begun(api: Client, user_id: str, until: Path) -> Looking:
    """Return the run that a client has begun with this file, once its model has called the tool."""
    async with asyncio.timeout(BOUND_S):
        while True:
            status = await api.call("GET", f"/status/{user_id}")
            if status.status_code == 200 and status.json()["message"] == f"look {until}":
                break
            await asyncio.sleep(0)
    task_id = status.json()["task_id"]
    await until_called(api, user_id, task_id)
    return Looking(task_id, until)


async def until_called(api: Client, user_id: str, task_id: str) -> None:
    async with asyncio.timeout(BOUND_S):
        calls = f"/calls/{user_id}/{task_id}"
        while not (await api.call("GET", calls)).json().get("calls"):  # noqa: ASYNC110
            await asyncio.sleep(0)


async def until_pending(api: Client, user_id: str, count: int = 1) -> list[dict[str, Any]]:
    """Return what waits to be taken in, once there is so much."""
    async with asyncio.timeout(BOUND_S):
        while True:
            pending = (await api.status(user_id)).get("pending", [])
            if len(pending) == count:
                return pending
            await asyncio.sleep(0)
