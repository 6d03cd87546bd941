"""The stand-in of Duffel keeps to what is known of the service, and goes wrong as a test says."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
import pytest

from tests.fakes import Gate
from tests.fakes.duffel import Duffel, Flight
from tests.fakes.service import Alter, Drop, Hold, Refuse
from tests.fakes.waiting import until

READ = "GET /air/batch_offer_requests/{id}"
ORDER = "POST /air/orders"
PERSON = {
    "title": "ms", "given_name": "Ada", "family_name": "Byron", "gender": "f", "born_on": "1987-07-24",
    "email": "ada@example.com", "phone_number": "+442080160509",
}  # fmt: skip


class Traveller:
    """A client of the stand-in, for one journey."""

    def __init__(self, duffel: Duffel, http: httpx.AsyncClient) -> None:
        self.duffel, self.http = duffel, http
        self.day = (duffel.now + timedelta(days=30)).date().isoformat()

    async def post(self, path: str, **data: Any) -> httpx.Response:
        return await self.http.post(path, json={"data": data})

    async def search(self, origin: str = "BER", destination: str = "FCO", **more: Any) -> httpx.Response:
        leg = {"origin": origin, "destination": destination, "departure_date": self.day}
        asked = {"slices": [leg], "passengers": [{"type": "adult"}], **more}
        return await self.post("/air/batch_offer_requests/?supplier_timeout=20000", **asked)

    async def poll(self, search: httpx.Response) -> httpx.Response:
        return await self.http.get(f"/air/batch_offer_requests/{search.json()['data']['id']}")

    async def batches(self, search: httpx.Response) -> list[tuple[int, list[Any]]]:
        read: list[tuple[int, list[Any]]] = []
        while not read or read[-1][0] > 0:
            told = (await self.poll(search)).json()["data"]
            read.append((told["remaining_batches"], told["offers"]))
        return read

    async def offers(self, *route: str) -> list[Any]:
        return [offer for _, offers in await self.batches(await self.search(*route)) for offer in offers]

    async def order(self, offer: Any, **more: Any) -> httpx.Response:
        people = [{**PERSON, "id": offer["passengers"][0]["id"]}]
        asked = {"type": "hold", "selected_offers": [offer["id"]], "passengers": people, **more}
        return await self.post("/air/orders", **asked)


@pytest.fixture
async def duffel() -> AsyncIterator[Duffel]:
    async with Duffel() as duffel:
        yield duffel


@pytest.fixture
async def traveller(duffel: Duffel) -> AsyncIterator[Traveller]:
    headers = {
        "Authorization": f"Bearer {duffel.token}",
        "Duffel-Version": "v2",
        "Accept": "application/json",
    }
    async with httpx.AsyncClient(base_url=duffel.url, headers=headers) as http:
        yield Traveller(duffel, http)


def refusal(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["errors"][0]["code"]


async def test_batches_fall_unevenly_and_each_offer_comes_once(traveller: Traveller) -> None:
    read = await traveller.batches(await traveller.search())
    assert [remaining for remaining, _ in read] == [2, 1, 0]
    ids = [offer["id"] for _, offers in read for offer in offers]
    assert len(set(ids)) == len(ids) == 5


async def test_an_offer_has_money_as_text_and_the_local_times_of_its_airports(traveller: Traveller) -> None:
    flight = Flight("1221.78", departs="23:50", stops=1, minutes=900, airline="<b>Bold</b>")
    traveller.duffel.script("JFK", "TYO", [[flight]])
    [offer] = await traveller.offers("JFK", "TYO")
    assert (offer["total_amount"], offer["total_currency"]) == ("1221.78", "EUR")
    assert [offer["slices"][0][end] for end in ("origin_type", "destination_type")] == ["airport", "city"]
    first, last = offer["slices"][0]["segments"]
    assert first["departing_at"] == f"{traveller.day}T23:50:00"
    assert last["arriving_at"].endswith("T04:50:00")  # fifteen hours on, and fourteen ahead
    assert last["destination"]["time_zone"] == "Asia/Tokyo"
    assert (
        offer["owner"]
        == last["marketing_carrier"]
        == {**offer["owner"], "iata_code": "ZZ", "name": "<b>Bold</b>"}
    )


async def test_the_clocks_change_on_the_way(traveller: Traveller) -> None:
    traveller.duffel.now = datetime(2027, 3, 1, tzinfo=UTC)
    traveller.day = "2027-03-28"
    traveller.duffel.script("BER", "FCO", [[Flight(departs="01:30", minutes=120)]])
    [offer] = await traveller.offers()
    assert offer["slices"][0]["segments"][0]["arriving_at"] == "2027-03-28T04:30:00"


async def test_a_return_for_a_child_has_two_slices_and_the_travellers_asked_for(traveller: Traveller) -> None:
    traveller.duffel.script("BER", "FCO", [[Flight()]])
    legs = [("BER", "FCO"), ("FCO", "BER")]
    slices = [{"origin": a, "destination": b, "departure_date": traveller.day} for a, b in legs]
    search = await traveller.search(slices=slices, passengers=[{"type": "adult"}, {"age": 9}])
    [(_, [offer])] = await traveller.batches(search)
    assert sorted(person["age"] or 18 for person in offer["passengers"]) == [9, 18]
    assert [leg["destination"]["iata_code"] for leg in offer["slices"]] == ["FCO", "BER"]
    people = [
        {**PERSON, "id": each["id"], "given_name": name}
        for each, name in zip(offer["passengers"], "AB", strict=True)
    ]
    assert refusal(await traveller.order(offer, passengers=people)) == (
        422,
        "order_passengers_incompatible_with_offer",
    )
    child = next(at for at, each in enumerate(offer["passengers"]) if each["age"] == 9)
    people[child]["born_on"] = f"{int(traveller.day[:4]) - 9}{traveller.day[4:]}"
    assert (await traveller.order(offer, passengers=people)).status_code == 201
    wrong = await traveller.search(passengers=[{"type": "adult", "age": 9}])
    assert wrong.json()["errors"][0]["source"]["pointer"] == "/passengers/0/type"


async def test_infant_flies_with_an_adult_of_its_own(traveller: Traveller) -> None:
    traveller.duffel.script("BER", "FCO", [[Flight()]])
    two = [{"type": "adult"}, {"age": 0}, {"age": 1}]
    assert (await traveller.search(passengers=two)).status_code == 422
    [(_, [offer])] = await traveller.batches(await traveller.search(passengers=two[:2]))
    (adult,) = [each["id"] for each in offer["passengers"] if each["age"] is None]
    (infant,) = [each["id"] for each in offer["passengers"] if each["age"] == 0]
    people = [
        {**PERSON, "id": adult},
        {**PERSON, "id": infant, "given_name": "Bob", "born_on": traveller.day},
    ]
    assert refusal(await traveller.order(offer, passengers=people)) == (422, "validation_required")
    people[0]["infant_passenger_id"] = adult
    assert refusal(await traveller.order(offer, passengers=people))[0] == 422
    people[0]["infant_passenger_id"] = infant
    assert (await traveller.order(offer, passengers=people)).status_code == 201


PASSPORT = {
    "type": "passport", "unique_identifier": "C01X00T47", "issuing_country_code": "DE",
    "expires_on": "2099-01-01",
}  # fmt: skip


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({}, None),
        ({"type": "tax_id"}, "validation_format"),
        ({"unique_identifier": ""}, "validation_format"),
        ({"issuing_country_code": "Germany"}, "validation_format"),
        ({"expires_on": "2020-01-01"}, "validation_format"),
    ],
)
async def test_passport_that_is_none_is_refused(traveller: Traveller, document: Any, code: Any) -> None:
    traveller.duffel.script("BER", "FCO", [[Flight(documents=True)]])
    [offer] = await traveller.offers()
    person = {**PERSON, "id": offer["passengers"][0]["id"]}
    assert refusal(await traveller.order(offer, passengers=[person])) == (422, "validation_required")
    told = {**person, "identity_documents": [{**PASSPORT, **document}]}
    answer = await traveller.order(offer, passengers=[told])
    assert (answer.status_code == 201) if code is None else (refusal(answer) == (422, code))


async def test_batches_come_at_a_pace(traveller: Traveller) -> None:
    traveller.duffel.pace_s = 0
    assert len((await traveller.batches(await traveller.search()))[-1][1]) >= 1


async def test_a_poll_waits_for_batches_and_expires_a_minute_after_its_search(traveller: Traveller) -> None:
    duffel = traveller.duffel
    duffel.held = True
    search = await traveller.search()
    async with asyncio.TaskGroup() as group:
        poll = group.create_task(traveller.poll(search))
        await duffel.asked(READ)
        duffel.release(3)
    assert poll.result().json()["data"]["remaining_batches"] == 3
    async with asyncio.TaskGroup() as group:
        poll = group.create_task(traveller.poll(search))
        await duffel.asked(READ, 2)
        duffel.searches[0].end_polls()
    assert (poll.result().json()["data"]["remaining_batches"], poll.result().json()["data"]["offers"]) == (
        3,
        [],
    )
    async with asyncio.TaskGroup() as group:
        poll = group.create_task(traveller.poll(search))
        await until(lambda: duffel.searches[0].waiting)
        duffel.advance(60)
    assert refusal(poll.result()) == (404, "not_found")
    listed = await traveller.http.get("/air/offers", params={"offer_request_id": search.json()["data"]["id"]})
    assert len(listed.json()["data"]) == 3


async def test_a_poll_that_its_client_closes_is_told(traveller: Traveller) -> None:
    traveller.duffel.held = True
    search = await traveller.search()
    async with asyncio.TaskGroup() as group:
        poll = group.create_task(traveller.poll(search))
        asked = await traveller.duffel.asked(READ)
        poll.cancel()
    assert await asked.cut() <= asyncio.get_running_loop().time()
    assert asked.status is None


async def test_lists_come_in_pages_in_the_order_asked(traveller: Traveller) -> None:
    flights = [Flight(price) for price in ("9.50", "100.00", "20.00", "3.00", "50.00")]
    traveller.duffel.script("BER", "FCO", [flights, [Flight(same_as=0)]])
    traveller.duffel.poll_reads = ()
    search = await traveller.search()
    (_, first), (_, again) = await traveller.batches(search)
    assert again == first[:1]
    query = {"offer_request_id": search.json()["data"]["id"], "sort": "-total_amount", "limit": "2"}
    prices, meta = [], {"after": ""}
    while meta["after"] is not None:
        answer = await traveller.http.get(
            "/air/offers", params=query | ({"after": meta["after"]} if prices else {})
        )
        prices += [offer["total_amount"] for offer in answer.json()["data"]]
        meta = answer.json()["meta"]
    assert prices == ["100.00", "50.00", "20.00", "9.50", "3.00"]
    before = await traveller.http.get("/air/offers", params=query | {"before": meta["before"]})
    assert [offer["total_amount"] for offer in before.json()["data"]] == ["20.00", "9.50"]


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({"Authorization": ""}, (401, "missing_authorization_header")),
        ({"Authorization": "Basic x"}, (401, "invalid_authorization_header")),
        ({"Authorization": "Bearer another"}, (401, "access_token_not_found")),
        ({"Duffel-Version": "v1"}, (400, "unsupported_version")),
        ({"Accept": "text/html"}, (406, "unsupported_format")),
        ({"Content-Type": "text/plain"}, (400, "invalid_content_type_header")),
    ],
)
async def test_wrong_headers_are_refused(traveller: Traveller, headers: Any, refused: Any) -> None:
    answer = await traveller.http.post("/air/orders", json={"data": {}}, headers=headers)
    assert refusal(answer) == refused
    assert answer.json()["meta"]["status"] == refused[0]
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["x-request-id"]


async def test_the_limit_of_requests_ends_with_its_window(traveller: Traveller) -> None:
    traveller.duffel.limit = 2
    assert [(await traveller.search()).headers["ratelimit-remaining"] for _ in range(2)] == ["1", "0"]
    refused = await traveller.search()
    assert refusal(refused) == (429, "rate_limit_exceeded")
    assert refused.headers["ratelimit-reset"].endswith("GMT")
    traveller.duffel.advance(60)
    assert (await traveller.search()).status_code == 201


async def test_an_order_is_held_paid_and_cancelled_by_its_quote(traveller: Traveller) -> None:
    duffel, balance = traveller.duffel, traveller.duffel.balance
    [offer, *_] = await traveller.offers()
    order = (await traveller.order(offer, metadata={"client_ref": "a"})).json()["data"]
    assert order["payment_status"]["awaiting_payment"]
    payment = {"type": "balance", "amount": offer["total_amount"], "currency": "EUR"}
    wrong = await traveller.post("/air/payments", order_id=order["id"], payment={**payment, "amount": "1.00"})
    assert refusal(wrong) == (422, "payment_amount_does_not_match_order_amount")
    for status in (201, 422):
        paid = await traveller.post("/air/payments", order_id=order["id"], payment=payment)
        assert paid.status_code == status
    quote = (await traveller.post("/air/order_cancellations", order_id=order["id"])).json()["data"]
    assert duffel.orders[order["id"]]["cancelled_at"] is None
    confirm = f"/air/order_cancellations/{quote['id']}/actions/confirm"
    assert [(await traveller.http.post(confirm)).status_code for _ in range(2)] == [200, 422]
    assert duffel.orders[order["id"]]["cancelled_at"]
    assert str(balance - duffel.balance) == "40.00"  # the airline's penalty
    assert len(duffel.payments) == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"type": "pay_later"}, "validation_format"),
        ({"type": "instant"}, "validation_required"),
        ({"selected_offers": []}, "validation_length"),
        ({"passengers": []}, "order_passengers_incompatible_with_offer"),
        ({"metadata": {"a b": "c"}}, "validation_format"),
        ({"person": {"given_name": "岡"}}, "invalid_passenger_name"),
        ({"person": {"phone_number": "020 8016"}}, "invalid_phone_number"),
        ({"person": {"born_on": "2020-01-01"}}, "order_passengers_incompatible_with_offer"),
    ],
)
async def test_an_order_that_is_wrong_is_refused(traveller: Traveller, change: Any, code: str) -> None:
    [offer, *_] = await traveller.offers()
    if "person" in change:
        change = {"passengers": [{**PERSON, "id": offer["passengers"][0]["id"], **change["person"]}]}
    assert refusal(await traveller.order(offer, **change)) == (422, code)
    assert not traveller.duffel.orders


async def test_an_offer_that_is_not_what_it_was_is_not_sold(traveller: Traveller) -> None:
    duffel = traveller.duffel
    duffel.script("BER", "FCO", [[Flight(), Flight(holdable=False), Flight(), Flight()]])
    moved, instant, gone, old = await traveller.offers()
    duffel.raise_price(moved["id"], "5.00")
    assert refusal(await traveller.order(moved)) == (422, "price_changed")
    assert (await traveller.http.get(f"/air/offers/{moved['id']}")).json()["data"]["total_amount"] == "226.78"
    assert refusal(await traveller.order(instant)) == (422, "unsupported_action")
    duffel.withdraw(gone["id"])
    assert refusal(await traveller.order(gone)) == (422, "offer_no_longer_available")
    duffel.advance(1200)
    assert refusal(await traveller.order(old)) == (422, "offer_expired")


async def test_an_offer_is_sold_at_the_price_that_was_read_last(traveller: Traveller) -> None:
    [offer, *_] = await traveller.offers()
    traveller.duffel.raise_price(offer["id"], "5.00")
    read = (await traveller.http.get(f"/air/offers/{offer['id']}")).json()["data"]
    order = (await traveller.order(read)).json()["data"]
    assert float(order["total_amount"]) == float(offer["total_amount"]) + 5


async def test_an_order_whose_request_is_lost_is_not_made(traveller: Traveller) -> None:
    [offer, *_] = await traveller.offers()
    traveller.duffel.fault(ORDER, Drop())
    with pytest.raises(httpx.RemoteProtocolError):
        await traveller.order(offer)
    await traveller.duffel.settled()
    assert not traveller.duffel.orders
    assert (await traveller.order(offer)).status_code == 201


async def test_an_order_whose_answer_is_lost_is_there_and_not_made_again(traveller: Traveller) -> None:
    [offer, *_] = await traveller.offers()
    traveller.duffel.fault(ORDER, Drop("after"))
    with pytest.raises(httpx.RemoteProtocolError):
        await traveller.order(offer)
    assert refusal(await traveller.order(offer)) == (422, "offer_request_already_booked")
    listed = (await traveller.http.get("/air/orders?awaiting_payment=true")).json()["data"]
    assert [order["id"] for order in listed] == list(traveller.duffel.orders)


async def test_an_order_is_made_although_its_client_has_gone(traveller: Traveller) -> None:
    duffel, gate = traveller.duffel, Gate()
    [offer, *_] = await traveller.offers()
    duffel.fault(ORDER, Hold(gate))
    async with asyncio.TaskGroup() as group:
        order = group.create_task(traveller.order(offer))
        await gate.arrived()
        order.cancel()
    await (await duffel.asked(ORDER)).cut()
    assert not duffel.orders
    gate.open()
    await duffel.settled()
    assert len(duffel.orders) == 1


@pytest.mark.parametrize("created", [True, False])
async def test_an_order_that_is_only_accepted_is_settled_later(traveller: Traveller, created: bool) -> None:
    [offer, *_] = await traveller.offers()
    traveller.duffel.next_order(202)
    assert (await traveller.order(offer)).status_code == 202
    assert refusal(await traveller.order(offer)) == (422, "order_creation_already_attempted")
    assert (await traveller.http.get("/air/orders")).json()["data"] == []
    traveller.duffel.settle(created=created)
    assert len((await traveller.http.get("/air/orders")).json()["data"]) == created


async def test_answers_fail_as_often_as_the_test_says(traveller: Traveller) -> None:
    duffel = traveller.duffel
    duffel.fault("GET /air/offers", Refuse(503), times=2)
    duffel.fault("GET /air/offers", Hold(gate := Gate(), "midway"), Drop("midway"))
    gate.open()
    duffel.fault("GET /air/offers", Refuse(429, reset_s=20))
    duffel.fault("GET /air/offers", Alter(lambda _: b"<html>"))
    duffel.fault("GET /air/offers", Refuse(502, text="<html>", headers={"content-type": "text/html"}))
    search = await traveller.search()
    query = {"offer_request_id": search.json()["data"]["id"]}
    assert [(await traveller.http.get("/air/offers", params=query)).status_code for _ in range(2)] == [
        503,
        503,
    ]
    with pytest.raises(httpx.RemoteProtocolError):
        await traveller.http.get("/air/offers", params=query)
    assert gate.passed == 1
    limited = await traveller.http.get("/air/offers", params=query)
    assert refusal(limited) == (429, "rate_limit_exceeded")
    reset = parsedate_to_datetime(limited.headers["ratelimit-reset"])
    assert (reset - parsedate_to_datetime(limited.headers["date"])).total_seconds() == 20
    assert (await traveller.http.get("/air/offers", params=query)).text == "<html>"
    page = await traveller.http.get("/air/offers", params=query)
    assert (page.status_code, page.text, page.headers["content-type"]) == (502, "<html>", "text/html")
    assert (await traveller.http.get("/air/offers", params=query)).json()["data"]


@pytest.mark.parametrize(
    ("route", "looks"),
    [(("PVD", "RAI"), []), (("LGW", "LHR"), [422, 422]), (("LHR", "STN"), [10, 20])],
)
async def test_the_routes_of_the_test_mode_behave_as_there(
    traveller: Traveller, route: Any, looks: Any
) -> None:
    offers = await traveller.offers(*route)
    seen = []
    for _ in looks:
        answer = await traveller.http.get(f"/air/offers/{offers[0]['id']}")
        told = answer.json().get("data")
        seen.append(
            float(told["total_amount"]) - float(offers[0]["total_amount"]) if told else answer.status_code
        )
    assert seen == looks
    assert bool(offers) == bool(looks)
    assert refusal(await traveller.search("STN", "LHR")) == (504, "gateway_timeout_error")
