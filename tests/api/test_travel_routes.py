"""The routes of the travel assistant: bookings, earlier requests, fares, and what a map is drawn from."""

import asyncio
import sys
from datetime import date, timedelta
from types import FrameType

import pytest
from starlette.requests import Request

from backend.domain.errors import ProviderError, TooManyRequests
from backend.travel.routes import travel_schemas
from backend.travel.routes.fares import MOST_WAITING, FareDesk
from backend.travel.routes.of_users import ANSWERED_WITHIN_S, MOST_BOOKINGS, bookings_router
from backend.travel.understanding.places.gazetteer import complete_place
from backend.travel.values.travel import DayFare, FlightQuery
from tests.agents.booking_guest import FLIGHTS, HOTELS, NOON, a_house
from tests.api.live import answer, refusal


@pytest.fixture
async def house(tmp_path):
    async with a_house(tmp_path) as guests:
        yield guests


async def bookings(house, user_id):
    found = await house.call("GET", f"/bookings/{user_id}")
    return answer(found, 200, travel_schemas.BookingsAnswer)["bookings"]


async def test_hold_has_its_expiry_and_then_is_expired(house):
    await house.say("ann", FLIGHTS)
    reference = await house.book("ann", "hold the cheapest flight")
    (held,) = await bookings(house, "ann")
    assert (held["reference"], held["kind"], held["state"]) == (reference, "hold", "held")
    assert held["expires_at"] == "2026-11-20T12:20:00.000Z"
    assert (held["cancellable"], held["demo"], held["refund"]) == (True, True, None)
    assert held["title"].endswith("on Fri 4 December 2026")
    assert held["price_total"] == held["offer"]["price_total"]
    house.later(minutes=21)
    (expired,) = await bookings(house, "ann")
    assert (expired["kind"], expired["state"]) == ("hold", "expired")
    assert (expired["expires_at"], expired["cancellable"]) == (None, False)


async def test_bookings_are_listed_latest_first_with_their_state(house):
    await house.say("ann", FLIGHTS)
    flight = await house.book("ann", "book the cheapest flight")
    house.later(minutes=1)
    await house.say("ann", HOTELS)
    hotel = await house.book("ann", "book the cheapest hotel")
    assert [(each["reference"], each["kind"]) for each in await bookings(house, "ann")] == [
        (hotel, "hotel"),
        (flight, "flight"),
    ]
    await house.say("ann", f"cancel {hotel}")
    await house.decide("ann", "allow")
    cancelled, booked = await bookings(house, "ann")
    assert (cancelled["state"], cancelled["cancellable"]) == ("cancelled", False)
    assert cancelled["refund"]["currency"] == "EUR"
    assert (booked["state"], booked["cancellable"], booked["expires_at"]) == ("booked", True, None)


async def test_booking_that_has_begun_cannot_be_cancelled(house):
    await house.say("ann", FLIGHTS)
    await house.book("ann", "book the cheapest flight")
    await house.say("ann", HOTELS)
    await house.book("ann", "book the cheapest hotel")
    house.later(days=15, hours=23)
    assert [each["cancellable"] for each in await bookings(house, "ann")] == [False, False]


async def test_bookings_of_another_user_are_not_listed(house):
    await house.say("ann", FLIGHTS)
    await house.book("ann", "book the cheapest flight")
    await house.say("bob", "hello")
    assert await bookings(house, "bob") == []


async def test_bookings_of_unknown_user_or_another_graph_return_404(house, api):
    refusal(await house.call("GET", "/bookings/nobody"), 404, "unknown_user")
    refusal(await house.call("GET", "/bookings/a b"), 422, "bad_input")
    await api.chat("ada", "find 1")
    refusal(await api.call("GET", "/bookings/ada"), 404, "not_found")


class Office:
    """Has many bookings, or never answers."""

    def __init__(self, found=None):
        self.found = found

    async def bookings(self, _user_id):
        return self.found if self.found is not None else await asyncio.Event().wait()


class Known:
    async def position(self, _user_id):
        return "somewhere"


def told(office):
    router = bookings_router(office, store=Known(), clock=lambda: NOON)
    return router.routes[0].endpoint("ann")


@pytest.mark.virtual_time
async def test_provider_that_does_not_answer_fails_in_time():
    began = asyncio.get_running_loop().time()
    with pytest.raises(ProviderError, match="in time"):
        await told(Office())
    assert asyncio.get_running_loop().time() - began == ANSWERED_WITHIN_S


async def test_bookings_are_bounded_to_the_latest(house):
    await house.say("ann", FLIGHTS)
    await house.book("ann", "hold the cheapest flight")
    (held,) = await house.detour._plugin.workflow._provider.bookings.bookings("ann")
    response = await told(Office([held] * (MOST_BOOKINGS + 1)))
    assert response.body.count(held.reference.encode()) == MOST_BOOKINGS


async def kept(house, user_id):
    found = await house.call("GET", f"/requests/{user_id}")
    return answer(found, 200, travel_schemas.KeptRequestsAnswer)["requests"]


async def offers(house, user_id, task_id):
    found = await house.call("GET", f"/requests/{user_id}/{task_id}")
    return answer(found, 200, travel_schemas.KeptOffersAnswer)


@pytest.mark.requirement("EARLIER-REQUESTS-RETURN")
async def test_finished_requests_keep_their_offers(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "actually, make it Paris")
    await house.say("ann", "hello")
    paris, first = await kept(house, "ann")
    assert paris["title"].endswith("to Paris, 4 December")
    assert first["message"] == FLIGHTS
    found = await offers(house, "ann", first["task_id"])
    assert found["partial_results"] == first["partial_results"] == {"flight": len(found["offers"]["flight"])}
    assert found["found_at"] == first["found_at"]


async def test_offers_of_another_user_return_404(house):
    await house.say("ann", FLIGHTS)
    await house.say("bob", HOTELS)
    [request] = await kept(house, "ann")
    refusal(await house.call("GET", f"/requests/bob/{request['task_id']}"), 404, "unknown_task")
    refusal(await house.call("GET", "/requests/carl"), 404, "unknown_user")


async def test_request_has_its_origin_and_cheapest_offers(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "actually, make it Paris")
    paris, first = await kept(house, "ann")
    assert (paris["from_task_id"], paris["relation"]) == (first["task_id"], "refine")
    assert (first["from_task_id"], first["relation"]) == (None, "new")
    found = (await offers(house, "ann", first["task_id"]))["offers"]["flight"]
    least = min(found, key=lambda offer: float(offer["price_total"]["amount"]))
    assert first["cheapest"] == {"flight": least["price_total"]}
    assert first["requests"]["flight"]["destination"]["label"] == "New York, New York, US"


async def test_repeated_request_is_listed_once(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    assert len(await kept(house, "ann")) == 1


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_fates_of_earlier_results_survive_a_restart(tmp_path):
    async with a_house(tmp_path, store="sqlite") as guests:
        await guests.say("ann", FLIGHTS)
        before = await guests.partial_results("ann")
        assert "results_sorted" not in before
        await guests.say("ann", "only direct ones")
        told = (await guests.partial_results("ann"))["results_sorted"]
    async with a_house(tmp_path, store="sqlite") as guests:
        after = await guests.partial_results("ann")
        assert after["results_sorted"] == told
    assert told["from_task_id"] == before["task_id"]
    sorted_ = told["results"]["flight"]
    assert sorted((*sorted_["stays"], *sorted_["goes"])) == list(
        range(len(before["partial_results"]["flight"]))
    )
    stays = [before["partial_results"]["flight"][at]["offer_id"] for at in sorted_["stays"]]
    assert set(stays) <= {offer["offer_id"] for offer in after["partial_results"]["flight"]}


DAY = date(2027, 3, 10)
QUERY = FlightQuery(origins=("BER",), destinations=("HND",), departure_date=DAY)
LEFT = [{"type": "http.disconnect"}]


class Calendar:
    """Tells a day for every permit; `begun` and `told` count, `closed` says that all have been closed."""

    def __init__(self, permits: int) -> None:
        self.permits = asyncio.Semaphore(permits)
        self.begun = self.ended = self.told = 0

    async def cheapest_by_day(self, query, *, days):
        self.begun += 1
        try:
            for count in range(-days, days + 1):
                await self.permits.acquire()
                self.told += 1
                yield DayFare(date=query.departure_date + timedelta(days=count), price_total=None)
        finally:
            self.ended += 1


def asking(messages=()):
    """A request whose client says these things, and then nothing."""
    left = list(messages)

    async def receive():
        return left.pop(0) if left else await asyncio.Event().wait()

    return Request({"type": "http"}, receive)


def fares_query(**changes):
    asked = {"origins": "ber", "destinations": "HND,NRT", "departure_date": "2026-12-10"}
    return {name: value for name, value in (asked | changes).items() if value is not None}


async def fares(api, **changes):
    found = await api.call("GET", "/fares", params=fares_query(**changes))
    return answer(found, 200, travel_schemas.FaresAnswer)["days"]


def later(days):
    return (date.today() + timedelta(days=days)).isoformat()  # noqa: DTZ011, TID251


async def test_fares_have_a_price_for_each_day(travel_api):
    found = await fares(travel_api, departure_date=later(30), days=2)
    assert [each["date"] for each in found] == [later(28 + count) for count in range(5)]
    assert {each["price_total"]["currency"] for each in found} == {"EUR"}
    two = await fares(travel_api, departure_date=later(30), days=2, passengers=2, return_date=later(31))
    assert len(two) == 4


async def test_fares_obey_the_limits_of_the_search(travel_api):
    free = await fares(travel_api, departure_date=later(30), days=1)
    direct = await fares(travel_api, departure_date=later(30), days=1, max_stops=0)
    assert free != direct
    dollars = await fares(travel_api, departure_date=later(30), days=1, max_price="9000", currency="USD")
    assert {each["price_total"]["currency"] for each in dollars} == {"USD"}
    none = await fares(travel_api, departure_date=later(30), days=1, max_price="1.50")
    assert [each["price_total"] for each in none] == [None] * 3


async def test_fares_omit_days_that_have_passed(travel_api):
    assert [each["date"] for each in await fares(travel_api, departure_date=later(0), days=1)] == [
        later(0),
        later(1),
    ]
    assert await fares(travel_api, departure_date="9999-12-31", days=7) == []
    assert await fares(travel_api, departure_date="0001-01-01", days=7) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("origins", "Berlin"),
        ("departure_date", None),
        ("return_date", "2026-13-01"),
        ("passengers", "0"),
        ("cabin_class", "attic"),
        ("max_stops", "-1"),
        ("max_price", "nan"),
        ("currency", "euro"),
        ("days", "8"),
    ],
)
async def test_fares_query_that_is_wrong_is_refused_by_field(travel_api, field, value):
    refused = await travel_api.call("GET", "/fares", params=fares_query(**{field: value}))
    assert refusal(refused, 422, "bad_input")["message"].startswith(f"{field}: ")


@pytest.mark.parametrize("asked", [{"passengers": 10}, {"max_price": "100", "currency": "ZZQ"}])
async def test_fares_of_what_is_never_sold_are_refused(travel_api, asked):
    refused = await travel_api.call("GET", "/fares", params=fares_query(departure_date=later(30), **asked))
    refusal(refused, 422, "not_on_sale")


@pytest.mark.virtual_time
class TestDesk:
    async def test_desk_serves_one_week_at_a_time_and_few_wait(self):
        calendar = Calendar(permits=0)
        desk = FareDesk(calendar)
        async with asyncio.TaskGroup() as group:
            asked = [
                group.create_task(desk.around(QUERY, days=1, request=asking())) for _ in range(MOST_WAITING)
            ]
            await asyncio.sleep(1)
            assert calendar.begun == 1
            with pytest.raises(TooManyRequests):
                await desk.around(QUERY, days=1, request=asking())
            for _ in range(3 * MOST_WAITING):
                calendar.permits.release()
        assert [len(each.result()) for each in asked] == [3] * MOST_WAITING
        calendar.permits.release()
        assert (calendar.begun, calendar.ended) == (MOST_WAITING, MOST_WAITING)

    async def test_client_that_leaves_ends_its_query(self):
        calendar = Calendar(permits=100)
        await FareDesk(calendar).around(QUERY, days=7, request=asking(LEFT))
        assert (calendar.told, calendar.ended) == (1, 1)


MOST_BYTES = 40_000


async def airports(api, codes):
    found = await api.call("GET", "/airports", params={"codes": codes})
    return answer(found, 200, travel_schemas.AirportsAnswer)["airports"]


async def test_airports_have_position_and_city(travel_api):
    found = await airports(travel_api, "BER,hnd,NRT")
    assert list(found) == ["BER", "HND", "NRT"]
    assert [each["city"] for each in found.values()] == ["Berlin", "Tokyo", "Tokyo"]
    assert [each["country"] for each in found.values()] == ["DE", "JP", "JP"]
    assert found["BER"]["latitude"] == pytest.approx(52.37, abs=0.05)
    assert found["BER"]["longitude"] == pytest.approx(13.5, abs=0.05)


@pytest.mark.parametrize("codes", ["", "BERLIN", "BER,", ",".join(["BER"] * 51), "B\0R"])
async def test_invalid_codes_are_refused(travel_api, codes):
    refused = await travel_api.call("GET", "/airports", params={"codes": codes})
    assert refusal(refused, 422, "bad_input")["message"].startswith("codes: ")


async def test_land_is_every_continent_in_rows(travel_api):
    response = await travel_api.call("GET", "/land")
    land = answer(response, 200, travel_schemas.LandAnswer)
    assert len(response.content) < MOST_BYTES
    latitudes = [row["latitude"] for row in land["rows"]]
    assert latitudes == sorted(set(latitudes))
    cells = {(row["latitude"], longitude) for row in land["rows"] for longitude in row["longitudes"]}
    assert len(cells) == sum(len(row["longitudes"]) for row in land["rows"])
    assert all(-90 <= latitude < 90 and -180 <= longitude < 180 for latitude, longitude in cells)
    assert {(52, 13), (35, 139), (-34, 150), (40, -74), (-24, -47), (-2, 36)} <= cells, "where people live"
    assert not {(0, -30), (40, -40), (-30, 80)} & cells, "in the middle of the oceans"


@pytest.mark.parametrize("path", ["/airports?codes=BER", "/places?text=lis", "/land"])
async def test_unchanged_answer_returns_304(travel_api, path):
    first = await travel_api.call("GET", path)
    assert first.headers["cache-control"] == "private, max-age=86400"
    tag = first.headers["etag"]
    again = await travel_api.call("GET", path, headers={"If-None-Match": f"W/{tag}"})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = await travel_api.call("GET", path, headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("lis", "Lisbon, Portugal"),
        ("münch", "Munich, Germany"),
        ("st pet", "Saint Petersburg, Russia"),
        ("saigon", "Ho Chi Minh City, Vietnam"),
        ("Lisbom", "Lisbon, Portugal"),
        ("London, GB", "London, United Kingdom"),
        ("heathr", "LHR"),
        ("LIS", "Lisbon, Portugal"),
    ],
)
async def test_name_is_completed_to_the_likeliest_place(travel_api, text, first):
    response = await travel_api.call("GET", "/places", params={"text": text})
    found = answer(response, 200, travel_schemas.PlacesAnswer)["places"]
    assert found[0]["name"] == first
    assert len(found) <= 8
    assert len({each["name"] for each in found}) == len(found)


@pytest.mark.parametrize("text", ["zzzq", "?", "5", ", ", "a\0b", "lisbon, x"])
async def test_unknown_name_is_completed_to_nothing(travel_api, text):
    response = await travel_api.call("GET", "/places", params={"text": text})
    assert answer(response, 200, travel_schemas.PlacesAnswer) == {"places": []}


@pytest.mark.parametrize(
    ("text", "misread", "others"),
    [
        ("semarang", "Semarang, Java Island, Indonesia", set()),
        ("park c", "Park City, Utah", set()),
        ("fort w", "Fort Worth, Texas", {"Fort Wayne, Indiana"}),
        ("springfield", "Springfield, Massachusetts", {"Springfield, Missouri", "Springfield, Illinois"}),
    ],
)
async def test_place_that_its_name_does_not_lead_to_is_not_proposed(travel_api, text, misread, others):
    response = await travel_api.call("GET", "/places", params={"text": text})
    names = {each["name"] for each in answer(response, 200, travel_schemas.PlacesAnswer)["places"]}
    assert misread not in names
    assert names >= others


async def test_names_are_completed_in_a_thread(
    travel_api,
):
    def record(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code is complete_place.__code__:
            on_the_loop.append(frame.f_code.co_name)

    on_the_loop: list[str] = []
    sys.setprofile(record)  # of this thread alone
    try:
        response = await travel_api.call("GET", "/places", params={"text": "vil"})
    finally:
        sys.setprofile(None)
    assert answer(response, 200, travel_schemas.PlacesAnswer)["places"]
    assert on_the_loop == []
