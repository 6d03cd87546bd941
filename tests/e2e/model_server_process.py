"""A real server process with a model in its loop, which is the fake server of models, and looks at both."""

from datetime import timedelta
from typing import Any

import pytest

from backend.domain.encoding import system_clock
from tests.api.frames import receive_until
from tests.fakes.model_server import ModelServer
from tests.fakes.waiting import until
from tests.models.travelling import replies, understands

DAY = system_clock().astimezone().date() + timedelta(days=30)
FLIGHTS = f"Find flights from Berlin to Tokyo on {DAY.isoformat()}"
SLOW = 30.0
"""Seconds between two batches of a source, for searches that are to be under way."""


@pytest.fixture
async def models():
    async with ModelServer() as models:
        yield models


@pytest.fixture
async def start(process, models):
    async def start(provider="openai", **settings):
        url = f"{models.url}/v1" if provider == "openai" else models.url
        known = {"model": f"{provider}:a-model", "model_base_url": url, "model_key": "k-1"}
        server = process(**{**known, "model_reading_s": 20, **settings})
        await server.start()
        return server

    return start


def script_reply(models, *reply) -> None:
    """Have a message read as it is, and answered."""
    understands(models, "flight")
    models.script(*reply, when=replies)


async def text_of(server, user_id: str, wanted: str) -> None:
    """Wait until the reply has got so far."""

    async def is_there() -> bool:
        return (await server.partial_results(user_id))["text"] == wanted

    await until(is_there, every_s=server.looks_every_s)


async def calls_of(server, user_id: str, count: int) -> None:
    """Wait until so many calls were told to be running."""
    async with server.socket(user_id, "?since=0") as socket:
        for _ in range(count):
            await receive_until(
                socket, lambda frame: frame["type"] == "tool_update" and frame["state"] == "running"
            )


async def receipt_of(server, user_id: str, task_id: str) -> dict[str, Any]:
    """Wait until a task has its receipt, and return it."""

    async def look() -> Any:
        answer = await server.call("GET", f"/receipts/{user_id}/{task_id}")
        return answer.json() if answer.status_code == 200 else None

    return await until(look, every_s=server.looks_every_s)


async def said(server, user_id: str) -> list[tuple[str, str, bool]]:
    messages = (await server.history(user_id))["messages"]
    return [(each["role"], each["text"], each["interrupted"]) for each in messages]
