"""What is asked of LiteAPI for a search, and what its rates are here.

Facts of the wire are those of LiteAPI v3.0, read from its OpenAPI files of July 2026. Amounts are numbers,
for the whole stay and all rooms. What a rate lacks is None here; one without a price or an id is left out.
"""

import html
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Any

from ....domain.errors import NotOnSale
from ...values.offers import UNTOLD, on_one_line
from ...values.places import cities_named, districts_of, km_between
from ...values.travel import HOME_CURRENCY, CancelFee, HotelOffer, HotelQuery, Money, Terms
from ..service import listed, mapped

PROVIDER = "liteapi"
SOURCE = "LiteAPI"

MOST_HOTELS = 200
_CITY_M = 12_000
_DISTRICT_M = 2_000
_MOST_STARS = 5
_LONGEST_ID = 4000
"""Of an offer, which goes to clients with it; LiteAPI's have some 900 characters."""

# --- requests ------------------------------------------------------------------------------------------


def place_of(query: HotelQuery) -> Mapping[str, str | float | int]:
    """Return where hotels are looked for: around a middle where it is known, since names are ambiguous."""
    city = next(iter(cities_named(query.city, query.country, query.subdivision)), None)
    if city is None or city.centre is None:
        return {"cityName": query.city, "countryCode": query.country}
    latitude, longitude = city.centre
    for district in districts_of(city) if query.district else ():
        if district.name == query.district:
            latitude, longitude = district.latitude, district.longitude
    radius = _DISTRICT_M if query.district else _CITY_M
    return {"latitude": latitude, "longitude": longitude, "radius": radius}


def asked(query: HotelQuery, *, nationality: str) -> Mapping[str, Any]:
    """Return the body of a request for rates, to be streamed."""
    body: dict[str, Any] = {
        **place_of(query),
        "checkin": query.check_in.isoformat(),
        "checkout": query.check_out.isoformat(),
        "currency": limit.currency if (limit := query.max_price or query.max_total) else HOME_CURRENCY,
        "guestNationality": nationality,
        "occupancies": [{"adults": adults, "children": ages} for adults, ages in rooms_of(query)],
        "maxRatesPerHotel": 1,
        "limit": MOST_HOTELS,
        "includeHotelData": True,
        "stream": True,
    }
    if query.stars:
        body["starRating"] = [float(stars) for stars in range(query.stars, _MOST_STARS + 1)]
    if query.free_cancellation:
        body["refundableRatesOnly"] = True
    return body


def rooms_of(query: HotelQuery) -> Sequence[tuple[int, Sequence[int]]]:
    """Return the adults and the ages of the children in each room: of both as many in each, or one more.

    Raises `NotOnSale` for children alone.
    """
    ages = query.children or ()
    adults = query.guests - len(ages)
    if adults < 1:
        raise NotOnSale("Children do not stay alone: tell me how many adults come along.")
    rooms = min(query.rooms, adults)
    each, more = divmod(adults, rooms)
    # The rooms with fewer adults have the first of the children.
    return [(each + (number < more), ages[rooms - 1 - number :: rooms]) for number in range(rooms)]


# --- hotels --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotel:
    """A hotel: its latitude and longitude, its stars from 1 to 5, the score of its guests from 0 to 10."""

    name: str
    at: tuple[float, float] | None
    stars: int | None
    score: float | None


def hotels_in(told: Any) -> Iterator[tuple[str, Hotel]]:
    """Yield the hotels of a list, with their ids."""
    for each in listed(told):
        try:
            at = (float(each["latitude"]), float(each["longitude"]))
            if not all(map(math.isfinite, at)):
                continue
            stars, score = each.get("stars"), each.get("rating")
            hotel = Hotel(
                name=on_one_line(_text(each["name"])),
                at=at,
                stars=int(stars) if stars else None,
                score=float(score) if score else None,
            )
            yield str(each["id"]), hotel
        except UNTOLD:
            continue


def unnamed(hotel_id: str) -> Hotel:
    """Return a hotel of which the id alone is known."""
    return Hotel(name=f"Hotel {hotel_id}", at=None, stars=None, score=None)


_TAG = re.compile(r"<[^>]*>")


def _text(told: str) -> str:
    """Return a text without its markup."""
    return html.unescape(_TAG.sub(" ", told))


# --- rates ---------------------------------------------------------------------------------------------


def offers_of(
    rate: Mapping[str, Any], hotel: Hotel, query: HotelQuery, *, live: bool
) -> Iterator[HotelOffer]:
    """Yield what a hotel offers, a room or a set of rooms each."""
    for room in listed(rate.get("roomTypes")):
        try:
            yield _offer(room, hotel, query, live=live)
        except UNTOLD:
            continue


def _offer(room: Mapping[str, Any], hotel: Hotel, query: HotelQuery, *, live: bool) -> HotelOffer:
    sold_as: str = room["offerId"]
    if len(sold_as) > _LONGEST_ID:
        raise ValueError("an id that is none")
    rates: Sequence[Mapping[str, Any]] = room["rates"]
    total = price(room["offerRetailRate"])
    latitude, longitude = hotel.at or (None, None)
    return HotelOffer(
        offer_id=f"{PROVIDER}-{blake2b(sold_as.encode(), digest_size=8).hexdigest()}",
        provider=PROVIDER,
        source=SOURCE,
        live=live,
        name=hotel.name,
        city=query.city,
        country=query.country,
        district=query.district,
        latitude=latitude,
        longitude=longitude,
        distance_km=_distance(hotel, query),
        stars=hotel.stars,
        score=hotel.score,
        amenities=None,
        check_in=query.check_in,
        check_out=query.check_out,
        rooms=len(rooms_of(query)),
        guests=query.guests,
        **priced(
            rates,
            total,
            sold_as=sold_as,
            nights=query.nights,
            rooms=len(rooms_of(query)),
            children=query.children or (),
        ),
    )


def _distance(hotel: Hotel, query: HotelQuery) -> float | None:
    """Return how far a hotel is from where it was looked for, in kilometres; None where either is unknown."""
    place = place_of(query)
    if hotel.at is None or "latitude" not in place:
        return None
    return round(km_between((float(place["latitude"]), float(place["longitude"])), hotel.at), 1)


def priced(
    rates: Sequence[Mapping[str, Any]],
    total: Money,
    *,
    sold_as: str,
    nights: int,
    rooms: int,
    children: tuple[int, ...],
) -> dict[str, Any]:
    """Return what a stay costs and on what terms, as fields of its offer. Raises one of `UNTOLD`."""
    if not rates:
        raise LookupError("no rates")
    until, fees = cancelling(rates, total.currency)
    each = total.amount / (nights * rooms)  # a night and a room, as everywhere
    return {
        "price_total": total,
        "price_per_night": Money(amount=each.quantize(Decimal("0.01")), currency=total.currency),
        "free_cancellation_until": until,
        "terms": Terms(
            sold_as=sold_as,
            name=on_one_line("; ".join(dict.fromkeys(map(_room_name, rates)))),
            cancelling=fees,
            paid_there=_paid_there(rates),
            refundable=_refundable(rates),
            children=children,
        ),
    }


def price(told: Any) -> Money:
    """Return a price, which the documents call a list and the answers tell as an object."""
    told = listed(told)[0] if isinstance(told, list) else mapped(told)
    amount = Decimal(told["amount"])
    if not amount.is_finite() or amount < 0 or not re.fullmatch("[A-Z]{3}", told["currency"]):
        raise ValueError("no amount of money")
    return Money(amount=amount.quantize(Decimal("0.01")), currency=told["currency"])


_BOARDS = {
    "RO": "room only",
    "BB": "with breakfast",
    "HB": "half board",
    "FB": "full board",
    "AI": "all inclusive",
}


def _room_name(rate: Mapping[str, Any]) -> str:
    # The code is what a hotel has to keep to; its name is whatever a supplier writes.
    board = _BOARDS.get(rate.get("boardType", "")) or rate.get("boardName")
    return ", ".join(_text(each) for each in (rate.get("name"), board) if each)


def cancelling(
    rates: Sequence[Mapping[str, Any]], currency: str
) -> tuple[date | None, tuple[CancelFee, ...]]:
    """Return the last day on which cancelling is surely free, and the fees after it, the earliest first.

    The moments are GMT and the hotel's zone is not told: the day is one that has ended everywhere by then.
    """
    rules = [mapped(rate.get("cancellationPolicies")) for rate in rates]
    of_rooms = [
        sorted(
            (CancelFee(since=_moment(each["cancelTime"]), fee=price(each)) for each in listed(fees)),
            key=lambda fee: fee.since,
        )
        for fees in (rule.get("cancelPolicyInfos") for rule in rules)
    ]
    if {each.fee.currency for room in of_rooms for each in room} - {currency}:
        return None, ()
    fees = tuple(_of_all(of_rooms, currency))
    if not fees or not all(rule.get("refundableTag") == "RFN" for rule in rules):
        return None, fees
    return (fees[0].since - _WESTERNMOST).date() - timedelta(days=1), fees


def _refundable(rates: Sequence[Mapping[str, Any]]) -> bool | None:
    """Return whether cancelling gives anything back; None where rooms differ, or it is not told."""
    tags = {mapped(rate.get("cancellationPolicies")).get("refundableTag") for rate in rates}
    return {"RFN": True, "NRFN": False}.get(str(*tags)) if len(tags) == 1 else None


def _of_all(rooms: Sequence[Sequence[CancelFee]], currency: str) -> Iterator[CancelFee]:
    """Yield the fees of all rooms together, at each moment from which one of them costs something else."""
    for since in sorted({each.since for room in rooms for each in room}):
        latest = ([each.fee.amount for each in room if each.since <= since] for room in rooms)
        amount = sum((amounts[-1] for amounts in latest if amounts), Decimal(0))
        if amount:
            yield CancelFee(since=since, fee=Money(amount=amount, currency=currency))


_WESTERNMOST = timedelta(hours=12)


def _moment(told: str) -> datetime:
    return datetime.fromisoformat(told.replace(" ", "T")).replace(tzinfo=UTC)


def _paid_there(rates: Sequence[Mapping[str, Any]]) -> Money | None:
    """Return the taxes and fees that are no part of the price; None where there are none."""
    due = [
        price(each)
        for rate in rates
        for each in listed(mapped(rate.get("retailRate")).get("taxesAndFees"))
        if not each.get("included") and each.get("amount")
    ]
    if not due:
        return None
    if len({each.currency for each in due}) > 1:
        raise ValueError("taxes in several currencies")
    return Money(amount=sum((each.amount for each in due), Decimal(0)), currency=due[0].currency)
