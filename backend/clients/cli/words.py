"""States, progress and receipts in words."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson

from ..story import Agent

TASK = {
    "queued": "Waiting its turn",
    "running": "Working on it",
    "input_required": "Needs you",
    "cancelling": "Stopping, once what had started is finished",
    "completed": "Done",
    "failed": "Failed",
    "interrupted": "Interrupted",
}
OUTCOME_OF_REQUEST = {
    "allowed": "Allowed.",
    "denied": "Not allowed.",
    "withdrawn": "That is no longer asked.",
    "expired": "That was not answered in time.",
}
OUTCOME_OF_STEERING = {
    "taken_in": "Taken in: it is read next.",
    "own_task": "It is a message of its own now.",
    "merged": "It is read before the newer message.",
}
INSTEAD_OF_STEERING = {
    "enqueue": "This agent takes no message in while it works: yours waits for the end.",
    "interrupt": "This agent takes no message in: yours has interrupted, and what still fits is kept.",
}
"""What a message did that was to steer, by the policy that it got."""
_AGENT = {"input_required": "needs you"}
_TOOL = {
    "search_flights": "Flight search",
    "search_hotels": "Hotel search",
    "search_cars": "Car search",
    "plan_itinerary": "Itinerary",
    "hold_flight": "Holding the flight",
    "book_flight": "Booking the flight",
    "book_hotel": "Booking the hotel",
    "book_car": "Booking the car",
    "cancel_booking": "Cancellation",
    "list_bookings": "List of bookings",
}
_OUTCOME = {
    "completed": "had ended before",
    "adopted": "goes on for the next message",
    "cancelled": "cut short",
    "not_started": "was never started",
    "denied": "not allowed",
    "completed_after_interrupt": "had begun, and was finished",
    "failed": "failed",
    "unknown": "not known yet whether it went through",
}
_SUMMARY_SAYS_MORE = {"completed", "completed_after_interrupt", "failed"}
_OF_SOURCES = re.compile(r"^\d+ \w+ from (\d+ of \d+ sources)$")


def agent_words(name: str, agent: Agent) -> str:
    """Return "Flight: working, 2 of 3 sources, 41 found"."""
    parts = [_AGENT.get(agent.state, agent.state)]
    if agent.state == "interrupted":
        parts += [f"{agent.count} kept"] if agent.count else []
    elif agent.state != "input_required":
        parts += _progress(agent)
    return f"{name[:1].upper()}{name[1:]}: {', '.join(parts)}"


def _progress(agent: Agent) -> list[str]:
    if of_sources := _OF_SOURCES.match(agent.detail):
        return [of_sources[1], f"{agent.count} found"]
    if agent.detail:
        return [agent.detail]
    return [*([f"{agent.done} of {agent.total}"] if agent.total else []), *_found(agent.count)]


def _found(count: int) -> list[str]:
    return [f"{count} found"] if count else []


def tool_name(tool: str) -> str:
    """Return what a tool is for: "Flight search"; of one that is not known, its name in words."""
    words = tool.replace("_", " ")
    return _TOOL.get(tool) or f"{words[:1].upper()}{words[1:]}"


def receipt_lines(receipt: Mapping[str, Any]) -> list[str]:
    """Return what became of every call of an interrupted task, a line each."""
    lines = [_call_line(call) for call in receipt.get("tool_calls") or ()]
    return [*lines, "What was open then is known by now."] if receipt.get("amended_at") else lines


def _call_line(call: Mapping[str, Any]) -> str:
    tool, outcome = tool_name(str(call["tool"])), str(call["outcome"])
    summary = str(call.get("summary") or "")
    if outcome == "cancelled" and summary:
        return f"{tool}: {summary}"
    more = [summary] if summary and outcome in _SUMMARY_SAYS_MORE else []
    return ": ".join([tool, _OUTCOME.get(outcome, outcome), *more])


def permission_lines(request: Mapping[str, Any]) -> list[str]:
    """Return all that a permission is for, fact by fact, and until when it is open."""
    facts: Mapping[str, Any] = request.get("facts") or {}
    lines = [f"{tool_name(str(request.get('tool') or 'this'))} needs your permission:"]
    lines += [f"  {name}: {_fact(value)}" for name, value in facts.items()]
    return [*lines, *open_until(request)]


def _fact(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def open_until(request: Mapping[str, Any]) -> list[str]:
    """Return "  Open until 18:45", in this machine's time; nothing where no time is told."""
    try:
        at = datetime.fromisoformat(str(request["expires_at"])).astimezone()
    except (KeyError, ValueError):
        return []
    return [f"  Open until {at:%a %H:%M}"]


def elapsed(seconds: float) -> str:
    """Return "4.2 s", or "2 min 05 s"."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02d} s"
