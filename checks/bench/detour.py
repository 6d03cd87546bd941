"""Detour among the measured servers, with a graph of the benchmark behind it, and with its travel graph."""

import importlib.util

import orjson

from checks.bench.servers import Ended, ServerKind

TERMINAL = ("completed", "failed", "interrupted")
SETTINGS = {
    "demo_pace": "0",
    "messages_per_minute": "0",
    "address_messages_per_minute": "0",
    "total_messages_per_minute": "0",
    "address_requests_per_minute": "0",
    "address_conversations_per_minute": "0",
    "address_streams": "0",
    "sockets_per_user": "100000",
}
GREETING = 2
"""A hello and a snapshot."""
CITIES = ("Rome", "Lisbon", "Vienna", "Prague", "Madrid", "Athens", "Dublin", "Oslo", "Paris", "Milan")


def detour_ended(frame: bytes) -> Ended | None:
    if b'"status_update"' not in frame:
        return None
    event = orjson.loads(frame)
    if event["type"] != "status_update" or event["status"] not in TERMINAL:
        return None
    return Ended(event["task_id"], completed=event["status"] == "completed")


def travel_message(nth: int) -> str:
    """A whole request, never the same twice within 270, so that no search is answered from an earlier one."""
    day = nth % 27 + 1
    city = CITIES[nth // 27 % len(CITIES)]
    return f"Flights from Berlin to {city} on {day} May and a hotel there for two nights, two adults"


DETOUR = ServerKind(
    name="detour",
    module="backend.main",
    ended=detour_ended,
    partial_mark=b'"partial_result"',
    text_mark=b'"text_delta"',
    settings=SETTINGS,
    greeting=GREETING,
)
DETOUR_TRAVEL = ServerKind(
    name="detour travel",
    module="backend.main",
    ended=detour_ended,
    partial_mark=b'"partial_result"',
    message=travel_message,
    settings=SETTINGS,
    takes_graph=False,
    greeting=GREETING,
)


def is_here() -> bool:
    """Whether there is a Detour server to measure."""
    return importlib.util.find_spec("backend.main") is not None
