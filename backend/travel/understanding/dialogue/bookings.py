"""What is to be booked, in its conversation: whose offer is meant, and what the message says beside.

The words of the act are taken out of the message, and what is left is understood like any other message. So
a booking changes nothing about the search it picks from, which is made again, and it may say more: "book the
first one, and find me a hotel there". A wish for a booking is gone with the next message, unless that goes on
with it: it answers what the search still lacked, or changes what the user is being asked to allow.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from ..found import KINDS, FoundQuestion, Which
from ..message import BookingAct
from ..queries import filters
from ..result import Agent, Bookable, BookingWish, Refused, ShownRental, ShownStay, Understanding
from ..slot_table import SLOTS
from ..tokens import fold
from .found import left_as_it_is
from .prompt import Situation
from .slots import held_in
from .whole_requests import repeated

Search = Callable[[str], Understanding]
"""Understands a message that asks for a search, or for nothing."""

_AGENTS: tuple[Agent, ...] = (*SLOTS, "planner")
_OF_OFFERS = ("book", "hold")


def with_act(
    act: BookingAct, message: str, previous: Understanding | None, search: Search, situation: Situation
) -> Understanding:
    """Return what a message with an act in it means after the request before it.

    `previous` may still hold its own wish for a booking.
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
        if act.wish.is_latest:
            return _cancelled_last(act, message, previous, search, is_open=situation.is_open)
        return _cancelled(act, message, previous, search, situation)
    if act.cancelled and act.wish.action in _OF_OFFERS:
        alone = replace(act, cancelled=None)
        understood = with_act(alone, message, previous, search, situation)
        return _cancelled_next(act.cancelled, understood, previous, situation)
    if previous is None or not previous.wanted:
        if act.wish.shown:
            return replace(search(act.rest), relation="new", agents=(), booking=act.wish)
        beside = search(act.rest)
        return _with_wish(search(message), act) if act.wish.kind or beside.agents else beside
    return _booked(act, message, previous, search)


def after_a_stop(
    act: BookingAct,
    known: Understanding | None,
    searched: Understanding | None,
    earlier: Sequence[Understanding],
) -> tuple[BookingAct, Understanding | None, Understanding | None]:
    """Return the act, and the request, also as it is `searched` by, as one whose offers are at hand.

    Where its search was stopped, "book the second Lisbon flight" is of an `earlier` request, and starts no
    search to Rome again.
    """
    if not known or not searched or known.relation != "stop" or not known.wanted:
        return act, known, searched
    if act.wish.action not in _OF_OFFERS:
        return act, known, searched
    name = act.wish.name
    is_earlier = any(_goes_to(name, one) for one in earlier) and not _goes_to(name, known)
    wish = replace(act.wish, is_earlier=True) if is_earlier else act.wish
    return replace(act, wish=wish), replace(known, relation="refine"), replace(searched, relation="refine")


def _goes_to(name: str | None, request: Understanding) -> bool:
    places = (request.flight.destination, request.hotel.city, request.car.city)
    return name is not None and fold(name) in {fold(place.city.name) for place in places if place}


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
    kinds: set[Agent] = {each.kind for each in wish.offers if each.kind} or {*previous.agents}
    if not kinds <= {*understood.wanted}:
        return understood
    return replace(understood, agents=_in_order({*understood.agents, *kinds}), booking=wish)


def not_booked(question: FoundQuestion, previous: Understanding) -> Understanding | None:
    """Return the question about others than the offer that is asked about, which is booked no more.

    None where none is: who is asked whether to cancel a booking means no offers.
    """
    wish = previous.booking
    if wish is None or wish.action not in _OF_OFFERS:
        return None
    kinds: tuple[Agent, ...] = tuple(kind for kind in KINDS if kind in {one.kind for one in wish.offers})
    question = replace(
        question, agent=question.agent or (wish.kind if wish.kind in previous.wanted else None)
    )
    return replace(repeated(previous, kinds), booking=None, question=question)


def on_condition(wished: Understanding, previous: Understanding, wish: BookingWish) -> Understanding | None:
    """Return the question whether an offer is within the limits that are `wished`; None if other things are.

    Only the question holds them: the request stays without, whatever its user then decides. What is no limit
    is told as not used.
    """
    before, now, left = held_in(previous), held_in(wished), left_as_it_is(previous)
    changed = {slot for slot in now.filled | before.filled if now.value(slot) != before.value(slot)}
    if not wished.agents or wished.relation not in ("refine", "answer", "add"):
        return None
    if not changed:
        return replace(left, refused=wished.refused)
    of_wish = {each.kind for each in wish.offers} - {None} or {*previous.wanted}
    for kind in KINDS:
        slots = wished.of(kind)
        if kind in of_wish and changed <= {slot.name for slot, _ in filters(kind, slots)}:
            limited: dict[str, Any] = {kind: slots}
            carried = tuple(slot for slot in left.carried if slot not in changed)
            return replace(left, **limited, carried=carried, question=FoundQuestion(topic="fits", agent=kind))
    return None


def _still_tells(understood: Understanding, previous: Understanding) -> bool:
    """Whether a booking still tells its offer: a number, or one told as it is shown, only among the same."""
    wish = previous.booking
    changed = {agent for agent in SLOTS if understood.of(agent) != previous.of(agent)}
    if wish is None or not (changed or set(understood.wanted) - set(previous.wanted)):
        return False  # whoever wants the same searched again has not said yes: "show me others"
    if (wish.number or wish.is_earlier or wish.which) and changed:
        return False
    if isinstance(wish.shown, ShownRental):
        return "car" not in changed
    return not (wish.shown and ("hotel" if isinstance(wish.shown, ShownStay) else "flight") in changed)


def _cancelled(
    act: BookingAct, message: str, previous: Understanding | None, search: Search, situation: Situation
) -> Understanding:
    """A booking is cancelled beside whatever is searched for, which goes on.

    "Cancel my flight" and "drop the hotels" are about the request where no booking of these was wished for.
    """
    before = previous.booking if previous else None
    wished = wished_in(situation.earlier, previous)
    kind = act.wish.kind
    kinds = [each.kind for each in before.offers] if before else []
    is_just_wished = bool(kinds) and (kind is None or kind in kinds)
    is_of_request = act.is_of_request and not is_just_wished and not (kind in wished if kind else wished)
    is_searched = previous and (kind is None or kind in previous.wanted)
    if is_of_request and previous and (is_searched or (act.is_dropped and previous.wanted)):
        return search(message)
    understood = search(act.rest)
    if is_just_wished and situation.deciding and not act.wish.reference:
        return replace(understood, relation="stop", agents=())
    wish = replace(act.wish, kind=kind or kinds[0]) if len(kinds) == 1 else act.wish
    if understood.agents:
        return replace(understood, booking=wish)
    relation = "add" if previous and previous.wanted else "new"
    return replace(understood, relation=relation, booking=wish)


def _cancelled_next(
    wish: BookingWish, understood: Understanding, previous: Understanding | None, situation: Situation
) -> Understanding:
    """The same with a booking cancelled in the place of what is booked; one not made yet is just not made.

    What is booked stays until there is something in its place: it may not be sold as it is wanted.
    """
    booked, before = understood.booking, previous.booking if previous else None
    wished = wished_in(situation.earlier, previous)
    if booked is None or situation.is_open or not (wished or wish.reference or wish.name):
        return understood
    is_latest = wish.is_latest and before is not None and before.action in _OF_OFFERS
    one = next(iter(wished)) if len(wished) == 1 else None
    kind = None if is_latest or wish.name else wish.kind or (booked.kind if booked.kind in wished else one)
    then = replace(wish, kind=kind, is_latest=is_latest or None)
    for each in reversed(booked.in_turn):
        then = replace(each, then=then)
    return replace(understood, booking=then)


def wished_in(earlier: Sequence[Understanding], previous: Understanding | None) -> frozenset[Bookable]:
    """Return the kinds of which a booking was wished for in these requests."""
    kinds: set[Bookable] = set()
    for request in (*earlier, *((previous,) if previous else ())):
        wish = request.booking
        for each in wish.offers if wish else ():
            kinds.update((each.kind,) if each.kind else _searched(request))
    return frozenset(kinds)


def is_just_booked(previous: Understanding | None) -> bool:
    """Return whether a request wished for a booking itself."""
    return previous is not None and previous.booking is not None and previous.booking.action in _OF_OFFERS


def _searched(request: Understanding) -> tuple[Bookable, ...]:
    return tuple(kind for kind in KINDS if kind in request.wanted)


def _cancelled_last(
    act: BookingAct, message: str, previous: Understanding | None, search: Search, *, is_open: bool
) -> Understanding:
    """ "Cancel it": what the request before has booked, if it was to book; a search otherwise.

    What else is wished is searched for beside it: "cancel that and find one for next week".
    """
    before = previous.booking if previous and previous.relation != "stop" else None
    if before is None or is_open or before.action not in (*_OF_OFFERS, "cancel"):
        return search(message)
    kind = None if before.then else before.kind
    understood = search(message if act.has_reason else act.rest)
    if act.has_reason and understood.agents:
        return understood  # "cancel it, make it Rome" changes what is searched for
    relation = understood.relation if understood.agents else "add"
    return replace(understood, relation=relation, booking=replace(act.wish, kind=kind))


def _booked(act: BookingAct, message: str, previous: Understanding, search: Search) -> Understanding:
    """An offer is booked or held while a request is known."""
    act = _of_each(act, previous)
    kind = act.wish.kind
    is_found = kind is not None and kind in previous.searched
    is_choice = any(not one.taken for one in previous.alternatives)
    is_proposed = any(one.is_proposed for one in previous.alternatives)
    if (act.is_bare and not is_found) or (act.is_loose and is_choice) or (act.wish.pick and is_proposed):
        return search(message)
    if (act.wish.shown or act.wish.is_earlier) and kind and kind not in previous.wanted:
        # An offer of an earlier request: what is searched for now stays as it is.
        return replace(repeated(previous, previous.searched or previous.wanted), booking=act.wish)
    understood = search(act.rest_by_name if kind and kind not in previous.wanted else act.rest)
    is_same = held_in(understood).by_agent == held_in(previous).by_agent
    says_more = understood.agents and not (is_same and understood.relation in ("answer", "other"))
    if understood.relation == "new" and says_more:
        return _with_wish(understood, act)
    then = _then(act.also_wish, previous.wanted)
    about: tuple[Agent, ...] = (kind,) if kind else _spoken_of(previous)
    if says_more and not kind:  # "just the hotel, book the cheapest" books no flight
        about = tuple(agent for agent in about if agent in understood.wanted) or about
    wish = replace(act.wish, kind=about[0] if len(about) == 1 else None, then=then)
    if then is not None:
        about = _in_order({*about, *(each.kind for each in then.in_turn if each.kind)})
    if not says_more:
        understood = repeated(previous, about)
    agents = _in_order({*understood.agents, *about}) if says_more else understood.agents
    told = (*understood.refused, *_refused(act, then), *(() if says_more else act.beside))
    return replace(understood, agents=agents, booking=wish, refused=told)


def _of_each(act: BookingAct, previous: Understanding) -> BookingAct:
    """The act on one of each that the request wants, where that is not a flight and a hotel: "book both"."""
    kinds: list[Bookable] = [kind for kind in KINDS if kind in previous.wanted]
    if not act.is_of_all or kinds == ["flight", "hotel"]:
        return act
    wish: BookingWish | None = None
    for kind in reversed(kinds):
        action = act.wish.action if kind == "flight" else "book"
        wish = replace(act.wish, kind=kind, action=action, then=wish)
    return replace(act, wish=replace(wish, then=None), also_wish=wish.then) if wish else act


def _then(wish: BookingWish | None, agents: Collection[Agent]) -> BookingWish | None:
    """What is wanted after the first, as far as it is of these agents."""
    if wish is None:
        return None
    rest = _then(wish.then, agents)
    return replace(wish, then=rest) if wish.kind in agents else rest


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
    then = _then(act.also_wish, understood.agents)
    told = (*understood.refused, *_refused(act, then))
    return replace(understood, booking=replace(act.wish, kind=kind, then=then), refused=told)


def _refused(act: BookingAct, then: BookingWish | None) -> tuple[Refused, ...]:
    unread = (Refused(said=act.unread, reason="not_searched_by"),) if act.unread else ()
    is_left_out = act.also and then is None
    also = (Refused(said=act.also, reason="one_booking_at_a_time"),) if is_left_out else ()
    return (*unread, *also, *act.conditions)


def _in_order(agents: Collection[Agent]) -> tuple[Agent, ...]:
    return tuple(agent for agent in _AGENTS if agent in agents)


def may_choose(chosen: FoundQuestion, previous: Understanding | None) -> bool:
    """Return whether "the first one" is an offer: no place to choose from, and nothing that is asked.

    "The other one" and "the later one" are the other reading that was told, unless offers were told since.
    """
    if previous is None or previous.missing:
        return False
    if any(not one.taken for one in previous.alternatives):
        return False
    is_compared = chosen.which.is_other or chosen.which.is_of_two
    return not (is_compared and previous.alternatives and previous.question is None)


def with_choice(
    act: BookingAct | None, chosen: FoundQuestion | None, asked_about: Understanding | None
) -> BookingAct | None:
    """Return the act on the offer that its own words do not tell, or the same act.

    While the user is `asked_about` another offer, the one that is chosen is meant instead.
    """
    if chosen is None or chosen.topic != "chosen":
        return act
    if not (_is_only_shown(chosen.which) or (act and chosen.which.by)):
        return act
    open_wish = asked_about.booking if asked_about else None
    if act is None and chosen.wanted == "book":
        act = BookingAct(wish=BookingWish(action="book", kind=chosen.agent), rest="", rest_by_name="")
    elif act is None and open_wish is not None and open_wish.action in _OF_OFFERS:
        act = BookingAct(
            wish=BookingWish(action=open_wish.action, kind=open_wish.kind), rest="", rest_by_name=""
        )
    if act is None or act.wish.action not in _OF_OFFERS:
        return act
    wish = act.wish
    if wish.number or wish.shown or wish.is_earlier or wish.reference or (wish.pick and not act.unread):
        return act
    told = replace(wish, pick=None, name=None, which=chosen.which, kind=chosen.agent or wish.kind)
    return replace(act, wish=told, rest="", rest_by_name="", unread="", beside=())


def _is_only_shown(which: Which) -> bool:
    """Whether an offer is told in a way that wishes for a booking have no words for."""
    is_first = which.by not in (None, "price")
    is_one_of_them = which.is_of_two or which.is_other or which.is_last or which.is_next
    is_special = which.hours or which.is_nonstop or is_one_of_them
    return bool(is_special or is_first) and not which.numbers
