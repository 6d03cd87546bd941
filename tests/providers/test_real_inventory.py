"""The trial of real sellers, over their stand-ins: what it prints of a service that is as it is known."""

import pytest

from backend.http.settings import TravelSettings
from checks.real_inventory.__main__ import tried
from tests.fakes.duffel import Duffel
from tests.fakes.liteapi import LiteApi
from tests.fakes.service import Refuse


def settings(duffel, liteapi):
    urls = {"duffel_url": duffel.url, "liteapi_url": liteapi.url, "liteapi_book_url": liteapi.book_url}
    return TravelSettings(duffel_token=duffel.token, liteapi_key=liteapi.key, **urls)


async def test_every_step_is_told_and_what_was_booked_is_cancelled(capsys):
    async with Duffel() as duffel, LiteApi() as liteapi:
        assert await tried(settings(duffel, liteapi)) == 0
        assert {order["cancelled_at"] is not None for order in duffel.orders.values()} == {True}
        assert {each["status"] for each in liteapi.bookings.values()} <= {
            "CANCELLED",
            "CANCELLED_WITH_CHARGES",
        }
        assert liteapi.bookings
    said = capsys.readouterr().out
    for step in (
        "duffel: search ",
        "duffel: hold and pay",
        "duffel: cancel",
        "liteapi: book",
        "liteapi: cancel",
    ):
        assert step in said
    assert "0 offers, where the documents say 0" in said


@pytest.mark.parametrize("route", ["POST /air/orders", "POST /air/batch_offer_requests"])
async def test_step_that_fails_is_told_and_fails_the_trial(route, capsys):
    async with Duffel() as duffel, LiteApi() as liteapi:
        duffel.fault(route, Refuse(422, "something_new"), times=None)
        assert await tried(settings(duffel, liteapi)) == 1
    assert "FAILED: Duffel refused the request." in capsys.readouterr().out
