"""AG-UI's streams in tests: posted by hand, and held to the rules of the client's verifier."""

import asyncio
from typing import Any

import orjson

from tests.api.live import BOUND_S, Client

Event = dict[str, Any]

_OPENS = {
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId"),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId"),
    "STEP_STARTED": ("STEP_FINISHED", "stepName"),
}
_WITHIN = {"TEXT_MESSAGE_CONTENT": "TEXT_MESSAGE_START", "TOOL_CALL_ARGS": "TOOL_CALL_START"}


def run_input(thread_id: str, text: str = "", *, run_id: str = "run-1", **fields: Any) -> dict[str, Any]:
    """Return a body as the client sends it; the message has an id made of its text."""
    messages = [{"id": f"m-{text}", "role": "user", "content": text}] if text else []
    return {
        "threadId": thread_id,
        "runId": run_id,
        "protocolVersion": "1.0",
        "messages": messages,
        "state": {},
        "tools": [],
        "context": [],
        "forwardedProps": {},
        **fields,
    }


def answer(interrupt_id: str, payload: Any, status: str = "resolved") -> dict[str, Any]:
    return {"interruptId": interrupt_id, "status": status, "payload": payload}


async def post(client: Client, body: Any, path: str = "/agui") -> list[Event]:
    """Post until the stream ends; return its events, which keep the rules."""
    return events_in(await post_raw(client, body, path))


async def post_raw(client: Client, body: Any, path: str = "/agui") -> bytes:
    response = await client.call("POST", path, content=orjson.dumps(body), headers=JSON, timeout=BOUND_S)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    return response.content


JSON = {"content-type": "application/json"}


def events_in(stream: bytes) -> list[Event]:
    """Return the events of a whole stream, held to the rules."""
    blocks = [each for each in stream.split(b"\n\n") if each and not each.startswith(b":")]
    assert all(each.startswith(b"data: ") for each in blocks)
    events = [orjson.loads(each.removeprefix(b"data: ")) for each in blocks]
    check(events)
    return events


def check(events: list[Event]) -> None:
    """Hold events to what the client's verifier enforces."""
    open_now: set[tuple[str, str]] = set()
    ended = False
    for index, event in enumerate(events):
        kind = event["type"]
        assert None not in event.values(), event
        assert index or kind in {"RUN_STARTED", "RUN_ERROR"}, event
        assert not ended, event
        if kind in _OPENS:
            key = (kind, event[_OPENS[kind][1]])
            assert key not in open_now, event
            open_now.add(key)
        for opener, (closer, name) in _OPENS.items():
            if kind == closer:
                open_now.remove((opener, event[name]))
        if kind in _WITHIN:
            opener = _WITHIN[kind]
            assert (opener, event[_OPENS[opener][1]]) in open_now, event
        ended = kind in {"RUN_FINISHED", "RUN_ERROR"}
        assert kind != "RUN_FINISHED" or not open_now, (event, open_now)


def kinds(events: list[Event]) -> list[str]:
    return [each["type"] for each in events]


def text_of(events: list[Event]) -> str:
    return "".join(each["delta"] for each in events if each["type"] == "TEXT_MESSAGE_CONTENT")


def last_state(events: list[Event]) -> dict[str, Any]:
    return [each["snapshot"] for each in events if each["type"] == "STATE_SNAPSHOT"][-1]


def state_after(events: list[Event]) -> dict[str, Any]:
    """Return the state that a client has built from snapshots and patches, before the last snapshot."""
    state: dict[str, Any] = {}
    snapshots = [index for index, each in enumerate(events) if each["type"] == "STATE_SNAPSHOT"]
    for event in events[: snapshots[-1]]:
        if event["type"] == "STATE_SNAPSHOT":
            state = event["snapshot"]
        elif event["type"] == "STATE_DELTA":
            for operation in event["delta"]:
                _apply(state, operation)
    return state


def _apply(state: dict[str, Any], operation: dict[str, Any]) -> None:
    *path, last = [each.replace("~1", "/").replace("~0", "~") for each in operation["path"].split("/")[1:]]
    target: Any = state
    for name in path:
        target = target[name]
    if last == "-":
        target.append(operation["value"])
    else:
        assert operation["op"] == "add" or last in target
        target[last] = operation["value"]


class OpenRun:
    """A post whose stream is read while it runs, for `async with`; leaving it closes the line."""

    def __init__(self, client: Client, body: dict[str, Any], path: str = "/agui") -> None:
        self._stream = client.http.stream(
            "POST", path, content=orjson.dumps(body), headers=JSON, timeout=BOUND_S
        )
        self.events: list[Event] = []

    async def __aenter__(self) -> "OpenRun":
        response = await self._stream.__aenter__()
        assert response.status_code == 200
        self._lines = response.aiter_lines()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stream.__aexit__(*error)

    async def until(self, kind: str) -> Event:
        """Read up to an event of a type; return it."""
        async with asyncio.timeout(BOUND_S):
            async for line in self._lines:
                if line.startswith("data: "):
                    self.events.append(orjson.loads(line.removeprefix("data: ")))
                    if self.events[-1]["type"] == kind:
                        return self.events[-1]
        raise AssertionError(f"the stream ended without {kind}: {self.events}")

    async def to_end(self) -> list[Event]:
        """Read the rest; return all events, which keep the rules."""
        async with asyncio.timeout(BOUND_S):
            async for line in self._lines:
                if line.startswith("data: "):
                    self.events.append(orjson.loads(line.removeprefix("data: ")))
        check(self.events)
        return self.events
