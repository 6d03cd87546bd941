"""An understanding as JSON and back, exactly: it is stored with its task and given to the next one.

A city is written out whole, so that what was stored means the same after the city table has changed.
"""

from datetime import date
from decimal import Decimal
from typing import Any

from ..values.travel import City, Money
from .result import (
    Alternative,
    BookingWish,
    FlightSlots,
    HotelSlots,
    Period,
    Place,
    Refused,
    ShownDirection,
    ShownStay,
    TourWish,
    Understanding,
)

_FLIGHT_PLAIN = ("passengers", "cabin_class", "airline", "max_stops")
_BOOKING_PLAIN = ("kind", "pick", "number", "name", "reference")
_HOTEL_PLAIN = ("district", "nights", "rooms", "guests", "stars", "name")


def to_json(understanding: Understanding) -> dict[str, Any]:
    """Return the understanding as JSON-ready values: filled slots only, money and dates as strings."""
    return {
        "relation": understanding.relation,
        "agents": list(understanding.agents),
        "flight": _flight_out(understanding.flight),
        "hotel": _hotel_out(understanding.hotel),
        "carried": list(understanding.carried),
        "dropped": list(understanding.dropped),
        "alternatives": [
            {"slot": one.slot, "taken": one.taken, "others": list(one.others), "said": one.said}
            for one in understanding.alternatives
        ],
        "wanted": list(understanding.wanted),
        "period": _period_out(understanding.period),
        "refused": [{"said": one.said, "reason": one.reason} for one in understanding.refused],
        "resumes": understanding.resumes,
        "assumed": list(understanding.assumed),
        "about": list(understanding.about),
        "is_elsewhere": understanding.is_elsewhere,
        "searched": list(understanding.searched),
        "mentioned": _place_out(understanding.mentioned),
        "whole_flight": _flight_out(understanding.whole_flight),
        "whole_hotel": _hotel_out(understanding.whole_hotel),
        "booking": _booking_out(understanding.booking),
        "tour": _tour_out(understanding.tour),
    }


def from_json(stored: dict[str, Any]) -> Understanding:
    """Return what `to_json` was given. Raises KeyError or ValueError on anything that it did not write."""
    return Understanding(
        relation=stored["relation"],
        agents=tuple(stored["agents"]),
        flight=_flight_in(stored["flight"]),
        hotel=_hotel_in(stored["hotel"]),
        carried=tuple(stored["carried"]),
        dropped=tuple(stored["dropped"]),
        alternatives=tuple(
            Alternative(slot=one["slot"], taken=one["taken"], others=tuple(one["others"]), said=one["said"])
            for one in stored["alternatives"]
        ),
        wanted=tuple(stored["wanted"]),
        period=_period_in(stored["period"]),
        refused=tuple(Refused(said=one["said"], reason=one["reason"]) for one in stored["refused"]),
        resumes=stored["resumes"],
        assumed=tuple(stored["assumed"]),
        about=tuple(stored["about"]),
        is_elsewhere=stored["is_elsewhere"],
        searched=tuple(stored["searched"]),
        mentioned=_place_in(stored["mentioned"]),
        # A request that was stored before these were told had nothing waived.
        whole_flight=_flight_in(stored.get("whole_flight", {})),
        whole_hotel=_hotel_in(stored.get("whole_hotel", {})),
        # Nor did it book anything, or plan a tour.
        booking=_booking_in(stored.get("booking")),
        tour=_tour_in(stored.get("tour")),
    )


def _flight_out(flight: FlightSlots) -> dict[str, Any]:
    return _filled(
        {
            "origin": _place_out(flight.origin),
            "destination": _place_out(flight.destination),
            "departure_date": _date_out(flight.departure_date),
            "return_date": _date_out(flight.return_date),
            "max_price": _money_out(flight.max_price),
            **{name: getattr(flight, name) for name in _FLIGHT_PLAIN},
        }
    )


def _flight_in(flight: dict[str, Any]) -> FlightSlots:
    return FlightSlots(
        origin=_place_in(flight.get("origin")),
        destination=_place_in(flight.get("destination")),
        departure_date=_date_in(flight.get("departure_date")),
        return_date=_date_in(flight.get("return_date")),
        max_price=_money_in(flight.get("max_price")),
        **{name: flight.get(name) for name in _FLIGHT_PLAIN},
    )


def _hotel_out(hotel: HotelSlots) -> dict[str, Any]:
    return _filled(
        {
            "city": _place_out(hotel.city),
            "check_in": _date_out(hotel.check_in),
            "check_out": _date_out(hotel.check_out),
            "max_price": _money_out(hotel.max_price),
            "amenities": list(hotel.amenities) or None,
            **{name: getattr(hotel, name) for name in _HOTEL_PLAIN},
        }
    )


def _hotel_in(hotel: dict[str, Any]) -> HotelSlots:
    return HotelSlots(
        city=_place_in(hotel.get("city")),
        check_in=_date_in(hotel.get("check_in")),
        check_out=_date_in(hotel.get("check_out")),
        max_price=_money_in(hotel.get("max_price")),
        amenities=tuple(hotel.get("amenities", ())),
        **{name: hotel.get(name) for name in _HOTEL_PLAIN},
    )


def _booking_out(booking: BookingWish | None) -> dict[str, Any] | None:
    if booking is None:
        return None
    plain = {name: getattr(booking, name) for name in _BOOKING_PLAIN}
    return _filled({"action": booking.action, "shown": _shown_out(booking.shown), **plain})


def _booking_in(booking: dict[str, Any] | None) -> BookingWish | None:
    if booking is None:
        return None
    plain = {name: booking.get(name) for name in _BOOKING_PLAIN}
    return BookingWish(action=booking["action"], shown=_shown_in(booking.get("shown")), **plain)


def _shown_out(shown: tuple[ShownDirection, ...] | ShownStay | None) -> Any:
    if isinstance(shown, ShownStay):
        stay = {"check_in": _date_out(shown.check_in), "check_out": _date_out(shown.check_out)}
        return _filled({"hotel": shown.hotel, "district": shown.district, **stay})
    if shown is None:
        return None
    return [{"flights": list(way.flights), "leaves": way.leaves} for way in shown]


def _shown_in(shown: Any) -> tuple[ShownDirection, ...] | ShownStay | None:
    if shown is None:
        return None
    if "hotel" in shown:
        stay: dict[str, str] = shown
        return ShownStay(
            hotel=stay["hotel"],
            district=stay["district"],
            check_in=_date_in(stay.get("check_in")),
            check_out=_date_in(stay.get("check_out")),
        )
    ways: list[dict[str, Any]] = shown
    return tuple(ShownDirection(flights=tuple(way["flights"]), leaves=way["leaves"]) for way in ways)


def _tour_out(tour: TourWish | None) -> dict[str, Any] | None:
    if tour is None:
        return None
    return _filled(
        {
            "start": _place_out(tour.start),
            "cities": [_place_out(city) for city in tour.cities],
            "nights": tour.nights,
            "earliest": _date_out(tour.earliest),
            "latest": _date_out(tour.latest),
            "returns": tour.returns,
            "passengers": tour.passengers,
        }
    )


def _tour_in(tour: dict[str, Any] | None) -> TourWish | None:
    if tour is None:
        return None
    return TourWish(
        start=_place_in(tour.get("start")),
        cities=tuple(place for city in tour["cities"] if (place := _place_in(city))),
        nights=tour.get("nights"),
        earliest=_date_in(tour.get("earliest")),
        latest=_date_in(tour.get("latest")),
        returns=tour["returns"],
        passengers=tour.get("passengers"),
    )


def _filled(slots: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in slots.items() if value is not None}


def _date_out(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _date_in(day: str | None) -> date | None:
    return date.fromisoformat(day) if day else None


def _period_out(period: Period | None) -> dict[str, str] | None:
    if period is None:
        return None
    return {"said": period.said, "start": period.start.isoformat(), "end": period.end.isoformat()}


def _period_in(period: dict[str, str] | None) -> Period | None:
    if period is None:
        return None
    return Period(
        said=period["said"],
        start=date.fromisoformat(period["start"]),
        end=date.fromisoformat(period["end"]),
    )


def _money_out(money: Money | None) -> dict[str, str] | None:
    return {"amount": str(money.amount), "currency": money.currency} if money else None


def _money_in(money: dict[str, str] | None) -> Money | None:
    return Money(amount=Decimal(money["amount"]), currency=money["currency"]) if money else None


def _place_out(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    city = place.city
    written = {
        "name": city.name,
        "country": city.country,
        "subdivision": city.subdivision,
        "tier": city.tier,
        "airports": list(city.airports),
        "metro": city.metro,
        "aliases": list(city.aliases),
        "centre": list(city.centre) if city.centre else None,
    }
    return {"city": written, "airport": place.airport}


def _place_in(place: dict[str, Any] | None) -> Place | None:
    if place is None:
        return None
    city = place["city"]
    centre: list[float] | None = city["centre"]
    return Place(
        city=City(
            name=city["name"],
            country=city["country"],
            subdivision=city["subdivision"],
            tier=city["tier"],
            airports=tuple(city["airports"]),
            metro=city["metro"],
            aliases=tuple(city["aliases"]),
            centre=(centre[0], centre[1]) if centre else None,
        ),
        airport=place["airport"],
    )
