"""How a write to the provider ended, as the booking agent tells it."""

from typing import NamedTuple

from ...domain.tool_call import ToolCall

NOT_KNOWN_YET = "I do not know yet whether that went through; I will tell you as soon as I do."

_VERBS = {
    "hold_flight": ("hold", "held"),
    "book_flight": ("book", "booked"),
    "book_hotel": ("book", "booked"),
    "book_car": ("book", "booked"),
    "cancel_booking": ("cancel", "cancelled"),
}
WRITES = frozenset(_VERBS)
"""The names of all tools whose writes are told of here."""


class Ending(NamedTuple):
    """How a part of the agent's work ended: its state, "done" or "failed", and a sentence for the reply.

    What the user does not allow is done, too: nothing went wrong.
    """

    state: str
    sentence: str


def ending_of(call: ToolCall) -> Ending:
    """Return how a write ended."""
    verb, done = _VERBS[call.tool]
    if call.done:
        return Ending("done", f"{call.summary[:1].upper()}{call.summary[1:]}.")
    if call.outcome == "denied":
        return Ending("done", f"You did not allow it, so nothing was {done}.")
    if call.outcome == "unknown":
        return Ending("done", NOT_KNOWN_YET)
    reason = call.summary[:1].upper() + call.summary[1:] or f"Nothing was {done}"
    return Ending("failed", f"I could not {verb} that. {reason if reason.endswith('.') else reason + '.'}")
