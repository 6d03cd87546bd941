"""What narrows flights: hours, stops, layovers, airlines, airports on the way, luggage, conditions, prices.

A journey there and back is one offer of two directions: a limit on stops, minutes or waits holds for each.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from itertools import pairwise
from typing import Any, Protocol

from .filters import PRICE_IN_ALL, Filter, at_least, at_most, costs_at_most, leaves_out, only_if, plain
from .offer_facts import Offer, clock, ways


class WithAirports(Protocol):
    """A place that has airports, by their codes."""

    @property
    def airports(self) -> Sequence[str]:
        """IATA codes."""
        ...


_MINUTE = timedelta(minutes=1)
_CARRIERS_END = (" demo", " airlines", " airways", " air lines", " airline")


def _stops(offer: Offer) -> int:
    """The stops of the direction that has most of them."""
    return max(len(direction["segments"]) - 1 for direction in ways(offer))


def _clock(moment: str) -> time:
    return time.fromisoformat(clock(moment))


def _leaves(offer: Offer) -> time:
    return _clock(ways(offer)[0]["segments"][0]["departs_at"])


def _arrives(offer: Offer) -> time:
    return _clock(ways(offer)[0]["segments"][-1]["arrives_at"])


_IN_THE_AFTERNOON = time(15)


def _arrives_by(offer: Offer, limit: time) -> bool:
    """Whether a journey arrives by an hour of the day of its arrival that is meant.

    That is the day on which one arrives who leaves in the afternoon and waits nowhere: the same day from
    Berlin to Rome, the next one to Tokyo. A night's wait on the way is not what "before 10" asks for.
    """
    flights = ways(offer)[0]["segments"]
    times = [
        (datetime.fromisoformat(each["departs_at"]), datetime.fromisoformat(each["arrives_at"]))
        for each in flights
    ]
    in_the_air = sum((arrives - departs for departs, arrives in times), timedelta())
    leaves, arrives = times[0][0], times[-1][1]
    afternoon = datetime.combine(leaves, _IN_THE_AFTERNOON, leaves.tzinfo)
    day = (afternoon + in_the_air).astimezone(arrives.tzinfo).date()
    return arrives.date() <= day and _arrives(offer) <= limit


def _flies_back(offer: Offer) -> time | None:
    directions = ways(offer)
    return _clock(directions[1]["segments"][0]["departs_at"]) if len(directions) > 1 else None


def _minutes(offer: Offer) -> int:
    """The minutes of the direction that takes longest."""
    return max(direction["duration_minutes"] for direction in ways(offer))


def _layover(offer: Offer) -> int:
    """The minutes of the longest wait between two flights, 0 without one."""
    waits = (
        datetime.fromisoformat(onward["departs_at"]) - datetime.fromisoformat(first["arrives_at"])
        for direction in ways(offer)
        for first, onward in pairwise(direction["segments"])
    )
    return max((wait // _MINUTE for wait in waits), default=0)


def _flights(offer: Offer) -> Iterator[Mapping[str, Any]]:
    return (flight for direction in ways(offer) for flight in direction["segments"])


def _changes_at(offer: Offer) -> set[str]:
    """The airports between the flights of a direction."""
    return {
        airport
        for direction in ways(offer)
        for first, onward in pairwise(direction["segments"])
        for airport in (first["destination"], onward["origin"])
    }


def _bags(offer: Offer) -> int:
    return offer["checked_bags"]


def _is_of(flight: Mapping[str, Any], airlines: Sequence[str]) -> bool:
    """Whether one of the airlines flies it, by name or by code."""
    called = {_airline(flight["carrier_name"]), plain(flight["carrier"])}
    return any(_airline(name) in called for name in airlines)


def _airline(name: str) -> str:
    """An airline's name as it is compared: "British Airways" is "british"."""
    folded = plain(name)
    end = next((end for end in _CARRIERS_END if folded.endswith(end)), "")
    return folded.removesuffix(end)


def _passes(offer: Offer, places: Sequence[WithAirports]) -> bool:
    return any(not _changes_at(offer).isdisjoint(place.airports) for place in places)


def _uses(offer: Offer, places: Sequence[WithAirports]) -> bool:
    """Whether a journey changes planes in one of the places, or begins or ends at one that is an airport."""
    ends = {
        airport
        for direction in ways(offer)
        for airport in (direction["segments"][0]["origin"], direction["segments"][-1]["destination"])
    }
    return _passes(offer, places) or any(
        len(place.airports) == 1 and place.airports[0] in ends for place in places
    )


def _back(is_within: Callable[[time, time], bool]) -> Filter[time]:
    """A limit on the hour of the way back; a journey without one is within any."""

    def fits(offer: Offer, limit: time) -> bool:
        leaves = _flies_back(offer)
        return leaves is None or is_within(leaves, limit)

    return Filter(fits, lambda limit, other: other is None or is_within(limit, other))


AT_MOST_STOPS = at_most(_stops)
LEAVES_FROM = at_least(_leaves)
LEAVES_BY = at_most(_leaves)
ARRIVES_FROM = at_least(_arrives)
ARRIVES_BY: Filter[time] = Filter(_arrives_by, lambda limit, other: other is None or limit <= other)
FLIES_BACK_FROM = _back(lambda leaves, limit: leaves >= limit)
FLIES_BACK_BY = _back(lambda leaves, limit: leaves <= limit)
TAKES_AT_MOST = at_most(_minutes)
WAITS_AT_MOST = at_most(_layover)
AT_LEAST_BAGS = at_least(_bags)
REFUNDABLE = only_if(lambda offer: offer["refundable"])
CHANGEABLE = only_if(lambda offer: offer["changeable"])
BY_AIRLINES: Filter[Sequence[str]] = Filter(
    lambda offer, airlines: all(_is_of(flight, airlines) for flight in _flights(offer)),
    lambda limit, other: other is None or set(limit) <= set(other),
)
NOT_BY_AIRLINES: Filter[Sequence[str]] = leaves_out(
    lambda offer, airlines: any(_is_of(flight, airlines) for flight in _flights(offer))
)
VIA: Filter[Sequence[WithAirports]] = Filter(
    _passes, lambda limit, other: other is None or set(limit) <= set(other)
)
AVOIDS: Filter[Sequence[WithAirports]] = leaves_out(_uses)
PRICE_OF_A_PERSON = costs_at_most("price_per_person")

FLIGHT_LIMITS: Mapping[str, Filter[Any]] = {
    "max_stops": AT_MOST_STOPS,
    "max_price": PRICE_OF_A_PERSON,
    "max_total": PRICE_IN_ALL,
    "airlines": BY_AIRLINES,
    "not_airlines": NOT_BY_AIRLINES,
    "departs_after": LEAVES_FROM,
    "departs_before": LEAVES_BY,
    "arrives_after": ARRIVES_FROM,
    "arrives_before": ARRIVES_BY,
    "returns_after": FLIES_BACK_FROM,
    "returns_before": FLIES_BACK_BY,
    "max_minutes": TAKES_AT_MOST,
    "max_layover": WAITS_AT_MOST,
    "via": VIA,
    "avoided": AVOIDS,
    "bags": AT_LEAST_BAGS,
    "refundable": REFUNDABLE,
    "changeable": CHANGEABLE,
}
"""The limits of a `FlightQuery` by its fields."""
