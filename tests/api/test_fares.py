"""Prices by day over HTTP: bounded, refused by name, given up when the client leaves."""

import asyncio
from datetime import date, timedelta

import pytest
from starlette.requests import Request

from backend.domain.errors import TooManyRequests
from backend.travel.routes import travel_schemas
from backend.travel.routes.fares import MOST_WAITING, FareDesk
from backend.travel.values.travel import DayFare, FlightQuery
from tests.api.live import answer, refusal, running

DAY = date(2027, 3, 10)
QUERY = FlightQuery(origins=("BER",), destinations=("HND",), departure_date=DAY)
LEFT = [{"type": "http.disconnect"}]


@pytest.fixture
async def travel(tmp_path):
    async with running(tmp_path, graph="") as client:
        yield client


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


async def test_it_tells_a_price_for_each_day_around_the_one_asked_for(travel):
    found = await fares(travel, departure_date=later(30), days=2)
    assert [each["date"] for each in found] == [later(28 + count) for count in range(5)]
    assert {each["price_total"]["currency"] for each in found} == {"EUR"}
    two = await fares(travel, departure_date=later(30), days=2, passengers=2, return_date=later(31))
    assert len(two) == 4


async def test_the_limits_of_the_search_are_those_of_its_prices(travel):
    free = await fares(travel, departure_date=later(30), days=1)
    direct = await fares(travel, departure_date=later(30), days=1, max_stops=0)
    assert free != direct
    dollars = await fares(travel, departure_date=later(30), days=1, max_price="9000", currency="USD")
    assert {each["price_total"]["currency"] for each in dollars} == {"USD"}
    none = await fares(travel, departure_date=later(30), days=1, max_price="1.50")
    assert [each["price_total"] for each in none] == [None] * 3


async def test_days_that_have_passed_are_left_out(travel):
    assert [each["date"] for each in await fares(travel, departure_date=later(0), days=1)] == [
        later(0),
        later(1),
    ]
    assert await fares(travel, departure_date="9999-12-31", days=7) == []
    assert await fares(travel, departure_date="0001-01-01", days=7) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("origins", None),
        ("origins", "Berlin"),
        ("destinations", ",".join(["HND"] * 9)),
        ("departure_date", None),
        ("departure_date", "tomorrow"),
        ("return_date", "2026-13-01"),
        ("passengers", "0"),
        ("cabin_class", "attic"),
        ("max_stops", "-1"),
        ("max_price", "nan"),
        ("max_price", "-5"),
        ("currency", "euro"),
        ("days", "8"),
        ("days", "0"),
    ],
)
async def test_what_is_wrong_is_refused_by_name(travel, field, value):
    refused = await travel.call("GET", "/fares", params=fares_query(**{field: value}))
    assert refusal(refused, 422, "bad_input")["message"].startswith(f"{field}: ")


@pytest.mark.parametrize("asked", [{"passengers": 10}, {"max_price": "100", "currency": "ZZQ"}])
async def test_what_is_sold_on_no_day_is_refused_with_a_sentence(travel, asked):
    refused = await travel.call("GET", "/fares", params=fares_query(departure_date=later(30), **asked))
    refusal(refused, 422, "not_on_sale")


async def test_behind_a_graph_without_fares_there_are_none(api):
    refusal(await api.call("GET", "/fares", params=fares_query()), 404, "not_found")


@pytest.mark.virtual_time
class TestDesk:
    async def test_one_week_at_a_time_and_no_more_than_so_many_wait(self):
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

    async def test_whoever_left_while_waiting_makes_room(self):
        calendar = Calendar(permits=0)
        desk = FareDesk(calendar)
        for _ in range(MOST_WAITING + 1):
            asked = asyncio.get_running_loop().create_task(desk.around(QUERY, days=1, request=asking()))
            await asyncio.sleep(1)
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
        assert calendar.begun == calendar.ended == MOST_WAITING + 1

    async def test_it_is_given_up_as_soon_as_the_client_has_left(self):
        calendar = Calendar(permits=100)
        await FareDesk(calendar).around(QUERY, days=7, request=asking(LEFT))
        assert (calendar.told, calendar.ended) == (1, 1)

    async def test_a_client_that_stays_gets_all_days(self):
        calendar = Calendar(permits=100)
        assert len(await FareDesk(calendar).around(QUERY, days=7, request=asking())) == 15
