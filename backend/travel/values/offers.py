"""Offers in their JSON form: what they tell, the orders in which they can be shown, what narrows them. Pure.

Offers of earlier versions and of other providers may lack any fact but their id and their kind, or tell None.
Readers are strict, and `told` makes None of what they cannot read:

    fact({"stars": 4}, "score")                        # raises `Untold`
    told(lambda hotel: fact(hotel, "score"), offer)    # None

Prices of two currencies cannot be compared, for nobody tells a rate: by price, the offers of each currency
stand together, the currencies by their codes, as on the page.

A filter is the same for an offer that has just arrived and for one that an earlier task has left. A journey
there and back is one offer of two directions: a limit on stops, minutes or waits holds for each.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from operator import itemgetter
from typing import Any, Generic, Literal, Protocol, TypeVar

from .travel import HOME_CURRENCY, Money

# --- facts ---------------------------------------------------------------------------------------------


V = TypeVar("V")

Offer = Mapping[str, Any]

UNTOLD = (LookupError, TypeError, ValueError, ArithmeticError)
"""What a strict reader raises for an offer that lacks a fact, or tells it in a form that nobody knows."""


class Untold(LookupError):
    """An offer lacks a fact."""


def fact(told_of: Mapping[str, Any], name: str) -> Any:
    """Return a fact of an offer, a direction or a flight. Raises `Untold` if it is left out or None."""
    value = told_of.get(name)
    if value is None:
        raise Untold(name)
    return value


def free_until(offer: Mapping[str, Any]) -> str | None:
    """Return the last day on which a stay or a car is cancelled free of charge, None where none is.

    Raises `Untold` where a seller does not tell that.
    """
    until, terms = offer["free_cancellation_until"], offer.get("terms")
    if until is None and terms and not terms.get("cancelling") and terms.get("refundable") is not False:
        raise Untold("free_cancellation_until")
    return until


def amount(money: Mapping[str, Any]) -> Decimal:
    """Return the amount of a price. Raises one of `UNTOLD` for what no price can be: NaN, or less than 0.

    NaN would otherwise fail every comparison, and with it the reply to all that was found beside it.
    """
    value = Decimal(money["amount"])
    if not value.is_finite() or value < 0:
        raise Untold("amount")
    return value


def told(reader: Callable[[Offer], V], offer: Offer) -> V | None:
    """Return what a strict reader makes of an offer, None where that lacks a fact. Never raises."""
    try:
        return reader(offer)
    except UNTOLD:
        return None


def ways(flight: Offer) -> Sequence[Mapping[str, Any]]:
    """Return the directions of a journey. Raises `Untold` unless each tells its flights."""
    directions: Sequence[Mapping[str, Any]] = fact(flight, "slices")
    if not directions or not all(way.get("segments") for way in directions):
        raise Untold("segments")
    return directions


def to_the_minute(moment: str) -> str:
    """Return the day and time of a moment by the clock of its airport, as "2026-12-10T09:05"."""
    return moment[:16]


def clock(moment: str) -> str:
    """Return the time of a moment by the clock of its airport, as "09:05"."""
    return moment[11:16]


_LONGEST_NAME = 120


def on_one_line(name: str) -> str:
    """Return foreign text without line breaks and invisible characters, cut to the length of a name.

    A provider's name must not be able to add a line of its own to a reply or to the facts of a permission.
    """
    plain = "".join(letter if letter.isprintable() else " " for letter in name)
    plain = " ".join(plain.split())
    return plain if len(plain) <= _LONGEST_NAME else f"{plain[: _LONGEST_NAME - 1]}…"


# --- orders --------------------------------------------------------------------------------------------


By = Literal[
    "price", "duration", "departure", "arrival", "stops", "layover", "stars", "score", "distance", "best",
    "size",
]  # fmt: skip

_MINUTE_COSTS = Decimal("0.45")
_STOP_COSTS = Decimal(60)


def in_order(offers: Sequence[Offer], by: By, *, descending: bool = False) -> list[Offer]:
    """Return the offers in an order; those alike, and those that lack the fact, from the cheapest on."""
    cheapest_first = [(value(offer, by), offer) for offer in sorted(offers, key=_cost)]
    known = [each for each in cheapest_first if each[0] is not None]
    # Sorting is stable both ways, so those alike stay in the order of their prices.
    known.sort(key=itemgetter(0), reverse=descending)
    return [offer for _, offer in (*known, *(each for each in cheapest_first if each[0] is None))]


def has(offer: Offer, by: By) -> bool:
    """Return whether an offer tells the fact of an order: hotels have no speed, flights no stars."""
    return value(offer, by) is not None


def value(offer: Offer, by: By) -> Any:
    """Return what an order compares; None if the offer does not tell it."""
    return told(_KEYS[by], offer)


def price(offer: Offer) -> Decimal:
    """Return the price in all. Raises one of `UNTOLD` if the offer does not tell it."""
    return amount(fact(offer, "price_total"))


def currency(offer: Offer) -> str:
    """Return the currency of the price in all. Raises one of `UNTOLD` if the offer does not tell both."""
    price(offer)
    return str(fact(fact(offer, "price_total"), "currency"))


def currencies(offers: Sequence[Offer]) -> list[str]:
    """Return the currencies that offers are priced in, in the order in which prices are shown."""
    return sorted({code for offer in offers if (code := told(currency, offer)) is not None})


def cheapest(offers: Sequence[Offer]) -> Offer:
    """Return the first offer by price, one that tells none last. Raises `ValueError` for none.

    Of several currencies it is the cheapest of the first: whoever calls it "the cheapest" tells that.
    """
    return min(offers, key=_cost)


def lowest_price(offers: Sequence[Offer]) -> Any:
    """Return the lowest price in all; None where none is told, or they are of several currencies."""
    return cheapest(offers)["price_total"] if len(currencies(offers)) == 1 else None


def cheapest_of_each_currency(offers: Sequence[Offer]) -> list[Offer]:
    """Return the cheapest offer of each currency; the first where none tells a price, none of none."""
    in_each = [[each for each in offers if told(currency, each) == code] for code in currencies(offers)]
    return [cheapest(some) for some in in_each] or [*offers[:1]]


def is_compared_by_price(offer: Offer, by: By) -> bool:
    """Return whether an order sets this kind of offer against others by what they cost."""
    return by == "price" or (by == "best" and ("slices" in offer or "pick_up" in offer))


def _price_in_currency(offer: Offer) -> tuple[str, Decimal]:
    """What prices are sorted by. Raises one of `UNTOLD`."""
    return told(currency, offer) or "", price(offer)


def _cost(offer: Offer) -> tuple[bool, str, Decimal]:
    """The same for any offer: one that tells no price comes last."""
    cost = told(_price_in_currency, offer)
    return (True, "", Decimal(0)) if cost is None else (False, *cost)


def minutes(flight: Offer) -> int:
    """Return the minutes on the way, there and back. Raises one of `UNTOLD` if they are not told."""
    return sum(fact(direction, "duration_minutes") for direction in ways(flight))


def stops(flight: Offer) -> int:
    """Return the stops of all directions. Raises `Untold` if its flights are not told."""
    return sum(len(direction["segments"]) - 1 for direction in ways(flight))


def layovers(direction: Offer) -> list[tuple[str, int]]:
    """Return where a direction stops, as airport codes, and for how many minutes.

    Raises one of `UNTOLD` if that is not told.
    """
    flights = fact(direction, "segments")
    return [
        (fact(landed, "destination"), _minutes_between(landed["arrives_at"], leaves["departs_at"]))
        for landed, leaves in pairwise(flights)
    ]


def _minutes_between(start: str, end: str) -> int:
    return round((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / 60)


def _waiting(flight: Offer) -> int:
    return sum(minutes for direction in ways(flight) for _, minutes in layovers(direction))


def _best(offer: Offer) -> Any:
    """A flight is the better the less money, minutes and changes it costs; a hotel, the higher its score.

    Nobody rates rental cars: the best one costs the least.
    """
    if "pick_up" in offer:
        return _price_in_currency(offer)
    if "slices" not in offer:
        return -Decimal(str(fact(offer, "score"))), _cost(offer)
    people = max(1, int(fact(offer, "passengers")))
    cost = price(offer) / people + _MINUTE_COSTS * minutes(offer) + _STOP_COSTS * stops(offer)
    return told(currency, offer) or "", cost, price(offer)


# Times are compared by the clock of their airport, which is what people mean by "early".
_KEYS: Mapping[By, Callable[[Offer], Any]] = {
    "price": _price_in_currency,
    "duration": minutes,
    "departure": lambda flight: to_the_minute(fact(ways(flight)[0]["segments"][0], "departs_at")),
    "arrival": lambda flight: to_the_minute(fact(ways(flight)[0]["segments"][-1], "arrives_at")),
    "stops": stops,
    "layover": _waiting,
    "stars": lambda hotel: fact(hotel, "stars"),
    "score": lambda hotel: fact(hotel, "score"),
    "distance": lambda hotel: fact(hotel, "distance_km"),
    "best": _best,
    "size": lambda car: (fact(car, "seats"), fact(car, "bags")),
}


# --- limits --------------------------------------------------------------------------------------------


C = TypeVar("C", int, float, time)


@dataclass(frozen=True, slots=True)
class Filter(Generic[V]):
    """A limit on offers.

    `is_within(offer, limit)` tells whether an offer is within the limit; it may fail where the offer lacks
    the fact. `narrows(limit, other)` tells whether a search with the limit `other`, or with none, finds all
    that fits `limit`.
    """

    is_within: Callable[[Offer, V], bool]
    narrows: Callable[[V, V | None], bool]

    def fits(self, offer: Offer, limit: V) -> bool:
        """Return whether an offer is within the limit. Never raises.

        What an offer does not tell is unknown, and what is unknown does not fit: whoever wants a bag, or no
        Pogo flight, is not served by an offer that may be otherwise. Offers of earlier versions and of other
        providers may lack any fact.
        """
        try:
            return self.is_within(offer, limit)
        except UNTOLD:
            return False


def at_most(value: Callable[[Offer], C]) -> Filter[C]:
    """Return the limit that a fact is not above."""
    return Filter(
        lambda offer, limit: value(offer) <= limit, lambda limit, other: other is None or limit <= other
    )


def at_least(value: Callable[[Offer], C]) -> Filter[C]:
    """Return the limit that a fact is not below."""
    # At least none is no limit, also where an offer does not tell ("hand luggage only").
    return Filter(
        lambda offer, limit: limit == 0 or value(offer) >= limit,
        lambda limit, other: other is None or limit >= other,
    )


def is_of(field: str) -> Filter[str]:
    """Return the limit to offers of one kind."""
    return Filter(lambda offer, kind: offer[field] == kind, lambda kind, other: other in (None, kind))


def leaves_out(has_one: Callable[[Offer, Sequence[Any]], bool]) -> Filter[Any]:
    """Return the limit that leaves out what has one of several; the more there are, the narrower."""
    return Filter(
        lambda offer, unwanted: not has_one(offer, unwanted),
        lambda limit, other: other is None or set(other) <= set(limit),
    )


def only_if(is_so: Callable[[Offer], bool]) -> Filter[bool]:
    """Return the limit to offers that are so, where that is wanted."""
    return Filter(lambda offer, wanted: not wanted or is_so(offer), lambda limit, other: not other or limit)


def costs_at_most(price: str) -> Filter[Money]:
    """Return the limit on one of an offer's prices, by its field.

    A price in another currency cannot be compared: it is kept, for the user to judge.
    """

    def fits(offer: Offer, limit: Money) -> bool:
        money = offer[price]
        return money["currency"] != limit.currency or Decimal(money["amount"]) <= limit.amount

    def narrows(limit: Money, other: Money | None) -> bool:
        # Prices are in the currency of the limit that was asked with, and an amount says nothing in another.
        if other is None:
            return limit.currency == HOME_CURRENCY
        return limit.currency == other.currency and limit.amount <= other.amount

    return Filter(fits, narrows)


def plain(name: str) -> str:
    """Return a name without accents and case."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold().strip()


PRICE_IN_ALL = costs_at_most("price_total")
CANCELLED_FREE = only_if(lambda offer: offer["free_cancellation_until"] is not None)


# --- flights -------------------------------------------------------------------------------------------


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


# --- hotels --------------------------------------------------------------------------------------------


AMENITIES: Mapping[str, str] = {
    **{
        name: name
        for name in ("wifi", "breakfast", "pool", "parking", "gym", "spa", "kitchen", "restaurant", "bar")
    },
    "air_conditioning": "air conditioning",
    "pets": "pets allowed",
    "step_free": "step-free access",
}
"""Amenities as requests name them, with their names in offers."""


def _distance(offer: Offer) -> float:
    return offer["distance_km"]


def choices_in(name: str) -> Sequence[str]:
    """Return the names of which one will do: those of "pool or gym"; of any other it alone."""
    return name.split(" or ")


def _has_all(offer: Offer, amenities: Sequence[str]) -> bool:
    return all(any(_has(offer, one) for one in choices_in(name)) for name in amenities)


def _has(offer: Offer, amenity: str) -> bool:
    return AMENITIES.get(amenity, amenity) in offer["amenities"]


def _is_called(offer: Offer, name: str) -> bool:
    """Whether all words of a name are in that of a hotel, but for the article and the kind of house.

    Of "Marriott or Hilton" either will do.
    """
    told = set(plain(offer["name"]).split())
    names = (set(plain(one).split()) for one in name.split(" or "))
    return any((words - {"the", "hotel"} or words) <= told for words in names)


def _stars(offer: Offer) -> int:
    return offer["stars"]


def _score(offer: Offer) -> float:
    return offer["score"]


PRICE_OF_A_NIGHT = costs_at_most("price_per_night")
AT_LEAST_STARS = at_least(_stars)
AT_LEAST_SCORE = at_least(_score)
IN_DISTRICT: Filter[str] = Filter(
    lambda offer, district: plain(offer["district"]) == plain(district),
    lambda district, other: other is None or plain(district) == plain(other),
)
NOT_IN_DISTRICTS: Filter[Sequence[str]] = leaves_out(
    lambda offer, districts: plain(offer["district"]) in map(plain, districts)
)
WITHIN_KILOMETRES = at_most(_distance)
HAS_AMENITIES: Filter[Sequence[str]] = Filter(
    _has_all, lambda limit, other: other is None or set(other) <= set(limit)
)
CALLED: Filter[str] = Filter(_is_called, lambda name, other: other is None or plain(name) == plain(other))
NOT_CALLED: Filter[Sequence[str]] = leaves_out(
    lambda offer, names: any(_is_called(offer, name) for name in names)
)

HOTEL_LIMITS: Mapping[str, Filter[Any]] = {
    "district": IN_DISTRICT,
    "stars": AT_LEAST_STARS,
    "max_price": PRICE_OF_A_NIGHT,
    "max_total": PRICE_IN_ALL,
    "name": CALLED,
    "not_names": NOT_CALLED,
    "min_score": AT_LEAST_SCORE,
    "amenities": HAS_AMENITIES,
    "not_districts": NOT_IN_DISTRICTS,
    "max_km": WITHIN_KILOMETRES,
    "free_cancellation": CANCELLED_FREE,
}
"""The limits of a `HotelQuery` by its fields."""


# --- cars ----------------------------------------------------------------------------------------------


PRICE_OF_A_DAY = costs_at_most("price_per_day")
OF_CLASS = is_of("car_class")
WITH_TRANSMISSION = is_of("transmission")
AT_STATION = is_of("station")
AT_LEAST_SEATS: Filter[int] = at_least(lambda car: car["seats"])
