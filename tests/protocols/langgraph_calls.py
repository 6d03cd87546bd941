"""Calls of the LangGraph API as they are on the wire, for tests of what the published clients never send."""

from typing import Any

import orjson

from tests.api.live import Client

THREAD = "0b2e2f0e-9f0c-4d7e-8a55-0c1f6b6f0001"
RUNS = f"/threads/{THREAD}/runs"


def human(text: Any, **more: Any) -> dict[str, Any]:
    return {"assistant_id": "agent", "input": {"messages": [{"type": "human", "content": text}]}, **more}


def frames(body: bytes) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for frame in body.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in frame.split("\n") if line and not line.startswith(":"))
        if fields:
            found.append((fields["event"], orjson.loads(fields["data"])))
    return found


async def ran(api: Client, body: dict[str, Any], path: str = f"/threads/{THREAD}/runs/stream") -> Any:
    response = await api.call("POST", path, json=body)
    assert response.status_code == 200, response.text
    return frames(response.content)


async def state_of(api: Client) -> dict[str, Any]:
    return (await api.call("GET", f"/threads/{THREAD}/state")).json()
