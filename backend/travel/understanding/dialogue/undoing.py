"""What a message takes back: the last change, a value that was changed, or everything."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..message import Act, Facts, Message, Part
from ..result import Agent, Place, Understanding
from ..slot_table import ROWS
from .slots import held_in

_OF_DAYS = ("flight.departure_date", "flight.return_date", "hotel.check_in", "hotel.check_out")
_OF_GOALS = ("flight.destination", "hotel.city")
_OF_STARTS = ("flight.origin",)
_OF_PEOPLE = ("flight.passengers", "hotel.guests")
_OF_HOURS = (
    "flight.departs_after", "flight.departs_before", "flight.arrives_after", "flight.arrives_before",
    "flight.returns_after", "flight.returns_before",
)  # fmt: skip
_OF_PRICES = ("flight.max_price", "flight.max_total", "hotel.max_price", "hotel.max_total", "car.max_price")
_KINDS = {
    "day": _OF_DAYS,
    "place": _OF_GOALS,
    "start": _OF_STARTS,
    "people": _OF_PEOPLE,
    "max_price": _OF_PRICES,
    "departs_after": _OF_HOURS,
    "stars": ("hotel.stars",),
    "airline": ("flight.airline", "flight.airlines"),
}


_FACTS = _KINDS.keys() - {"day", "place", "start"}


def before_the_change(
    history: Sequence[int],
    requests: Sequence[Understanding],
    previous: Understanding | None,
    *,
    unfinished: bool,
) -> int | None:
    """Return which of the requests was there before the last change; None if there is none.

    `history` are their places from the last one on. A repetition is no change, nor is a booking that has been
    made; one that is `unfinished` is the last change.
    """
    if unfinished and previous is not None and previous.booking is not None:
        return next(iter(history), None)
    return next((at for at in history if _differs(requests[at], previous)), None)


def _differs(one: Understanding, other: Understanding | None) -> bool:
    if other is None:
        return True
    return (one.flight, one.hotel, one.car, one.wanted, one.tour) != (
        other.flight,
        other.hotel,
        other.car,
        other.wanted,
        other.tour,
    )


def with_what_was_right(
    message: Message, history: Sequence[Understanding], previous: Understanding | None
) -> Message:
    """Return the message as if it told again what it says was right, which earlier requests held.

    The same message where none of them held it, or the last one holds it still.
    """
    right = message.right
    if right is None or previous is None:
        return message
    names = _KINDS.get(right.what, (*_OF_GOALS, *_OF_STARTS, *_OF_DAYS))
    told: dict[str, Any] = {}
    for name in names:
        held = [value for one in history if (value := held_in(one).value(name)) is not None]
        value = held_in(previous).value(name)
        others = [each for each in held if not _same(each, value)]
        if not right.is_before:
            others = [each for each in others if _is_told(each, message)]
        if right.is_oldest and held and _same(held[-1], value):
            continue  # the first one holds still
        if others:
            told[name] = others[-1] if right.is_oldest else others[0]
    kept = {name: value for name, value in told.items() if ROWS[name].agent in previous.wanted}
    if not kept:
        return message
    agents: tuple[Agent, ...] = tuple(dict.fromkeys(ROWS[name].agent for name in kept))
    if right.is_beside:
        wished_of = tuple(dict.fromkeys((*message.wished_of, *agents)))
        return replace(
            message,
            slots={**message.slots, **kept},
            wished_of=wished_of,
            acts=(message.acts - {Act.STOP}) | {Act.CHANGE},  # "forget that, keep the first dates" goes on
        )
    # "The 6th was fine, 2 pax": what is right is a day or a place, and the people are told beside it.
    beside = () if right.what in _FACTS else tuple(_facts_alone(message))
    return Message(slots=kept, wished_of=agents, acts=frozenset({Act.CHANGE}), parts=beside)


def _facts_alone(message: Message) -> Iterator[Part]:
    for part in message.parts:
        if part.facts != Facts():
            yield Part(agents=part.agents, facts=part.facts)


def with_new_limit(message: Message, previous: Understanding | None) -> Message:
    """Return the message with its bare amount as the limit of price that is known: "make that 170".

    The same message where it tells none, where none is known, or several of those spoken to last have one.
    """
    is_told = any(part.facts.max_price for part in message.parts)
    if message.amount is None or previous is None or is_told:
        return message
    known = held_in(previous)
    limited = [name for name in _OF_PRICES if known.value(name) is not None]
    of_last = [name for name in limited if ROWS[name].agent in previous.agents]
    names = limited if len(limited) == 1 else of_last
    if len(names) != 1:
        return message
    (name,) = names
    return replace(
        message,
        slots={**message.slots, name: replace(known.value(name), amount=message.amount)},
        wished_of=(ROWS[name].agent,),
        acts=message.acts | {Act.CHANGE},
    )


def _is_told(value: Any, message: Message) -> bool:
    places = [place for part in message.parts for place in (part.named, part.origin, part.destination)]
    days = [day for part in message.parts for day in (part.start, part.end)]
    return any(_same(value, each) for each in (*places, message.goal, *days) if each is not None)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Place) and isinstance(other, Place):
        return one.city == other.city
    return one == other


def from_the_start(previous: Understanding | None) -> Understanding:
    """Return the request of whoever starts over: it holds nothing of the one before."""
    known = held_in(previous).filled if previous else frozenset[str]()
    return replace(Understanding(relation="new"), dropped=tuple(sorted(known)))
