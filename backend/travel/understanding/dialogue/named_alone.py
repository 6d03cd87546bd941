"""What is only named means by what is known: a place may be the start, an airline one more."""

from dataclasses import replace

from ..message import Act, Message
from ..result import Agent
from .slots import Slots


def with_further_airlines(spoken: Slots, message: Message, known: Slots) -> Slots:
    """The same with the airlines wanted before, where those of a message come beside them."""
    wanted = known.flight.airlines
    allowed = (name.partition(":") for name in message.removed)
    added = spoken.flight.airlines if message.also_airlines else ()
    added += tuple(one for slot, _, one in allowed if slot == "flight.not_airlines" and one)
    if not wanted or not added:
        return spoken
    names = tuple(dict.fromkeys((*wanted, *added)))
    return spoken.changed("flight", airline=known.flight.airline, airlines=names)


def narrowed(spoken: Slots, message: Message, known: Slots) -> Slots:
    """A place that is only named tells of the start if it is there, or instead: "JFK only", "not Oslo"."""
    named, start = spoken.flight.destination, known.flight.origin
    is_only_named = any(part.named == named for part in message.parts) and spoken.flight.origin is None
    if not (named and start and is_only_named):
        return spoken
    is_instead = any(place.city == start.city for place in message.not_wanted)
    if named.city != start.city and not is_instead:
        return spoken
    is_of_stay = is_instead and spoken.hotel.city == named and known.hotel.city is not None
    stay = replace(spoken.hotel, city=None) if is_of_stay else spoken.hotel
    return replace(spoken, flight=replace(spoken.flight, origin=named, destination=None), hotel=stay)


def started(spoken: Slots, message: Message, known: Slots, running: tuple[Agent, ...]) -> Slots:
    """A place that is only named where a flight joins a stay, whose city is known: it starts there."""
    named, stay = spoken.flight.destination, known.hotel.city
    joins = "flight" in message.agents and running == ("hotel",) and Act.CHANGE not in message.acts
    is_only_named = any(part.named == named for part in message.parts) and spoken.flight.origin is None
    if not (joins and named and stay and is_only_named and named.city != stay.city):
        return spoken
    return replace(spoken, flight=replace(spoken.flight, origin=named, destination=None))
