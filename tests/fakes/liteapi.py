"""A stand-in of LiteAPI's hotels, version 3.0, with its two hosts, and an account of what it has booked.

Any city has hotels; `script` says otherwise for a place. What the documentation calls an array and its
examples call an object is either, by turns. Frames of a stream are split anywhere, and `[DONE]` ends with one
newline.

    async with LiteApi() as liteapi:
        liteapi.script("Tokyo", [[Hotel("Kibo Inn", rates=(Rate("310.50"),))], [Hotel("Mori")]])
        ...     # the server under test has `liteapi.url`, `liteapi.book_url` and `liteapi.key`
        assert [booking["status"] for booking in liteapi.bookings.values()] == ["CONFIRMED"]
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from math import ceil
from typing import Any
from zlib import crc32

from tests.fakes.service import Answer, Refused, Request, Search, Service, Stream, airports, route

PLACES = ("hotelIds", "cityName", "latitude", "placeId", "iataCode", "aiSearch")
PAYMENTS = {"ACC_CREDIT_CARD", "WALLET", "CREDIT", "TRANSACTION_ID"}
NO_AVAILABILITY = {"error": {"code": 2001, "message": "no availability found"}}


@dataclass(frozen=True)
class Rate:
    """A room of a hotel. `price` is for the whole stay and all rooms; without one it follows from the name.

    Cancelling is free until `free_days` before the stay, and never where that is None; nothing is told of it
    without `rules`.
    """

    price: str | None = None
    room: str = "King Room"
    board: str = "RO"
    free_days: int | None = 2
    tax_at_hotel: str | None = "3.20"
    rules: bool = True


@dataclass(frozen=True)
class Hotel:
    """A hotel; one that is not `listed` has rates and is missing where hotels are listed."""

    name: str
    rates: tuple[Rate, ...] = (Rate(), Rate(room="Twin Room", board="BB", free_days=None))
    stars: int = 4
    rating: float = 8.5
    listed: bool = True

    @property
    def id(self) -> str:
        return f"lp{crc32(self.name.encode()) % 0xFFFFF:x}"


@dataclass(frozen=True)
class Place:
    """A place that was searched: all that it may be called, as it was asked for first."""

    names: Sequence[str]
    country: str
    lat: float
    lon: float


@dataclass
class Offer:
    """An offer as the service knows it; `price` is what it would take for it now."""

    id: str
    hotel: Hotel
    rate: Rate
    search: Search
    price: Decimal
    shown: dict[str, Any]


Frame = Sequence[Hotel] | Mapping[str, Any] | bytes
"""What one frame of a stream tells: hotels, or something else in JSON or as it stands, as an error is."""


class LiteApi(Service):
    """The stand-in. `bookings` are by id, as the service gives them now; `prebooks` too."""

    prefix = "/v3.0"
    hosts = 2
    limit = None
    """A key of the sandbox has 5 a second. Time stands still here, so a test that wants a limit sets it."""
    window_s = 1.0
    offer_life_s = 1800.0
    ends = ("hotels", "done")
    """The frames that end a stream; a test leaves out what it wants to be missing."""
    empty_status = 204
    """How nothing is said to be free: 204 without a body, or 200 with an error in it."""

    def __init__(self, *, key: str = "sand_" + "fake", **settings: Any) -> None:
        super().__init__(**settings)
        self.key = key
        self.hotels: dict[str, tuple[Hotel, Place]] = {}
        self.offers: dict[str, Offer] = {}
        self.prebooks: dict[str, dict[str, Any]] = {}
        self.bookings: dict[str, dict[str, Any]] = {}
        self._offered: dict[tuple[Search, str, Rate], Offer] = {}
        self._changes: list[dict[str, Any]] = []
        self._scripts: dict[str, Sequence[Frame]] = {}
        self._places: dict[str, str] = {}

    @property
    def book_url(self) -> str:
        return self._url(1)

    # What a test says

    def script(self, place: str, frames: Sequence[Frame]) -> None:
        """Have a place, as it is named in a search, have these hotels, in these frames."""
        self._scripts[place.casefold()] = frames

    def change_next(self, *, price_by: str = "0", cancellation: bool = False, board: bool = False) -> None:
        """Have the next prebook find that something has changed since the search."""
        self._changes.append({"price_by": Decimal(price_by), "cancellation": cancellation, "board": board})

    # Headers and errors

    def check(self, request: Request) -> None:
        if request.headers.get("x-api-key") != self.key:
            raise Refused(401, 401, "invalid api key")
        if request.method == "POST" and "json" not in request.headers.get("content-type", ""):
            raise Refused(400, 4000, "invalid content type")
        if request.method == "POST" and not isinstance(request.body, dict):
            raise Refused(400, 4000, "invalid body")

    def error(self, refused: Refused) -> Any:
        told = {"code": refused.code or refused.status, "message": refused.message, **refused.more}
        return {"error": told}

    def headers(self, reset_s: float | None) -> dict[str, str]:
        return {} if reset_s is None else {"retry-after": str(ceil(reset_s))}

    # Searching

    @route("POST /hotels/rates")
    async def search_rates(self, request: Request) -> Answer | Stream:
        asked = request.body
        _check_rates(asked)
        search = self.begin_search(asked, self._pieces(asked))
        if not any(search.pieces):
            return Answer(self.empty_status, NO_AVAILABILITY)
        if asked.get("stream") is True:
            return Stream(self._stream_of(search), _frame)
        await search.until(lambda: search.released == len(search.pieces))
        found = [hotel for piece in search.pieces for hotel in piece if isinstance(hotel, Hotel)]
        told: dict[str, Any] = {"data": [self._rates(search, hotel) for hotel in found], "guestLevel": 0}
        if asked.get("includeHotelData"):
            told["hotels"] = self._names(found)
        return Answer(200, {**told, "sandbox": self.key.startswith("sand_")})

    async def _stream_of(self, search: Search) -> AsyncIterator[Any]:
        told: list[Hotel] = []
        for number, piece in enumerate(search.pieces):
            await search.until(lambda number=number: search.released > number)
            rates = [self._rates(search, hotel) for hotel in piece if isinstance(hotel, Hotel)]
            if rates or not piece:
                yield {"rates": rates}
            for each in piece:
                if isinstance(each, Hotel):
                    told.append(each)
                else:
                    yield each
        if "hotels" in self.ends:
            yield {"hotels": self._names(told)}
        if "done" in self.ends:
            yield b"data: [DONE]\n"

    def _frames_at(self, asked: Mapping[str, Any]) -> Sequence[Frame]:
        if "hotelIds" in asked:
            known = [self.hotels[each][0] for each in asked["hotelIds"] if each in self.hotels]
            if not known:
                raise Refused(400, 4000, "hotel ids not found")
            return [known]
        if asked.get("placeId", "") not in {"", *self._places}:
            raise Refused(400, 4000, "invalid placeId")
        place = self._place_of(asked)
        scripted = [name.casefold() for name in place.names if name.casefold() in self._scripts]
        frames = self._scripts[scripted[0]] if scripted else _usual(place.names[0])
        for hotel in _hotels_of(frames):
            self.hotels[hotel.id] = (hotel, place)
        return frames

    def _place_of(self, asked: Mapping[str, Any]) -> Place:
        around = f"{asked['latitude']},{asked['longitude']}" if "latitude" in asked else ""
        by_id = self._places.get(asked.get("placeId", ""))
        known = [asked.get("cityName"), by_id, asked.get("iataCode"), asked.get("aiSearch"), around]
        named = [name for name in known if name]
        lat, lon = float(asked.get("latitude", 0)), float(asked.get("longitude", 0))

        def distance(airport: Mapping[str, Any]) -> tuple[bool, float]:
            is_another = airport["iata"] not in named and airport["city"] not in named
            return is_another, abs(airport["lat"] - lat) + abs(airport["lon"] - lon)

        near = sorted(airports().values(), key=distance)[: 8 if around else 1]
        names = [*named, *(airport["city"] for airport in near)]
        country = asked.get("countryCode") or near[0]["country"]
        return Place(names, country, lat or near[0]["lat"], lon or near[0]["lon"])

    def _pieces(self, asked: Mapping[str, Any]) -> list[list[Any]]:
        """Return what each frame tells of the hotels that are asked for and have such a rate."""
        frames = self._frames_at(asked)
        start, limit = asked.get("offset", 0), asked.get("limit", 200)
        ids = list(dict.fromkeys(hotel.id for hotel in _hotels_of(frames)))[start : start + limit]
        stars, rating = asked.get("starRating"), asked.get("minRating", 0)

        def is_wanted(hotel: Hotel) -> bool:
            has_stars = not stars or hotel.stars in stars
            return hotel.id in ids and has_stars and hotel.rating >= rating and bool(_rates_of(hotel, asked))

        return [
            [frame] if isinstance(frame, Mapping | bytes) else [hotel for hotel in frame if is_wanted(hotel)]
            for frame in frames
        ]

    def _names(self, hotels: Sequence[Hotel]) -> list[dict[str, Any]]:
        once = {hotel.id: hotel for hotel in hotels}.values()
        return [self._about(hotel) for hotel in once]

    def _about(self, hotel: Hotel) -> dict[str, Any]:
        place = self.hotels[hotel.id][1]
        off = crc32(hotel.id.encode()) % 100 / 10_000
        picture = f"https://static.example/{hotel.id}"
        return {
            "id": hotel.id, "name": hotel.name, "address": "1 First Street",
            "main_photo": f"{picture}.jpg", "thumbnail": f"{picture}-s.jpg",
            "country_code": place.country, "city_name": place.names[0],
            "latitude": place.lat + off, "longitude": place.lon + off,
            "rating": hotel.rating, "stars": hotel.stars, "review_count": 312,
        }  # fmt: skip

    def _rates(self, search: Search, hotel: Hotel) -> dict[str, Any]:
        rates = _rates_of(hotel, search.query)[: search.query.get("maxRatesPerHotel") or None]
        return {"hotelId": hotel.id, "roomTypes": [self._offer(search, hotel, rate).shown for rate in rates]}

    def _offer(self, search: Search, hotel: Hotel, rate: Rate) -> Offer:
        if (key := (search, hotel.id, rate)) in self._offered:
            return self._offered[key]
        asked = search.query
        offer_id = self.new_id("GE5") + "QVB5" * 220
        money, rooms, nights = asked["currency"], asked["occupancies"], _nights(asked)
        nightly = Decimal(60 + crc32(f"{hotel.name}{rate.room}".encode()) % 200) + Decimal("0.55")
        beds = sum(age > 2 for room in rooms for age in room.get("children") or ())
        price = Decimal(rate.price) if rate.price else nightly * nights * len(rooms) + beds * 10 * nights
        share = (price / len(rooms)).quantize(Decimal("0.01"))
        room_rates = [
            {
                "rateId": f"{offer_id[:30]}-{number}", "occupancyNumber": number, "name": rate.room,
                "maxOccupancy": 4, "adultCount": room["adults"], "childCount": len(room.get("children", ())),
                "childrenAges": room.get("children", []), "boardType": rate.board, "remarks": "",
                "boardName": {"RO": "Room Only"}.get(rate.board, rate.board),
                "priceType": "commission", "commission": [_money(share / 20, money)],
                "retailRate": {
                    "total": [_money(share, money)], "initialPrice": None,
                    "suggestedSellingPrice": [{**_money(share * 2, money), "source": "providerDirect"}],
                    "taxesAndFees": _taxes(rate, money), "promotions": None,
                },
                "cancellationPolicies": _policies(rate, asked, share),
                "paymentTypes": ["NUITEE_PAY"], "perks": [],
            }
            for number, room in enumerate(rooms, 1)
        ]  # fmt: skip
        # Documented as an array, shown as an object: so it is either.
        whole: Any = _money(price, money)
        whole = [whole] if len(self.offers) % 2 else whole
        shown = {
            "roomTypeId": offer_id[4:24], "offerId": offer_id, "supplier": "nuitee", "supplierId": 2,
            "rates": room_rates, "offerRetailRate": whole, "suggestedSellingPrice": whole,
            "offerInitialPrice": whole, "priceType": "commission", "rateType": "standard",
        }  # fmt: skip
        offer = Offer(offer_id, hotel, rate, search, price, shown)
        self.offers[offer_id] = self._offered[key] = offer
        return offer

    # What does not change

    @route("GET /data/hotels")
    async def list_hotels(self, request: Request) -> Answer:
        query: dict[str, Any] = dict(request.query)
        if "hotelIds" in query:
            query["hotelIds"] = query["hotelIds"].split(",")
        if not query.keys() & set(PLACES) or ("cityName" in query) != ("countryCode" in query):
            raise Refused(400, 4000, "no place is given")
        hotels = [hotel for hotel in _hotels_of(self._frames_at(query)) if hotel.listed]
        start = int(query.get("offset", 0))
        stars = {float(each) for each in query.get("starRating", "").split(",") if each}
        shown = [hotel for hotel in hotels if not stars or hotel.stars in stars]
        shown = [hotel for hotel in shown if hotel.rating >= float(query.get("minRating", 0))]
        shown = shown[start : start + int(query.get("limit", 200))]
        return Answer(200, {"data": [self._described(hotel) for hotel in shown], "total": len(hotels)})

    def _described(self, hotel: Hotel) -> dict[str, Any]:
        about = self._about(hotel)
        return {
            **about, "hotelDescription": f"<p>{hotel.name} <b>is quiet</b><script>alert(1)</script></p>",
            "currency": "EUR", "country": about["country_code"].lower(), "city": about["city_name"],
            "zip": "10001",
        }  # fmt: skip

    @route("GET /data/hotel")
    async def read_hotel(self, request: Request) -> Answer:
        hotel_id = request.query.get("hotelId", "")
        if hotel_id not in self.hotels:
            raise Refused(400, 4000, "hotel ids not found")
        described = self._described(self.hotels[hotel_id][0])
        return Answer(200, {"data": {
            **described, "starRating": described["stars"], "hotelImages": [{"url": described["main_photo"]}],
            "checkinCheckoutTimes": {"checkin": "15:00", "checkout": "11:00"}, "hotelFacilities": ["WiFi"],
            "location": {"latitude": described["latitude"], "longitude": described["longitude"]},
            "hotelImportantInformation": "<p>Bring a passport.</p>",
        }})  # fmt: skip

    @route("GET /data/places")
    async def suggest_places(self, request: Request) -> Answer:
        text = request.query.get("textQuery", "")
        if not text:
            raise Refused(400, 4000, "textQuery is required")
        place_id = "ChIJ" + sha256(text.encode()).hexdigest()[:23]
        self._places[place_id] = text
        place = {"placeId": place_id, "displayName": text, "formattedAddress": text, "types": ["locality"]}
        return Answer(200, {"data": [place]})

    # Booking, at the other host

    @route("POST /rates/prebook", host=1)
    async def prebook(self, request: Request) -> Answer:
        offer = self.offers.get(request.body.get("offerId", ""))
        if offer is None:
            raise Refused(400, 4002, "invalid offerId")
        if self.now >= offer.search.at + timedelta(seconds=self.offer_life_s):
            raise Refused(408, 4040, "the offer is outdated")
        change = self._changes.pop(0) if self._changes else {"price_by": Decimal(0)}
        before, offer.price = offer.price, offer.price + change["price_by"]
        if change.get("cancellation"):
            offer.rate = Rate(
                offer.rate.price, offer.rate.room, offer.rate.board, None, offer.rate.tax_at_hotel
            )
        asked = offer.search.query
        for rate in offer.shown["rates"]:
            share = (offer.price / len(offer.shown["rates"])).quantize(Decimal("0.01"))
            rate["retailRate"]["total"] = [_money(share, asked["currency"])]
            rate["cancellationPolicies"] = _policies(offer.rate, asked, share)
            rate["boardType"] = "RO" if change.get("board") else rate["boardType"]
        prebook = {
            "prebookId": self.new_id("pre"), "offerId": offer.id, "hotelId": offer.hotel.id,
            "checkin": asked["checkin"], "checkout": asked["checkout"], "currency": asked["currency"],
            "price": _number(offer.price), "commission": _number(offer.price / 20),
            "priceDifferencePercent": _number((offer.price - before) / before * 100),
            "cancellationChanged": change.get("cancellation", False),
            "boardChanged": change.get("board", False),
            "roomTypes": [offer.shown], "termsAndConditions": "<p>As the hotel says.</p>",
        }  # fmt: skip
        self.prebooks[prebook["prebookId"]] = prebook
        return Answer(200, {"data": prebook})

    @route("POST /rates/book", writes=True, host=1)
    async def book(self, request: Request) -> Answer:
        asked = request.body
        prebook = self.prebooks.get(asked.get("prebookId", ""))
        if prebook is None:
            raise Refused(400, 4002, "invalid prebookId")
        reference = asked.get("clientReference")
        if reference and any(each["clientReference"] == reference for each in self.bookings.values()):
            raise Refused(400, 4005, "duplicate clientReference")
        offer = self.offers[prebook["offerId"]]
        _check_booking(asked, len(offer.search.query["occupancies"]))
        if self.now >= offer.search.at + timedelta(seconds=self.offer_life_s):
            raise Refused(400, 2013, "booking failed", description="booking not confirmed")
        booking = {
            "bookingId": self.new_id("bkg"), "clientReference": reference, "status": "CONFIRMED",
            "supplierBookingId": self.new_id("sup"), "hotelConfirmationCode": self.new_id("hot"),
            "checkin": prebook["checkin"], "checkout": prebook["checkout"], "holder": asked["holder"],
            "hotel": {"hotelId": offer.hotel.id, "name": offer.hotel.name}, "price": prebook["price"],
            "bookedRooms": [{"roomType": {"name": rate["name"]}, **rate} for rate in offer.shown["rates"]],
            "cancellationPolicies": _policies(offer.rate, offer.search.query, offer.price),
            "currency": prebook["currency"], "createdAt": self.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }  # fmt: skip
        self.bookings[booking["bookingId"]] = booking
        return Answer(200, {"data": booking, "guestLevel": 0, "sandbox": self.key.startswith("sand_")})

    @route("GET /bookings", host=1)
    async def list_bookings(self, request: Request) -> Answer:
        if "clientReference" not in request.query:
            raise Refused(400, 4000, "clientReference is required")
        wanted = request.query["clientReference"]
        found = [each for each in self.bookings.values() if each["clientReference"] == wanted]
        return Answer(200, {"data": found})

    @route("GET /bookings/{id}", host=1)
    async def read_booking(self, request: Request) -> Answer:
        return Answer(200, {"data": self._booked(request)})

    @route("PUT /bookings/{id}", writes=True, host=1)
    async def cancel_booking(self, request: Request) -> Answer:
        booking = self._booked(request)
        if booking["status"] != "CONFIRMED":
            raise Refused(400, 4000, "the booking is cancelled")
        policies = booking["cancellationPolicies"]
        fees = [] if policies["refundableTag"] == "RFN" else [booking["price"]]
        for info in policies["cancelPolicyInfos"] or ():
            if self.now >= datetime.strptime(info["cancelTime"], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC):
                fees.append(info["amount"])
        fee = max(fees, default=0)
        booking["status"] = "CANCELLED_WITH_CHARGES" if fee else "CANCELLED"
        refund = _number(Decimal(str(booking["price"])) - Decimal(str(fee)))
        told = {"cancellation_fee": fee, "refund_amount": refund, "currency": booking["currency"]}
        return Answer(200, {"data": {"bookingId": booking["bookingId"], "status": booking["status"], **told}})

    def _booked(self, request: Request) -> dict[str, Any]:
        if request.ids[0] not in self.bookings:
            raise Refused(404, 404, "there is no such booking")
        return self.bookings[request.ids[0]]


def _usual(place: str) -> list[list[Hotel]]:
    """Return the hotels of a place of which the test says nothing."""
    first, second, *others = [
        Hotel(f"Hôtel {place} 東京 & Sons"),
        Hotel(f"{place} Central", stars=5, rating=9.1),
        Hotel(f"Pension {place}", stars=2, rating=7.0, rates=(Rate(free_days=None, tax_at_hotel=None),)),
        Hotel(f"{place} <b>Garden</b>", stars=3, rating=8.0, listed=False),
    ]
    return [[first], [], [second, *others[:1]], others[1:]]


def _hotels_of(frames: Sequence[Frame]) -> list[Hotel]:
    return [hotel for frame in frames if not isinstance(frame, Mapping | bytes) for hotel in frame]


def _rates_of(hotel: Hotel, asked: Mapping[str, Any]) -> list[Rate]:
    boards = [board for board in asked.get("boardType", "").split(",") if board]
    refundable = asked.get("refundableRatesOnly", False)
    return [
        rate
        for rate in hotel.rates
        if (not boards or rate.board in boards) and (not refundable or rate.free_days is not None)
    ]


def _check_rates(asked: Mapping[str, Any]) -> None:
    for name in ("checkin", "checkout", "currency", "guestNationality", "occupancies"):
        if not asked.get(name):
            raise Refused(400, 4000, f"{name} is required")
    if not any(name in asked for name in PLACES) or ("cityName" in asked and "countryCode" not in asked):
        raise Refused(400, 4000, "no place is given")
    if "latitude" in asked and not ("longitude" in asked and asked.get("radius", 0) >= 1000):
        raise Refused(400, 4000, "longitude and a radius of at least 1000 are required")
    if len(asked["guestNationality"]) != 2 or len(asked["currency"]) != 3:
        raise Refused(400, 4000, "invalid guestNationality or currency")
    if any(not isinstance(room.get("adults"), int) or room["adults"] < 1 for room in asked["occupancies"]):
        raise Refused(400, 4000, "invalid occupancies")
    ages = [age for room in asked["occupancies"] for age in room.get("children") or ()]
    if any(not isinstance(age, int) or not 0 <= age < 18 for age in ages):
        raise Refused(400, 4000, "invalid ages of children")
    try:
        nights = _nights(asked)
    except ValueError:
        nights = 0
    if nights < 1:
        raise Refused(400, 4000, "invalid dates")


def _check_booking(asked: Mapping[str, Any], rooms: int) -> None:
    if any(not asked.get("holder", {}).get(name) for name in ("firstName", "lastName", "email", "phone")):
        raise Refused(400, 4000, "invalid holder")
    guests = asked.get("guests") or []
    if {guest.get("occupancyNumber") for guest in guests} != set(range(1, rooms + 1)):
        raise Refused(400, 4000, "there is not a guest for each room")
    if any(not guest.get(name) for guest in guests for name in ("firstName", "lastName", "email")):
        raise Refused(400, 4000, "invalid guests")
    payment = asked.get("payment") or {}
    if payment.get("method") == "TRANSACTION_ID" and not payment.get("transactionId"):
        raise Refused(400, 2014, "payment is incomplete")
    if payment.keys() - {"method", "transactionId"} or payment.get("method") not in PAYMENTS:
        raise Refused(400, 4000, "invalid payment")


def _nights(asked: Mapping[str, Any]) -> int:
    return (date.fromisoformat(asked["checkout"]) - date.fromisoformat(asked["checkin"])).days


def _policies(rate: Rate, asked: Mapping[str, Any], amount: Decimal) -> dict[str, Any]:
    infos = []
    if not rate.rules:
        return {"cancelPolicyInfos": None, "hotelRemarks": [], "refundableTag": None}
    if rate.free_days is not None:
        until = date.fromisoformat(asked["checkin"]) - timedelta(days=rate.free_days)
        money = _money(amount, asked["currency"])
        infos = [{"cancelTime": f"{until} 02:00:00", **money, "type": "amount", "timezone": "GMT"}]
    tag = "NRFN" if rate.free_days is None else "RFN"
    return {"cancelPolicyInfos": infos, "hotelRemarks": [], "refundableTag": tag}


def _taxes(rate: Rate, money: str) -> list[dict[str, Any]]:
    taxes = [{"included": True, "description": "VAT", **_money(Decimal("1.6"), money)}]
    if rate.tax_at_hotel is not None:
        taxes.append(
            {"included": False, "description": "City tax", **_money(Decimal(rate.tax_at_hotel), money)}
        )
    return taxes


def _money(amount: Decimal, money: str) -> dict[str, Any]:
    return {"amount": _number(amount), "currency": money}


def _number(amount: Decimal) -> float | int:
    """Return an amount as JSON has it: a number, and without a point where it is whole."""
    rounded = amount.quantize(Decimal("0.01"))
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)


def _frame(value: Any) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"
