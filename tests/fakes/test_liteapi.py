"""The stand-in of LiteAPI keeps to what is known of the service, and goes wrong as a test says."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from tests.fakes import Gate
from tests.fakes.liteapi import Hotel, LiteApi, Rate
from tests.fakes.service import Alter, Drop, Hold, Refuse
from tests.fakes.waiting import until

RATES = "POST /hotels/rates"
BOOK = "POST /rates/book"
ADA = {"firstName": "Ada", "lastName": "Byron", "email": "ada@example.com"}


class Traveller:
    """A client of the stand-in, for one stay."""

    def __init__(self, liteapi: LiteApi, http: httpx.AsyncClient) -> None:
        self.liteapi, self.http = liteapi, http
        self.day = (liteapi.now + timedelta(days=30)).date()

    def asked(self, city: str = "Tokyo", **more: Any) -> dict[str, Any]:
        return {
            "checkin": str(self.day), "checkout": str(self.day + timedelta(days=3)), "currency": "USD",
            "guestNationality": "DE", "occupancies": [{"adults": 2, "children": []}],
            "countryCode": "JP", "cityName": city, **more,
        }  # fmt: skip

    async def search(self, **more: Any) -> httpx.Response:
        return await self.http.post(f"{self.liteapi.url}/hotels/rates", json=self.asked(**more))

    async def stream(self, parts: list[bytes], **more: Any) -> list[Any]:
        """Read a stream to its end, into `parts` as they come; return its frames."""
        asked = self.asked(stream=True, **more)
        async with self.http.stream("POST", f"{self.liteapi.url}/hotels/rates", json=asked) as answer:
            async for part in answer.aiter_raw():
                parts.append(part)
        frames = [frame.removeprefix(b"data: ") for frame in b"".join(parts).rstrip().split(b"\n\n")]
        return [frame.decode() if frame == b"[DONE]" else json.loads(frame) for frame in frames]

    async def prebook(self) -> Any:
        offer = (await self.search()).json()["data"][0]["roomTypes"][0]
        asked = {"offerId": offer["offerId"], "usePaymentSdk": False}
        return await self.http.post(f"{self.liteapi.book_url}/rates/prebook", json=asked)

    async def book(self, prebook: httpx.Response, **more: Any) -> httpx.Response:
        asked = {
            "prebookId": prebook.json()["data"]["prebookId"], "clientReference": "ref-1",
            "holder": {**ADA, "phone": "+442080160509"}, "guests": [{**ADA, "occupancyNumber": 1}],
            "payment": {"method": "ACC_CREDIT_CARD"}, **more,
        }  # fmt: skip
        return await self.http.post(f"{self.liteapi.book_url}/rates/book", json=asked)


@pytest.fixture
async def liteapi() -> AsyncIterator[LiteApi]:
    async with LiteApi() as liteapi:
        yield liteapi


@pytest.fixture
async def traveller(liteapi: LiteApi) -> AsyncIterator[Traveller]:
    async with httpx.AsyncClient(headers={"X-API-Key": liteapi.key}) as http:
        yield Traveller(liteapi, http)


def refusal(response: httpx.Response) -> tuple[int, int]:
    return response.status_code, response.json()["error"]["code"]


async def test_rates_are_numbers_for_the_stay_and_arrays_or_objects_by_turns(traveller: Traveller) -> None:
    traveller.liteapi.script("Tokyo", [[Hotel("Mori", (Rate("310.50"), Rate("299", free_days=None)))]])
    answer = (await traveller.search(includeHotelData=True)).json()
    assert answer["hotels"][0]["name"] == "Mori"
    [first, second] = answer["data"][0]["roomTypes"]
    assert first["offerRetailRate"] == {"amount": 310.5, "currency": "USD"}
    assert second["offerRetailRate"] == [{"amount": 299, "currency": "USD"}]
    tags = [room["rates"][0]["cancellationPolicies"]["refundableTag"] for room in (first, second)]
    assert tags == ["RFN", "NRFN"]
    assert len(first["offerId"]) > 800


async def test_a_stream_names_its_hotels_last_and_is_split_within_frames(traveller: Traveller) -> None:
    *rates, names, done = await traveller.stream(parts := [])
    assert done == "[DONE]"
    assert (parts[-2], parts[-1]) == (b"ONE]", b"\n")
    assert any("Hôtel" in hotel["name"] for hotel in names["hotels"])
    in_rates = [item["hotelId"] for frame in rates for item in frame["rates"]]
    assert in_rates == [hotel["id"] for hotel in names["hotels"]]
    assert len(parts) > 3 * len(rates)


async def test_frames_of_a_stream_are_altered_as_answers_are(traveller: Traveller) -> None:
    traveller.liteapi.fault(RATES, Alter(lambda told: {"altered": [*told]}))
    *told, done = await traveller.stream([])
    assert told == [{"altered": ["rates"]}] * 4 + [{"altered": ["hotels"]}]
    assert done == "[DONE]"


@pytest.mark.parametrize(
    ("fault", "times", "checkin"),
    [
        (Refuse(500, when="after"), 1, ""),
        (Drop("midway", pieces=9), 1, "2099-01-01"),
        (Alter(lambda told: told), 1, "2099-01-01"),
        (Refuse(500), 2, "2099-01-01"),
    ],
)
async def test_a_fault_that_makes_no_difference_fails_its_test(
    traveller: Traveller, fault: Any, times: int, checkin: str
) -> None:
    traveller.liteapi.fault(RATES, fault, times=times)
    await traveller.search(stream=True, checkin=checkin, checkout="2099-01-03")
    with pytest.raises(AssertionError, match="no request, or too few"):
        await traveller.liteapi.__aexit__(None, None, None)


async def test_a_stream_waits_for_the_test_and_is_told_to_be_closed(traveller: Traveller) -> None:
    traveller.liteapi.held = True
    parts: list[bytes] = []
    async with asyncio.TaskGroup() as group:
        stream = group.create_task(traveller.stream(parts))
        asked = await traveller.liteapi.asked(RATES)
        search = await traveller.liteapi.searched()
        search.release(1)
        await until(lambda: search.waiting and b"".join(parts).endswith(b"\n\n"))
        stream.cancel()
    await asked.cut()
    assert b"".join(parts).count(b"data: ") == 1


async def test_a_stream_is_cut_in_the_middle_of_a_frame_and_lacks_its_end(traveller: Traveller) -> None:
    traveller.liteapi.fault(RATES, Drop("midway", 1))
    parts: list[bytes] = []
    with pytest.raises(httpx.RemoteProtocolError):
        await traveller.stream(parts)
    assert b"".join(parts).count(b"\n\n") == 1
    assert not b"".join(parts).endswith(b"\n")
    traveller.liteapi.ends = ()
    error = {"error": {"code": 5000, "message": "upstream"}}
    traveller.liteapi.script("Tokyo", [[Hotel("Mori")], error])
    assert [*(await traveller.stream([]))[1:]] == [error]


async def test_nothing_free_has_no_body_or_an_error_in_it(traveller: Traveller) -> None:
    traveller.liteapi.script("Tokyo", [])
    nothing = await traveller.search(stream=True)
    assert (nothing.status_code, nothing.content) == (204, b"")
    traveller.liteapi.empty_status = 200
    assert refusal(await traveller.search()) == (200, 2001)


async def test_filters_and_the_limit_leave_hotels_out(traveller: Traveller) -> None:
    async def stars(**filters: Any) -> int:
        return len((await traveller.search(**filters)).json()["data"])

    assert [
        await stars(),
        await stars(limit=2),
        await stars(starRating=[5.0]),
        await stars(boardType="BB"),
    ] == [4, 2, 1, 3]
    listed = {"countryCode": "JP", "cityName": "Tokyo"}
    answer = await traveller.http.get(f"{traveller.liteapi.url}/data/hotels", params=listed)
    assert len(answer.json()["data"]) == 3  # one is in the rates alone
    assert "<p>" in answer.json()["data"][0]["hotelDescription"]
    wrong = await traveller.search(occupancies=[])
    assert refusal(wrong) == (400, 4000)


@pytest.mark.parametrize(
    "place",
    [{"iataCode": "NRT"}, {"latitude": 35.69, "longitude": 139.7, "radius": 5000}, {"placeId": ""}],
)
async def test_a_place_is_found_by_its_code_its_point_and_its_id(traveller: Traveller, place: Any) -> None:
    liteapi = traveller.liteapi
    liteapi.script("Tokyo", [[Hotel("Mori")]])
    found = await traveller.http.get(f"{liteapi.url}/data/places", params={"textQuery": "Tokyo"})
    if "placeId" in place:
        place = {"placeId": found.json()["data"][0]["placeId"]}
    asked = {
        name: value for name, value in traveller.asked().items() if name not in ("cityName", "countryCode")
    }
    answer = await traveller.http.post(
        f"{liteapi.url}/hotels/rates", json=asked | place | {"includeHotelData": True}
    )
    [hotel] = answer.json()["hotels"]
    assert hotel["name"] == "Mori"
    assert "placeId" in place or (round(hotel["latitude"]), hotel["country_code"]) in {(36, "JP")}


async def test_each_host_answers_its_own_routes(traveller: Traveller) -> None:
    wrong = await traveller.http.post(f"{traveller.liteapi.url}/rates/prebook", json={})
    assert wrong.status_code == 404
    traveller.liteapi.unasked.clear()
    keyless = await traveller.http.get(
        f"{traveller.liteapi.book_url}/bookings", headers={"X-API-Key": "sand_other"}
    )
    assert refusal(keyless) == (401, 401)


async def test_a_prebook_tells_what_changed_and_an_old_offer_is_refused(traveller: Traveller) -> None:
    traveller.liteapi.script("Tokyo", [[Hotel("Mori", (Rate("200.00"),))]])
    traveller.liteapi.change_next(price_by="5.00", cancellation=True)
    told = (await traveller.prebook()).json()["data"]
    flags = [
        told[name] for name in ("price", "priceDifferencePercent", "cancellationChanged", "boardChanged")
    ]
    assert flags == [205, 2.5, True, False]
    assert [(await traveller.prebook()).json()["data"]["priceDifferencePercent"]] == [0]
    traveller.liteapi.offer_life_s = 0
    assert refusal(await traveller.prebook()) == (408, 4040)


async def test_a_reference_books_once_and_finds_a_booking_whose_answer_is_lost(traveller: Traveller) -> None:
    liteapi = traveller.liteapi
    prebook = await traveller.prebook()
    liteapi.fault(BOOK, Drop("after"))
    with pytest.raises(httpx.RemoteProtocolError):
        await traveller.book(prebook)
    assert refusal(await traveller.book(prebook)) == (400, 4005)
    found = await traveller.http.get(f"{liteapi.book_url}/bookings", params={"clientReference": "ref-1"})
    assert [booking["bookingId"] for booking in found.json()["data"]] == list(liteapi.bookings)
    liteapi.fault(BOOK, Refuse(500, 5000, "after"))
    assert refusal(await traveller.book(prebook, clientReference="ref-2")) == (500, 5000)
    assert len(liteapi.bookings) == 2


async def test_a_booking_is_made_although_its_client_has_gone(traveller: Traveller) -> None:
    prebook, gate = await traveller.prebook(), Gate()
    traveller.liteapi.fault(BOOK, Hold(gate))
    async with asyncio.TaskGroup() as group:
        booking = group.create_task(traveller.book(prebook))
        await gate.arrived()
        booking.cancel()
    gate.open()
    await traveller.liteapi.settled()
    assert len(traveller.liteapi.bookings) == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"guests": []}, 4000),
        ({"holder": ADA}, 4000),
        ({"prebookId": "another"}, 4002),
        ({"payment": {"method": "TRANSACTION_ID"}}, 2014),
        ({"payment": {"method": "ACC_CREDIT_CARD", "number": "4242"}}, 4000),
    ],
)
async def test_a_booking_that_is_wrong_is_refused(traveller: Traveller, change: Any, code: int) -> None:
    assert refusal(await traveller.book(await traveller.prebook(), **change)) == (400, code)
    assert not traveller.liteapi.bookings


@pytest.mark.parametrize(
    ("free_days", "days_later", "told"),
    [
        (2, 0, ("CANCELLED", 0, 200)),
        (2, 29, ("CANCELLED_WITH_CHARGES", 200, 0)),
        (None, 0, ("CANCELLED_WITH_CHARGES", 200, 0)),
    ],
)
async def test_cancelling_costs_what_the_policies_say(
    traveller: Traveller, free_days: int | None, days_later: int, told: Any
) -> None:
    liteapi = traveller.liteapi
    liteapi.script("Tokyo", [[Hotel("Mori", (Rate("200.00", free_days=free_days),))]])
    booking = (await traveller.book(await traveller.prebook())).json()["data"]
    liteapi.advance(days_later * 86_400)
    cancelled = (await traveller.http.put(f"{liteapi.book_url}/bookings/{booking['bookingId']}")).json()[
        "data"
    ]
    assert tuple(cancelled[name] for name in ("status", "cancellation_fee", "refund_amount")) == told
    assert liteapi.bookings[booking["bookingId"]]["status"] == told[0]
