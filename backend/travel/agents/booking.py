"""The booking agent: holds, books, cancels or lists, each write only once its user has allowed it.

`booking_node` runs after the searches of its task, or beside them where an offer of an earlier request is
booked:

1. `_begun` looks on the ledger for what the task has asked about or begun. The node runs from its start again
   after the user has decided, and after a crash: it then continues that, whatever a search shows by now.
2. Else `writes.wanted_write` picks the offer or the booking that is meant.
3. `run.tools.write` quotes it, asks the user, and calls the provider once they allow it.
4. `writes.ending_of` makes a sentence of how that ended, which the reply tells.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ...domain.errors import BookingRefused, DetourError
from ...domain.tool_call import ToolCall
from ..providers.travellers import Traveller, members
from ..tools.booking import BookCar, BookFlight, BookHotel, CancelBooking, HoldFlight, WantedWrite
from ..tools.booking_words import SELLERS
from ..tools.booking_words import party as in_words
from ..understanding.english.wording import refusals
from ..understanding.requested import unused_of
from ..understanding.result import BookingWish
from ..values.booking import Cancellation, Order, Party, Wanted, papers_of, whole_offer
from .findings import findings
from .found.answers import answer
from .state import AgentOutcome, AgentState, EarlierOffer, TravelRun
from .writes import (
    AGENT,
    WRITES,
    Ending,
    ending_of,
    list_of_bookings,
    nearest_left,
    of_earlier,
    to_cancel,
    wanted_write,
)

STOPPED = "As you wished, I stopped before anything was booked, held or cancelled."

_TOOLS = {"flight": ("hold_flight", "book_flight"), "hotel": ("book_hotel",), "car": ("book_car",)}

_OF_OFFERS = (BookFlight, BookHotel, BookCar, HoldFlight)


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
        return _outcome(run, Ending("done", await list_of_bookings(run)))
    if wish.then is not None:
        return await _book_several(run, wish, state.get("earlier") if len(wish.offers) == 1 else None)
    if wish.is_latest:
        return await _cancel_last(run)
    return await _book_one(run, wish, state.get("earlier"), beside=_found_beside(run, wish, state))


def _found_beside(run: TravelRun, wish: BookingWish, state: AgentState) -> str:
    """Return what was found that the message added while the user was asked: "and a hotel there"."""
    added = [agent for agent in run.understanding.agents if agent != wish.kind]
    outcomes = state["outcomes"]
    is_found = run.understanding.relation == "add" and wish.kind and all(one in outcomes for one in added)
    found = run.context.found.to_json()
    return findings(added, run.understanding, outcomes, found, whole=False) if is_found else ""


async def _book_one(
    run: TravelRun, wish: BookingWish, earlier: EarlierOffer | None, *, beside: str
) -> dict[str, Any]:
    """Hold, book or cancel one thing: of those found now, or the `earlier` offer."""
    begun = _begun(run)
    if begun is None and run.context.stopped(AGENT):
        return _outcome(run, Ending("stopped", STOPPED))
    wanted = begun or (of_earlier(run, wish, earlier) if earlier else await wanted_write(run, wish))
    if isinstance(wanted, str):
        return _outcome(run, Ending("failed", wanted))
    if earlier and earlier["item"] is not None and isinstance(wanted.tool, _OF_OFFERS):
        # Its user saw it in an earlier list: the permission tells what has changed since.
        seen = whole_offer(earlier["item"])
        wanted = wanted._replace(tool=wanted.tool.after_seeing(seen)) if seen is not None else wanted
    call = await _write(run, wanted, then=beside)
    ending = ending_of(call)
    if earlier and call.outcome == "failed" and call.started_at is None:
        sentence = f"{ending.sentence} {await nearest_left(run, earlier)}".rstrip()
        ending = ending._replace(sentence=sentence)
    return _outcome(run, ending)


async def _book_several(run: TravelRun, wish: BookingWish, earlier: EarlierOffer | None) -> dict[str, Any]:
    """Do what is wanted of the flight, then of the hotel and the car, each once its user has allowed it.

    What is not allowed, or fails, does not keep the others from being asked for. A booking is cancelled last,
    and stays unless something is booked in its place.
    """
    endings: list[Ending] = []
    gone = [await _to_be_cancelled(run, each) for each in wish.in_turn if each.action == "cancel"]
    untold = " ".join(each for each in gone if isinstance(each, str))
    cancelled = [one for each in gone if not isinstance(each, str) for one in each]
    next_ones = [await _cancelled_next(run, each) for each in cancelled]
    is_booked = False
    for each in wish.offers:
        begun = _begun(run, _TOOLS[each.kind or "flight"])
        if begun is None and run.context.stopped(AGENT):
            break
        wanted = begun or (of_earlier(run, each, earlier) if earlier else await wanted_write(run, each))
        if isinstance(wanted, str):
            untold = f"{untold} {wanted}".strip()  # which the question about the next kind tells
            endings.append(Ending("failed", wanted))
        else:
            behind = [*(f"the {one.kind}" for one in each.offers[1:] if one.kind), *next_ones]
            then = f"I will ask about {' and '.join(behind)} next." if behind else ""
            call = await _write(run, wanted, then=f"{untold} {then}".strip())
            is_booked = is_booked or call.done
            endings.append(ending_of(call, (each.kind or "flight") if len(wish.offers) > 1 else ""))
        _show(run, endings)
    for each in cancelled if not run.context.stopped(AGENT) else ():
        kept = each.wanted.reference if isinstance(each.wanted, Cancellation) and not is_booked else ""
        stays = Ending("done", _STAYS.format(kept))
        endings.append(stays if kept else ending_of(await _write(run, each)))
        _show(run, endings)
    endings += [Ending("failed", each) for each in gone if isinstance(each, str) and is_booked]
    return _outcome(run, _together(endings))


_STAYS = '{0} stays as it is: "cancel {0}" cancels it.'


async def _cancelled_next(run: TravelRun, write: WantedWrite) -> str:
    """Return what is asked about once there is something in its place, with what it gives back."""
    with suppress(DetourError):
        quote = await write.tool.quote(run.context.user_id, write.wanted)
        return f"cancelling {quote.facts['Booking']} ({quote.facts['Given back']} is given back)"
    return "the cancellation"


async def _cancel_last(run: TravelRun) -> dict[str, Any]:
    """Cancel what the request before has booked or held, each once its user has allowed it."""
    asked = await to_cancel(run)
    if isinstance(asked, str):
        return _outcome(run, Ending("done", asked))
    endings: list[Ending] = []
    for each in asked:
        endings.append(ending_of(await _write(run, WantedWrite(run.bookings.cancel_booking, each))))
        _show(run, endings)
    return _outcome(run, _together(endings))


async def _to_be_cancelled(run: TravelRun, wish: BookingWish) -> Sequence[WantedWrite] | str:
    """Return what is to be cancelled, the same before and after something is booked in its place."""
    asked = await to_cancel(run) if wish.is_latest else ""
    if not isinstance(asked, str):
        return [WantedWrite(run.bookings.cancel_booking, one) for one in asked]
    wanted = _begun(run, (CancelBooking.name,)) or await wanted_write(run, wish)
    return wanted if isinstance(wanted, str) else [wanted]


async def _write(run: TravelRun, write: WantedWrite, *, then: str = "") -> ToolCall:
    """Ask for a write and make it, and return how it ended. Its permission tells wishes it leaves aside.

    Those of this message are told in the question itself, with what comes `then`.
    """
    wanted, tool = write.wanted, write.tool
    if isinstance(wanted, Wanted):
        await _ask_who_travels(run, wanted)
        question = run.understanding.question
        answered = await answer(run, question) if question is not None else ""
        beside = " ".join(filter(None, [answered, refusals(run.understanding), then]))
        wanted = replace(wanted, not_chosen_by=unused_of(run.understanding), beside=beside)
    return await run.tools.write(AGENT, tool, wanted)


_WHO_TRAVELS = (
    "To book this, {seller} wants to know who travels: {people}, with names as in the passport, birth, mail"
    " address and phone number{passports}. It is kept apart from this conversation."
)


async def _ask_who_travels(run: TravelRun, wanted: Wanted) -> None:
    """Ask for travellers whom a seller wants to know and nobody has told; which ends this run of the node.

    They are told by `PUT /travellers/...`, and no part of the answer, which would stay in the conversation.
    Of those known before, their ages and passports have to be what the offer is for.
    """
    if wanted.seen is None or run.travellers is None or papers_of(wanted.seen) == "others":
        return  # of which the last is not sold here
    party = Order(offer=wanted.seen).party
    count = party.adults + len(party.children)
    while (wrong := _wrong(await run.travellers.known(run.context.user_id), party)) is not None:
        people = "1 person" if count == 1 else f"{count} people"
        people += f" ({in_words(party.adults, party.children)})" if party.children else ""
        told: dict[str, Any] = {"const": True, "title": "Travellers named", "x-travellers": count}
        told |= {"x-passports": True} if party.passports else {}
        asks = _WHO_TRAVELS.format(
            seller=SELLERS[wanted.seen.provider],
            people=people,
            passports=", and their passports" if party.passports else "",
        )
        interrupt(
            {
                "agent": AGENT,
                "prompt": " ".join(filter(None, [asks, wrong])),
                "schema": {
                    "type": "object",
                    "properties": {"travellers": told},
                    "required": ["travellers"],
                    "additionalProperties": False,
                },
                "defaults": {},
            }
        )


_OTHER_AGES = "If you travel at other ages than I searched for, tell me, and I search again."


def _wrong(known: Sequence[Traveller], party: Party) -> str | None:
    """Return what keeps those known from being a party, "" where they are too few; None for nothing."""
    if len(known) < party.adults + len(party.children):
        return ""
    for wanted, else_ in ((replace(party, passports=False), _OTHER_AGES), (party, "")):
        try:
            members(known, wanted)
        except BookingRefused as refused:
            return f"{refused.message} {else_}".rstrip()
    return None


def _show(run: TravelRun, endings: Sequence[Ending]) -> None:
    """Tell clients how the writes so far have ended, while the user is asked about the next."""
    run.context.progress(AGENT, "working", detail=_together(endings).sentence)


def _together(endings: Sequence[Ending]) -> Ending:
    """Return several endings as one, which failed only if all of them have."""
    state = "done" if any(each.state == "done" for each in endings) else "failed"
    return Ending(state, " ".join(each.sentence for each in endings) or STOPPED)


def _outcome(run: TravelRun, ending: Ending) -> dict[str, Any]:
    """Report how the agent's work ended, and return it for the reply."""
    if run.context.stopped(AGENT) and not any(call.begun for call in _writes(run)):
        return {"outcomes": {AGENT: AgentOutcome(state="stopped", detail=STOPPED)}}
    run.context.progress(AGENT, "failed" if ending.state == "failed" else "done", detail=ending.sentence)
    return {"outcomes": {AGENT: AgentOutcome(state=ending.state, detail=ending.sentence)}}


def _begun(run: TravelRun, tools: Collection[str] = WRITES) -> WantedWrite | None:
    """Return what the task, or an earlier attempt at its message, has asked about or begun with the tools."""
    calls = [call for call in run.tools.calls if call.agent == AGENT and call.tool in tools]
    return next((write for call in reversed(calls) if (write := run.bookings.wanted_by(call))), None)


def _writes(run: TravelRun) -> list[ToolCall]:
    return [call for call in run.tools.calls if call.agent == AGENT and call.effect == "write"]
