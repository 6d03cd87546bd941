"""The limits of a search, as the demo's sources honour them before they cut their answers to the best.

They are the predicates by which requests narrow what was found (`values/filters.py`), asked over the
form in which offers travel. So a source leaves out just what would not be shown.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from ...values.filters import FLIGHT_LIMITS, HOTEL_LIMITS
from ...values.travel import FlightOffer, FlightQuery, FlightSlice, HotelOffer, HotelQuery
from .flight_offers import conditions, slice_of
from .journeys import Journey
from .store import Inventory

_SLICE, _FLIGHT, _HOTEL = TypeAdapter(FlightSlice), TypeAdapter(FlightOffer), TypeAdapter(HotelOffer)

_EITHER_WAY = ("max_stops", "airlines", "not_airlines", "max_minutes", "max_layover", "avoided")
_THERE = (*_EITHER_WAY, "departs_after", "departs_before", "arrives_after", "arrives_before")
_BACK = (*_EITHER_WAY, "returns_after", "returns_before")
_CONDITIONS = ("bags", "refundable", "changeable")
_HONOURED_ANYHOW = frozenset({"max_stops", "max_price", "district", "stars"})


class FlightLimits:
    """What a query's limits leave: of the journeys of each direction, of their pairs, and of ways to fly."""

    def __init__(self, query: FlightQuery, inventory: Inventory) -> None:
        self._query = query
        self._inventory = inventory
        self._values = limits_of(query)
        self.are_some = bool(self._values.keys() - _HONOURED_ANYHOW)

    @property
    def passes_either_way(self) -> bool:
        """Whether one direction of a return, whichever, has to change planes somewhere."""
        return "via" in self._values and self._query.return_date is not None

    def there(self, journey: Journey) -> bool:
        """Return whether a journey may be the way there."""
        if not self.are_some:
            return True
        bags, refundable, changeable = conditions((journey,), query=self._query, seed=self._inventory.seed)
        form = {
            "slices": [_SLICE.dump_python(slice_of(journey, self._inventory), mode="json")],
            "checked_bags": bags,
            "refundable": refundable,
            "changeable": changeable,
        }
        via = () if self.passes_either_way else ("via",)
        return self._all_fit(form, (*_THERE, *_CONDITIONS, *via))

    def back(self, journey: Journey) -> bool:
        """Return whether a journey may be the way back."""
        if not self.are_some:
            return True
        # The way there decides on bags and refunds, but a low-cost flight on either way has neither.
        if journey.low_cost and any(self._values.get(name) for name in _CONDITIONS):
            return False
        one = _SLICE.dump_python(slice_of(journey, self._inventory), mode="json")
        return self._all_fit({"slices": [one, one]}, _BACK)

    def passes(self, journey: Journey) -> bool:
        """Return whether planes are changed where the query wants it."""
        one = _SLICE.dump_python(slice_of(journey, self._inventory), mode="json")
        return self._all_fit({"slices": [one]}, ["via"])

    def offer(self, offer: FlightOffer) -> bool:
        """Return whether an offer is within all limits."""
        return not self.are_some or self._all_fit(_FLIGHT.dump_python(offer, mode="json"), self._values)

    def way(self, *, passing: bool) -> Callable[[Sequence[str]], bool]:
        """Return what tells of the airports at which planes are changed whether one may fly that way.

        With `passing`, one of them has to be where the query wants it.
        """
        via = _codes(self._values.get("via", ())) if passing else frozenset[str]()
        avoided = _codes(self._values.get("avoided", ()))

        def may_be(hubs: Sequence[str]) -> bool:
            return avoided.isdisjoint(hubs) and (not via or not via.isdisjoint(hubs))

        return may_be

    def _all_fit(self, form: Mapping[str, Any], names: Sequence[str] | Mapping[str, Any]) -> bool:
        values = self._values
        return all(FLIGHT_LIMITS[name].fits(form, values[name]) for name in names if name in values)


def _codes(places: Sequence[Any]) -> frozenset[str]:
    return frozenset(code for place in places for code in place.airports)


def limits_of(query: FlightQuery | HotelQuery) -> Mapping[str, Any]:
    """Return the limits that a query has, by their fields."""
    known = FLIGHT_LIMITS if isinstance(query, FlightQuery) else HOTEL_LIMITS
    values = {name: getattr(query, name) for name in known}
    return {name: value for name, value in values.items() if value not in (None, "")}


def hotel_limits(query: HotelQuery) -> Callable[[HotelOffer], bool]:
    """Return what tells of an offer whether it is within all limits of a query."""
    values = limits_of(query)
    if not values.keys() - _HONOURED_ANYHOW:
        return lambda offer: True

    def fits(offer: HotelOffer) -> bool:
        form = _HOTEL.dump_python(offer, mode="json")
        return all(HOTEL_LIMITS[name].fits(form, value) for name, value in values.items())

    return fits
