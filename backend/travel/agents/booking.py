"""The booking agent: holds, books, cancels or lists, each write only once its user has allowed it.

It picks from what the searches of the same task have shown. It runs again from its start after the user has
decided, and maybe after a crash: what it asked about or has begun then is on the ledger, and it goes on with
that, whatever a search shows by now.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime

from ...domain.tool_call import ToolCall
from ...tasks.ledger.base import WriteTool
from ..tools.booking import BookingTools
from ..understanding.queries import flight_query
from ..understanding.result import BookingWish
from ..values.booking import Booking, Cancellation, Wanted, choice_of
from ..values.booking_json import booking_from_json, offer_from_json
from ..values.travel import FlightQuery, HotelOffer
from .choosing import chosen
from .model_bookings import booking_tools_for_model, wish_in_words
from .model_loop import let_model_work
from .state import AgentOutcome, AgentState, TravelRun

AGENT = "booking"

NO_BOOKINGS = "You have no bookings."
NOTHING_TO_CANCEL = "You have no booking that could be cancelled."
ROOMS_ARE_NOT_HELD = "Only flights can be held; a hotel is booked at once."
STOPPED = "As you wished, I stopped before anything was booked, held or cancelled."
NOT_KNOWN_YET = "I do not know yet whether that went through; I will tell you as soon as I do."

_VERBS = {
    "hold_flight": ("hold", "held"),
    "book_flight": ("book", "booked"),
    "book_hotel": ("book", "booked"),
    "cancel_booking": ("cancel", "cancelled"),
}

Deed = tuple[WriteTool[Any], Wanted | Cancellation]
"""A tool, and what is wanted of it."""


async def booking_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Hold, book or cancel as the message wishes and the user allows; return how that ended.

    A permission request ends the run of the node. Cancelling does not end a write that has begun.
    """
    run = runtime.context
    wish = run.understanding.booking
    if wish is None:
        return {}
    run.context.declare(AGENT, {})
    run.context.progress(AGENT, "working")
    if wish.action == "list":
        return _ended(run, "done", await _list_of_bookings(run))
    began = _begun(run)
    if began is None and run.context.stopped(AGENT):
        return _ended(run, "stopped", STOPPED)
    if run.model is not None and (began is None or _is_by_model(run)):
        tools, task = booking_tools_for_model(run), wish_in_words(run, wish)
        await let_model_work(AGENT, run, run.model, tools, task=task)
        writes = [each for each in run.tools.calls if _is_ours(each) and each.effect == "write"]
        if writes:
            return _ended(run, *_told(writes[-1]))
    deed = began or await _deed(run, wish)
    if isinstance(deed, str):
        return _ended(run, "failed", deed)
    tool, wanted = deed
    call = await run.tools.write(AGENT, tool, wanted)
    return _ended(run, *_told(call))


def _ended(run: TravelRun, state: str, sentence: str) -> dict[str, Any]:
    writes = [call for call in run.tools.calls if _is_ours(call) and call.effect == "write"]
    if run.context.stopped(AGENT) and not any(call.begun for call in writes):
        return {"outcomes": {AGENT: AgentOutcome(state="stopped", detail=STOPPED)}}
    run.context.progress(AGENT, "failed" if state == "failed" else "done", detail=sentence)
    return {"outcomes": {AGENT: AgentOutcome(state=state, detail=sentence)}}


def _begun(run: TravelRun) -> Deed | None:
    """Return what the task, or an earlier attempt at its message, has asked about or begun."""
    calls = [call for call in run.tools.calls if _is_ours(call)]
    return next((deed for call in reversed(calls) if (deed := run.bookings.wanted_by(call))), None)


def _is_ours(call: ToolCall) -> bool:
    return call.agent == AGENT


def _is_by_model(run: TravelRun) -> bool:
    """Whether this task's model began what was begun here; the model then continues it."""
    return any(step.agent == AGENT for step in run.journal.steps)


async def _deed(run: TravelRun, wish: BookingWish) -> Deed | str:
    """Return what is to be done, or in a sentence why nothing can be."""
    if wish.action == "cancel":
        return await _cancellation(run, wish)
    held = await _held(run, wish) if wish.action == "book" else None
    if held is not None:
        return held
    kind = wish.kind or _only_kind(run)
    if kind is None:
        return f"Shall I {wish.action} the flight or the hotel? Please say which."
    if wish.action == "hold" and kind == "hotel":
        return ROOMS_ARE_NOT_HELD
    item = chosen(run.context.found.to_json().get(kind, []), wish, kind=kind)
    if isinstance(item, str):
        return item
    return _tool(run.bookings, wish, kind), Wanted(choice=choice_of(offer_from_json(item)))


def _only_kind(run: TravelRun) -> str | None:
    """Return of what there are offers, if that is one kind only."""
    found = run.context.found.counts()
    kinds = [kind for kind in ("flight", "hotel") if found.get(kind)]
    return kinds[0] if len(kinds) == 1 else None


def _tool(tools: BookingTools, wish: BookingWish, kind: str) -> WriteTool[Any]:
    if kind == "hotel":
        return tools.book_hotel
    return tools.hold_flight if wish.action == "hold" else tools.book_flight


# --- bookings there are ----------------------------------------------------------------------------------


async def _list_of_bookings(run: TravelRun) -> str:
    call = await _listed(run)
    if call.outcome != "completed":
        return call.summary
    named = run.understanding.booking.reference if run.understanding.booking else None
    lines = [each["line"] for each in call.result if named in (None, each["booking"]["reference"])]
    if not lines:
        return f"You have no booking {named}." if named else NO_BOOKINGS
    return f"{'Your booking' if len(lines) == 1 else 'Your bookings'}: {'; '.join(lines)}."


async def _listed(run: TravelRun) -> ToolCall:
    arguments: Mapping[str, Any] = {}
    await run.tools.writes_at_rest(AGENT)
    return await run.tools.read(AGENT, run.bookings.list_bookings, arguments)


async def _bookings(run: TravelRun) -> Sequence[Booking]:
    """Return the user's bookings; none where they cannot be read."""
    listed: Sequence[Mapping[str, Any]] = (await _listed(run)).result or ()
    return [booking_from_json(each["booking"]) for each in listed]


async def _held(run: TravelRun, wish: BookingWish) -> Deed | str | None:
    """Return how to book what the user holds: the hold of a reference, or the only one that can be meant."""
    if not wish.reference and (wish.pick or wish.number or wish.name or wish.kind == "hotel"):
        return None
    bookings = await _bookings(run)
    if wish.reference:
        named = [each for each in bookings if each.reference == wish.reference]
        if not named:
            return f"You have no booking {wish.reference}."
        if named[0].state != "held":
            return f"{wish.reference} is {named[0].state} already."
    else:
        query = flight_query(run.understanding)
        named = [each for each in bookings if each.state == "held" and _answers(each, query)]
        if len(named) != 1:
            return None
    return run.bookings.book_flight, Wanted(choice=choice_of(named[0].offer), travellers=named[0].travellers)


def _answers(booking: Booking, query: FlightQuery | None) -> bool:
    """Whether what is held is a flight between the places, and on the day, that are searched for now."""
    if query is None or isinstance(booking.offer, HotelOffer):
        return query is None
    first = booking.offer.slices[0].segments[0]
    return (
        first.origin in query.origins
        and booking.offer.slices[0].segments[-1].destination in query.destinations
        and first.departs_at.date() == query.departure_date
    )


async def _cancellation(run: TravelRun, wish: BookingWish) -> Deed | str:
    """Return which booking to cancel: the one of a reference, or the only one that can be meant."""
    if wish.reference:
        return run.bookings.cancel_booking, Cancellation(reference=wish.reference)
    live = [
        each
        for each in await _bookings(run)
        if each.state in ("held", "booked") and wish.kind in (None, _kind(each))
    ]
    if not live:
        return NOTHING_TO_CANCEL
    if len(live) > 1:
        return f"Which one shall I cancel: {', '.join(each.reference for each in live)}?"
    return run.bookings.cancel_booking, Cancellation(reference=live[0].reference)


def _kind(booking: Booking) -> str:
    return "hotel" if isinstance(booking.offer, HotelOffer) else "flight"


# --- how it ended ----------------------------------------------------------------------------------------


def _told(call: ToolCall) -> tuple[str, str]:
    """Return how a write ended, and a sentence about it."""
    verb, done = _VERBS[call.tool]
    if call.done:
        return "done", f"{call.summary[:1].upper()}{call.summary[1:]}."
    if call.outcome == "denied":
        return "done", f"You did not allow it, so nothing was {done}."
    if call.outcome == "unknown":
        return "done", NOT_KNOWN_YET
    reason = call.summary[:1].upper() + call.summary[1:] or f"Nothing was {done}"
    return "failed", f"I could not {verb} that. {reason if reason.endswith('.') else reason + '.'}"
