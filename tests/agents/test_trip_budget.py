"""The cheapest flight and hotel together, held against a limit for all of it."""

from dataclasses import replace
from decimal import Decimal

import pytest

from backend.travel.agents.trip_budget import trip_in_all
from backend.travel.understanding.result import FlightSlots, HotelSlots, Understanding
from backend.travel.values.travel import Money


def offers(*amounts, currency="EUR"):
    return [{"price_total": {"amount": amount, "currency": currency}} for amount in amounts]


def wanted(amount):
    limit = Money(amount=Decimal(amount))
    return Understanding(
        relation="new", flight=FlightSlots(max_total=limit), hotel=HotelSlots(max_total=limit)
    )


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ("900", "The cheapest flight and hotel together cost 800 EUR, within your 900 EUR in all."),
        ("800", "The cheapest flight and hotel together cost 800 EUR, within your 800 EUR in all."),
        ("700", "The cheapest flight and hotel together cost 800 EUR, 100 EUR more than your 700 EUR."),
    ],
)
def test_the_cheapest_pair_is_told_with_the_limit(limit, told):
    assert trip_in_all(wanted(limit), {"flight": offers("700", "500"), "hotel": offers("300")}) == told


def test_nothing_is_told_without_a_pair_or_a_limit_for_both():
    found = {"flight": offers("500"), "hotel": offers("300")}
    assert trip_in_all(Understanding(relation="new"), found) == ""
    assert trip_in_all(wanted("900"), {"flight": offers("500")}) == ""
    assert trip_in_all(wanted("900"), found | {"hotel": offers("300", currency="USD")}) == ""
    flights_only = replace(wanted("900"), hotel=HotelSlots())
    assert trip_in_all(flights_only, found) == ""
