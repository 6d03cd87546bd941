"""What users are told where a search has found offers, and none is within the limits of the request."""

from collections.abc import Mapping, Sequence

from ...domain.tool_call import ToolCall
from ..understanding.english.slot_words import FOUND, counted, listed
from ..understanding.result import Agent, Understanding

_MOST_NAMES = 6


def nothing_fits(agent: Agent, understanding: Understanding, call: ToolCall, *, is_whole: bool) -> str:
    """Return what there was instead of what fits, in sentences; "" if the search found nothing at all.

    Unless the search `is_whole`, its sources have more, and what fits may be there.
    """
    found = call.summary.partition(" ")[0]
    if found == "0" or not found.isdecimal():
        return ""
    result: Mapping[str, Sequence[str]] = call.result or {}
    carriers = result.get("carriers", ())
    flight = understanding.flight
    by = ""
    if agent == "flight" and carriers and (flight.airlines or flight.not_airlines):
        others = len(carriers) - _MOST_NAMES
        more = [f"{others} more"] if others > 0 else list[str]()
        by = f", by {listed([*carriers[:_MOST_NAMES], *more])}"
    name = understanding.hotel.name if agent == "hotel" else None
    called = f', none of them called "{name}"' if name else ""
    looked_through = counted(int(found), FOUND[agent].removesuffix("s"))
    if not is_whole:
        more = "there are more, which I could not look through"
        return f"That is among the {looked_through} I looked through{by}{called}; {more}."
    return f"I went through {looked_through}{by}{called}."
