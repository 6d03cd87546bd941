"""The flights, offers and places of the stand-in of Duffel, in the form in which it tells them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import pairwise
from math import acos, cos, radians, sin
from typing import Any
from zlib import crc32
from zoneinfo import ZoneInfo

import airportsdata

from tests.fakes.service import Search, airports

CARRIERS = {"ZZ": "Duffel Airways", "XY": "Exemplary Air", "QX": "Quite Airborne", "YX": "Yonder Express"}

NewId = Callable[[str], str]


@dataclass(frozen=True)
class Flight:
    """What an offer is made from: `price` for all travellers and slices, `departs` and `minutes` for each.

    `refund` and `change` are the penalty, `no`, or None for what the airline does not say. `stops` are
    changes of aircraft, `halts` stops on the way in the same one. Without `minutes` the distance says.
    """

    price: str = "221.78"
    currency: str = "EUR"
    carrier: str = "ZZ"
    airline: str | None = None
    departs: str = "09:10"
    minutes: int | None = None
    stops: int = 0
    halts: int = 0
    holdable: bool = True
    refund: str | None = "40.00"
    change: str | None = "no"
    bags: int = 1
    services: int = 2
    life_s: int = 1200
    documents: bool = False
    papers: tuple[str, ...] = ("passport",)
    """The kinds of documents that the airline takes where it wants some."""
    sparse: bool = False
    same_as: int | None = None
    """The flight of this number, counted in its search, comes once more with the id it had."""


@dataclass
class Offer:
    """An offer as the service knows it. `told` is the price that a client has seen last."""

    data: dict[str, Any]
    flight: Flight
    search: Search
    told: str
    minutes: int = 0
    withdrawn: bool = False
    dearer: Decimal = Decimal(0)
    """By how much each further look makes it dearer."""


@cache
def known_places() -> dict[str, Any]:
    """Return the airports, and the cities of several that have a code of their own, by code."""
    return {**airportsdata.load_iata_macs(), **airports()}


def make_offer(search: Search, flight: Flight, now: datetime, new_id: NewId) -> Offer:
    """Make the offer of a flight for the travellers and slices of a search."""
    query, offer_id, full = search.query, new_id("off"), not flight.sparse
    total = Decimal(flight.price)
    tax = (total / 8).quantize(Decimal("0.01")) if full else Decimal(0)
    until = now + timedelta(seconds=flight.life_s)
    data: dict[str, Any] = {
        "id": offer_id, "live_mode": query["live"], "partial": False,
        "created_at": stamp(now, 6), "updated_at": stamp(now, 3),
        "expires_at": stamp(until, 0),
        "total_amount": str(total), "total_currency": flight.currency,
        "base_amount": str(total - tax), "base_currency": flight.currency,
        "tax_amount": str(tax) if full else None, "tax_currency": flight.currency if full else None,
        "total_emissions_kg": "460", "owner": _airline(flight),
        "payment_requirements": {
            "requires_instant_payment": not flight.holdable,
            "price_guarantee_expires_at": stamp(until, 0) if flight.holdable and full else None,
            "payment_required_by": stamp(now + timedelta(days=2), 0) if flight.holdable else None,
        },
        "conditions": {
            "refund_before_departure": _condition(flight.refund, flight.currency),
            "change_before_departure": _condition(flight.change, flight.currency),
        },
        "passenger_identity_documents_required": flight.documents,
        "supported_passenger_identity_document_types": [*flight.papers] if flight.documents else [],
        # Documented is the order of a search's passengers, and not that of an offer's.
        "passengers": [{**person, "fare_type": None} for person in query["passengers"][::-1]],
        "slices": [_slice(leg, flight, query, new_id) for leg in query["slices"]],
        "available_services": None,
    }  # fmt: skip
    offer = Offer(data, flight, search, data["total_amount"])
    offer.minutes = sum(_flies(leg, flight) for leg in query["slices"])
    return offer


def _slice(leg: dict[str, Any], flight: Flight, query: dict[str, Any], new_id: NewId) -> dict[str, Any]:
    full = not flight.sparse
    first, last = _airport_of(leg["origin"]), _airport_of(leg["destination"])
    hubs = [code for code in ("FRA", "ZRH", "AMS", "DOH", "ORD") if code not in (first, last)]
    codes = [first, *hubs[: flight.stops], last]
    at = datetime.fromisoformat(f"{leg['departure_date']}T{flight.departs}").replace(tzinfo=_zone(first))
    at = at.astimezone(UTC)  # or a change of the clocks in between would be missed
    minutes = _flies(leg, flight)
    flown = timedelta(minutes=minutes) / (2 * len(codes) - 3)
    segments = []
    for start, end in pairwise(codes):
        lands, rest = at + flown, timedelta(minutes=45)
        halts = [
            {
                "id": new_id("sto"), "airport": _place(hub), "duration": "PT00H45M",
                "arriving_at": _local(at + flown / 2 - rest, hub),
                "departing_at": _local(at + flown / 2, hub),
            }
            for hub in hubs[: flight.halts]
        ]  # fmt: skip
        plane = {"id": "arc_00009VMF8AhXSSRnQDI6Hi", "name": "Airbus A320", "iata_code": "320"}
        segments.append({
            "id": new_id("seg"),
            "departing_at": _local(at, start), "arriving_at": _local(lands, end),
            "duration": _duration(flown) if full else None, "distance": "881.9" if full else None,
            "origin": _place(start), "destination": _place(end),
            "origin_terminal": "1" if full else None, "destination_terminal": None,
            "marketing_carrier": _airline(flight),
            "marketing_carrier_flight_number": str(1000 + crc32(f"{flight}{start}{end}".encode()) % 8999),
            "operating_carrier": _airline(flight), "operating_carrier_flight_number": None,
            "aircraft": plane if full else None, "stops": halts,
            "passengers": [_flown(each["id"], flight, query["cabin_class"]) for each in query["passengers"]],
        })  # fmt: skip
        at = lands + flown
    origin, destination = _place(leg["origin"]), _place(leg["destination"])
    return {
        "id": new_id("sli"), "comparison_key": new_id("cmp"), "ngs_shelf": None,
        "origin": origin, "origin_type": origin["type"],
        "destination": destination, "destination_type": destination["type"],
        "duration": _duration(timedelta(minutes=minutes)) if full else None,
        "fare_brand_name": "Basic" if full else None,
        "conditions": {
            "change_before_departure": _condition(flight.change, flight.currency),
            "advance_seat_selection": None, "priority_boarding": None, "priority_check_in": None,
        },
        "segments": segments,
    }  # fmt: skip


def _flies(leg: dict[str, Any], flight: Flight) -> int:
    return flight.minutes or _minutes(leg["origin"], leg["destination"])


def _minutes(origin: str, destination: str) -> int:
    """Return about how long a flight takes, in minutes."""
    ends = [airports()[_airport_of(code)] for code in (origin, destination)]
    (lat, lon), (to_lat, to_lon) = [(radians(end["lat"]), radians(end["lon"])) for end in ends]
    cosine = sin(lat) * sin(to_lat) + cos(lat) * cos(to_lat) * cos(lon - to_lon)
    return 35 + int(6371 * acos(max(-1, min(cosine, 1))) / 13.6)


def _flown(passenger_id: str, flight: Flight, cabin: str) -> dict[str, Any]:
    bags = [{"type": kind, "quantity": flight.bags} for kind in ("checked", "carry_on") if flight.bags]
    return {
        "passenger_id": passenger_id, "cabin_class": cabin, "baggages": bags,
        "cabin_class_marketing_name": cabin.title(), "fare_basis_code": None, "cabin": None,
    }  # fmt: skip


def usual_flights(key: tuple[str, str], people: Sequence[dict[str, Any]]) -> list[list[Flight]]:
    """Return the flights of a route of which the test says nothing: five, in six uneven batches.

    A child pays three quarters, one under two years a tenth.
    """
    base = 60 + crc32("".join(key).encode()) % 240
    fares = [
        1 if "age" not in one else Decimal("0.1") if one["age"] < 2 else Decimal("0.75") for one in people
    ]
    whole = (Decimal(base) + Decimal("0.78")) * sum(fares, Decimal(0))
    one = Flight(str(whole.quantize(Decimal("0.01"))))
    others = [
        replace(
            one, departs="06:35", price=str(Decimal(one.price) + 31), minutes=_minutes(*key) + 190, stops=1
        ),
        replace(
            one, carrier="XY", departs="13:20", price=str(Decimal(one.price) * 2), holdable=False, refund="no"
        ),
        replace(
            one, carrier="QX", departs="22:55", price=str(Decimal(one.price) - 12), sparse=True, refund=None
        ),
        replace(
            one, carrier="YX", departs="17:05", price=str(Decimal(one.price) + 7), holdable=False, sparse=True
        ),
    ]
    flights = [one, *others]
    if key == ("JFK", "EWR"):
        flights = [replace(flight, holdable=True) for flight in flights]
    elif key == ("LHR", "DXB"):
        flights = [replace(flight, stops=1) for flight in flights]
    elif key == ("DXB", "AMS"):
        flights = [replace(flight, stops=0, halts=1) for flight in flights]
    elif key == ("BTS", "MRU"):
        flights = [replace(flight, bags=0) for flight in flights]
    elif key == ("BTS", "ABV"):
        flights = [replace(flight, services=0) for flight in flights]
    return [flights[:1], flights[1:3], [], flights[3:4], [], flights[4:]]


def _zone(code: str) -> ZoneInfo:
    return ZoneInfo(airports()[code]["tz"])


def _local(at: datetime, code: str) -> str:
    return at.astimezone(_zone(code)).strftime("%Y-%m-%dT%H:%M:%S")


def _duration(time: timedelta) -> str:
    minutes = int(time.total_seconds()) // 60
    days, minutes = divmod(minutes, 1440)
    return f"P{days}DT{minutes // 60}H{minutes % 60}M" if days else f"PT{minutes // 60:02}H{minutes % 60:02}M"


def _airport_of(code: str) -> str:
    return code if code in airports() else min(known_places()[code]["airports"])


def _airline(flight: Flight) -> dict[str, Any]:
    code, name = flight.carrier, flight.airline or CARRIERS.get(flight.carrier, f"Airline {flight.carrier}")
    return {
        "id": f"arl_{code}", "name": name, "iata_code": code,
        "logo_symbol_url": None, "logo_lockup_url": None, "conditions_of_carriage_url": None,
    }  # fmt: skip


def _condition(penalty: str | None, currency: str) -> dict[str, Any] | None:
    if penalty is None:
        return None
    allowed = penalty != "no"
    return {
        "allowed": allowed, "penalty_amount": penalty if allowed else None,
        "penalty_currency": currency if allowed else None,
    }  # fmt: skip


@cache
def _place(code: str) -> dict[str, Any]:
    if code not in airports():
        city = known_places()[code]
        return {
            "type": "city", "id": f"cit_{code.lower()}", "name": city["name"], "iata_code": code,
            "iata_country_code": city["country"],
        }  # fmt: skip
    place = airports()[code]
    city_code = next(
        (name for name, city in known_places().items() if code in city.get("airports", ())), None
    )
    return {
        "type": "airport", "id": f"arp_{code.lower()}", "name": place["name"], "iata_code": code,
        "icao_code": place["icao"], "iata_country_code": place["country"], "iata_city_code": city_code,
        "city_name": place["city"], "city": None, "latitude": place["lat"], "longitude": place["lon"],
        "time_zone": place["tz"],
    }  # fmt: skip


def suggestion(code: str) -> dict[str, Any]:
    place = _place(code)
    absent = dict.fromkeys(
        ("iata_city_code", "icao_code", "city_name", "latitude", "longitude", "time_zone", "city")
    )
    members = [_place(each) for each in known_places()[code]["airports"]] if place["type"] == "city" else None
    return {**absent, **place, "country_name": None, "airports": members}


def stamp(at: datetime, digits: int) -> str:
    text = at.strftime("%Y-%m-%dT%H:%M:%S.%f")
    return (text[: len(text) - 6 + digits] if digits else text[:-7]) + "Z"
