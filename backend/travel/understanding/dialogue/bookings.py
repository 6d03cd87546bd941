"""What is to be booked, in its conversation: whose offer is meant, and what the message says beside.

The words of the act are taken out of the message, and what is left is understood like any other message. So
a booking changes nothing about the search it picks from, which is made again, and it may say more: "book the
first one, and find me a hotel there". A wish for a booking is gone with the next message, unless that goes on
with it: it answers what the search still lacked, or changes what the user is being asked to allow.
"""

from collections.abc import Callable, Collection
from dataclasses import replace

from ..message import BookingAct
from ..result import Agent, Refused, ShownStay, Understanding
from .whole_requests import repeated

Search = Callable[[str], Understanding]
"""Understands a message that asks for a search, or for nothing."""

_AGENTS: tuple[Agent, ...] = ("flight", "hotel", "planner")
_OF_OFFERS = ("book", "hold")


def with_act(
    act: BookingAct, message: str, previous: Understanding | None, search: Search, *, deciding: bool
) -> Understanding:
    """Return what a message with an act in it means after the request before it.

    `previous` may still hold its own wish for a booking; with `deciding` the user is being asked to allow it.
    """
    if act.wish.action == "list":
        understood = search(act.rest)
        return replace(understood, booking=act.wish)
    if act.wish.action == "book" and act.wish.reference:
        understood = search(act.rest)
        relation = "add" if previous and previous.wanted else "new"
        return replace(
            understood, relation=understood.relation if understood.agents else relation, booking=act.wish
        )
    if act.wish.action == "cancel":
        return _cancelled(act, message, previous, search, deciding=deciding)
    if previous is None or not previous.wanted:
        beside = search(act.rest)
        return _with_wish(search(message), act) if act.wish.kind or beside.agents else beside
    return _booked(act, message, previous, search)


def beside_a_search(act: BookingAct, understood: Understanding) -> Understanding:
    """Return what was understood with the act, where the offers are those of another assistant.

    What names one of these is understood as what is wanted, as is everything else.
    """
    if (act.wish.action in _OF_OFFERS) != bool(understood.agents):
        return understood
    return replace(understood, booking=act.wish)


def going_on(understood: Understanding, previous: Understanding | None, *, deciding: bool) -> Understanding:
    """Return what was understood with the booking of the request before it, if it goes on with that."""
    wish = previous.booking if previous else None
    if previous is None or wish is None or wish.action not in _OF_OFFERS:
        return understood
    if understood.relation not in ("answer", "refine", "add") or understood.resumes is not None:
        return understood
    if not previous.missing and not (deciding and _still_tells(understood, previous)):
        return understood
    kinds: tuple[Agent, ...] = (wish.kind,) if wish.kind else previous.agents
    if not set(kinds) <= set(understood.wanted):
        return understood
    return replace(understood, agents=_in_order({*understood.agents, *kinds}), booking=wish)


def _still_tells(understood: Understanding, previous: Understanding) -> bool:
    """Whether a booking still tells its offer: a number, or one told as it is shown, only among the same."""
    wish = previous.booking
    flights_change, hotels_change = understood.flight != previous.flight, understood.hotel != previous.hotel
    if wish is None or (wish.number and (flights_change or hotels_change)):
        return False
    return not (wish.shown and (hotels_change if isinstance(wish.shown, ShownStay) else flights_change))


def _cancelled(
    act: BookingAct, message: str, previous: Understanding | None, search: Search, *, deciding: bool
) -> Understanding:
    """A booking is cancelled beside whatever is searched for, which goes on."""
    before = previous.booking if previous else None
    kind = act.wish.kind
    is_just_wished = before is not None and before.action in _OF_OFFERS and kind in (None, before.kind)
    if act.is_of_request and not is_just_wished and previous and kind in previous.wanted:
        return search(message)
    understood = search(act.rest)
    if is_just_wished and deciding and not act.wish.reference:
        return replace(understood, relation="stop", agents=())
    wish = replace(act.wish, kind=before.kind) if before and is_just_wished else act.wish
    if understood.agents:
        return replace(understood, booking=wish)
    relation = "add" if previous and previous.wanted else "new"
    return replace(understood, relation=relation, booking=wish)


def _booked(act: BookingAct, message: str, previous: Understanding, search: Search) -> Understanding:
    """An offer is booked or held while a request is known."""
    kind = act.wish.kind
    is_found = kind is not None and kind in previous.searched
    is_choice = any(not one.taken for one in previous.alternatives)
    if (act.is_bare and not is_found) or (act.is_loose and is_choice):
        return search(message)
    understood = search(act.rest_by_name if kind and kind not in previous.wanted else act.rest)
    is_same = (understood.flight, understood.hotel) == (previous.flight, previous.hotel)
    says_more = understood.agents and not (is_same and understood.relation in ("answer", "other"))
    if understood.relation == "new" and says_more:
        return _with_wish(understood, act)
    about = (kind,) if kind else _spoken_of(previous)
    wish = replace(act.wish, kind=about[0] if len(about) == 1 else None)
    if not says_more:
        understood = repeated(previous, about)
    agents = _in_order({*understood.agents, *about}) if says_more else understood.agents
    told = (*understood.refused, *_refused(act))
    return replace(understood, agents=agents, booking=wish, refused=told)


def _spoken_of(previous: Understanding) -> tuple[Agent, ...]:
    """The agents of which something was spoken last, all where it was of all."""
    about = previous.agents or previous.about
    return tuple(agent for agent in previous.wanted if agent in about) or previous.wanted


def _with_wish(understood: Understanding, act: BookingAct) -> Understanding:
    """The same with the act on what it searches for, if that is told at all."""
    if not understood.agents:
        return understood
    kind = act.wish.kind or (understood.agents[0] if len(understood.agents) == 1 else None)
    if act.is_bare or (kind and kind not in understood.agents):
        return understood
    return replace(
        understood, booking=replace(act.wish, kind=kind), refused=(*understood.refused, *_refused(act))
    )


def _refused(act: BookingAct) -> tuple[Refused, ...]:
    unread = (Refused(said=act.unread, reason="not_searched_by"),) if act.unread else ()
    also = (Refused(said=act.also, reason="one_booking_at_a_time"),) if act.also else ()
    return (*unread, *also)


def _in_order(agents: Collection[Agent]) -> tuple[Agent, ...]:
    return tuple(agent for agent in _AGENTS if agent in agents)
