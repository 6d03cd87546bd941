"""What is asked of Duffel for a search, and what its offers are here.

Facts of the wire are those of Duffel API v2, read from its own SDK (`@duffel/api` 4.30) and its documentation
as of November 2026. Amounts are decimals in strings, times of flights those of the airport's own clock, and
each airport tells its zone. What an offer lacks is None here; one without flights, price or id is left out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from decimal import Decimal
from functools import cache
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import airportsdata

from ....domain.errors import NotOnSale
from ...values.offers import UNTOLD, on_one_line
from ...values.places import CITIES
from ...values.travel import (
    ADULT_AGE,
    OLDEST_INFANT,
    CabinClass,
    FlightOffer,
    FlightQuery,
    FlightSegment,
    FlightSlice,
    Money,
    Papers,
    Terms,
)
from ..service import listed, mapped

PROVIDER = "duffel"
SOURCE = "Duffel"

# --- requests ------------------------------------------------------------------------------------------

MOST_TRAVELLERS = 9
_MOST_CONNECTIONS = 2
"""The most that Duffel narrows by; without it a search finds journeys with any number."""


def asked(query: FlightQuery) -> Mapping[str, Any]:
    """Return the body of an offer request: places, days and hours, people and class."""
    there, back = _place(query.origins), _place(query.destinations)
    slices = [
        _slice(
            there,
            back,
            query.departure_date.isoformat(),
            departure_time=_hours(query.departs_after, query.departs_before),
            arrival_time=_hours(query.arrives_after, None),
        )
    ]
    if query.return_date is not None:
        hours = _hours(query.returns_after, query.returns_before)
        slices.append(_slice(back, there, query.return_date.isoformat(), departure_time=hours))
    ages = query.children or ()
    adults = [{"type": "adult"}] * (query.passengers - len(ages))
    body: dict[str, Any] = {
        "slices": slices,
        "passengers": [*adults, *({"age": age} for age in ages)],
        "cabin_class": query.cabin_class,
    }
    if query.max_stops is not None and query.max_stops <= _MOST_CONNECTIONS:
        body["max_connections"] = query.max_stops
    return body


def check_party(passengers: int, ages: Sequence[int]) -> None:
    """Raise `NotOnSale` for whom no airline takes along so; `ages` are those of the children among them."""
    if passengers > MOST_TRAVELLERS:
        raise NotOnSale(f"{SOURCE} sells flights for 1 to {MOST_TRAVELLERS} travellers at once.")
    adults, infants = passengers - len(ages), sum(age <= OLDEST_INFANT for age in ages)
    if adults < 1:
        raise NotOnSale("Children do not fly alone here: tell me how many adults come along.")
    if infants > adults:
        raise NotOnSale(
            f"A child under {OLDEST_INFANT + 1} flies on the lap of an adult of its own, so {infants} of them"
            f" need {infants} adults."
        )


def _slice(origin: str, destination: str, day: str, **hours: Mapping[str, str] | None) -> dict[str, Any]:
    told = {name: value for name, value in hours.items() if value is not None}
    return {"origin": origin, "destination": destination, "departure_date": day, **told}


def _hours(first: time | None, last: time | None) -> Mapping[str, str] | None:
    if first is None and last is None:
        return None
    return {"from": f"{first or time(0):%H:%M}", "to": f"{last or time(23, 59):%H:%M}"}


def _place(airports: Sequence[str]) -> str:
    """Return the code of a city for all its airports, and else that of the first."""
    return airports[0] if len(airports) == 1 else _cities().get(tuple(sorted(airports)), airports[0])


@cache
def _cities() -> Mapping[tuple[str, ...], str]:
    return {tuple(sorted(city.airports)): city.metro for city in CITIES if city.metro}


# --- offers --------------------------------------------------------------------------------------------


def offers_in(found: Any, query: FlightQuery) -> Iterator[FlightOffer]:
    """Yield the offers of a list that are for the airports of a query."""
    for each in listed(found):
        try:
            offer = offer_of(each, query.cabin_class)
        except UNTOLD:
            continue
        first, last = offer.slices[0].segments[0], offer.slices[0].segments[-1]
        # A code of a city stands for airports that the traveller may have left out.
        if first.origin in query.origins and last.destination in query.destinations:
            yield offer


def offer_of(told: Mapping[str, Any], cabin_class: CabinClass) -> FlightOffer:
    """Return an offer. Raises one of `UNTOLD` for what is none."""
    slices = tuple(_direction(each) for each in told["slices"])
    people = len(told["passengers"])
    ages = sorted(age for each in told["passengers"] if (age := age_of(each)) is not None)
    total = money_of(told["total_amount"], told["total_currency"])
    if not slices or people < 1 or total.amount < 0 or not isinstance(told["id"], str):
        raise ValueError("an offer of nothing")
    refunds, refund_fee = _condition(told, "refund_before_departure")
    changes, change_fee = _condition(told, "change_before_departure")
    needs = mapped(told.get("payment_requirements"))
    is_instant = needs.get("requires_instant_payment", True)
    held_until = None if is_instant else moment_of(needs.get("payment_required_by"))
    each = (total.amount / people).quantize(total.amount) if people > 1 else total.amount
    return FlightOffer(
        offer_id=told["id"],
        provider=PROVIDER,
        source=SOURCE,
        live=told["live_mode"] is True,
        slices=slices,
        passengers=people,
        cabin_class=cabin_class,
        price_total=total,
        price_per_person=Money(amount=each, currency=total.currency),
        checked_bags=_bags(told, "checked"),
        refundable=refunds,
        changeable=changes,
        terms=Terms(
            sold_as=told["id"],
            name=on_one_line(told["slices"][0].get("fare_brand_name") or ""),
            expires_at=moment_of(told.get("expires_at")),
            held_until=held_until,
            refund_fee=refund_fee,
            change_fee=change_fee,
            carry_on_bags=_bags(told, "carry_on"),
            children=tuple(ages),
            papers=_papers(told),
        ),
    )


def age_of(passenger: Mapping[str, Any]) -> int | None:
    """Return the age of a child, None of an adult. Raises `ValueError` for a child of no age."""
    age, kind = passenger.get("age"), passenger.get("type")
    if age is None and kind not in (None, "adult"):
        raise ValueError("a child of no age")
    return None if age is None or age >= ADULT_AGE else int(age)


PASSPORT = "passport"


def _papers(told: Mapping[str, Any]) -> Papers:
    """Return what an offer wants of each traveller."""
    if told.get("passenger_identity_documents_required") is not True:
        return "none"
    kinds = told.get("supported_passenger_identity_document_types")
    return "passports" if not kinds or PASSPORT in kinds else "others"


def _direction(told: Mapping[str, Any]) -> FlightSlice:
    segments = tuple(part for each in told["segments"] for part in _flights(each))
    if not segments:
        raise ValueError("a direction without flights")
    took = _minutes(told.get("duration"))
    if took is None:
        took = _between(segments[0].departs_at, segments[-1].arrives_at)
    return FlightSlice(segments=segments, duration_minutes=took)


def _flights(told: Mapping[str, Any]) -> Iterator[FlightSegment]:
    """Yield a flight, in parts where it lands on its way: who wants to fly nonstop wants none of these."""
    carrier = told["marketing_carrier"]
    code: str = carrier.get("iata_code") or ""
    number = told["marketing_carrier_flight_number"]
    stops = listed(told.get("stops"))
    ends: list[Any] = [
        (told["origin"], None, told["departing_at"]),
        *((each["airport"], each["arriving_at"], each["departing_at"]) for each in stops),
        (told["destination"], told["arriving_at"], None),
    ]
    for (start, _, leaves), (end, lands, _) in pairwise(ends):
        departs, arrives = _wall_time(leaves, start), _wall_time(lands, end)
        took = None if stops else _minutes(told.get("duration"))
        yield FlightSegment(
            carrier=on_one_line(code or carrier["name"]),
            carrier_name=on_one_line(carrier["name"]),
            number=on_one_line(f"{code}{number}"),
            origin=_code(start),
            destination=_code(end),
            departs_at=departs,
            arrives_at=arrives,
            duration_minutes=_between(departs, arrives) if took is None else took,
            aircraft=on_one_line(str(mapped(told.get("aircraft")).get("name") or "")),
        )


def _code(place: Mapping[str, Any]) -> str:
    code = place["iata_code"]
    if not re.fullmatch("[A-Z]{3}", code):
        raise ValueError("a place without a code")
    return code


def _wall_time(told: str, place: Mapping[str, Any]) -> datetime:
    """Return a moment by an airport's clock with its offset, as flights' times are here."""
    zone = place.get("time_zone") or airportsdata.load("IATA")[_code(place)]["tz"]
    local = datetime.fromisoformat(told).replace(tzinfo=ZoneInfo(zone))
    return datetime.fromisoformat(local.isoformat())  # a plain offset, as that of a time that was read back


def _between(departs: datetime, arrives: datetime) -> int:
    return (arrives - departs) // timedelta(minutes=1)


_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:[\d.]+S)?)?")


def _minutes(told: str | None) -> int | None:
    """Return the minutes of a duration such as "P1DT2H5M", None where none is told."""
    match = _DURATION.fullmatch(told or "")
    if match is None or not any(match.groups()):
        return None
    days, hours, minutes = (int(each or 0) for each in match.groups())
    return (days * 24 + hours) * 60 + minutes


def moment_of(told: str | None) -> datetime | None:
    """Return a moment of the service's own, None where it tells none."""
    return datetime.fromisoformat(told) if told else None


def money_of(amount: str, currency: str) -> Money:
    """Return an amount of money. Raises one of `UNTOLD` for what is none."""
    value = Decimal(amount)
    if not isinstance(amount, str) or not value.is_finite() or not re.fullmatch("[A-Z]{3}", currency):
        raise ValueError("no amount of money")
    return Money(amount=value, currency=currency)


def _condition(told: Mapping[str, Any], name: str) -> tuple[bool | None, Money | None]:
    """Return whether something is allowed, and its fee; None where that is not told."""
    rule = mapped(told.get("conditions")).get(name)
    if rule is None:
        return None, None
    amount, currency = rule.get("penalty_amount"), rule.get("penalty_currency")
    return rule["allowed"] is True, money_of(amount, currency) if amount and currency else None


def _bags(told: Mapping[str, Any], kind: str) -> int | None:
    """Return how many bags of a kind each traveller may take on every flight; None where it is not told."""
    people = [
        person
        for direction in told["slices"]
        for flight in direction["segments"]
        for person in listed(flight.get("passengers"))
    ]
    if any(person.get("baggages") is None for person in people):
        return None
    counts = (sum(bag["quantity"] for bag in one["baggages"] if bag["type"] == kind) for one in people)
    return min(counts, default=None)
