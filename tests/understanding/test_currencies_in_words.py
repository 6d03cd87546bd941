"""Currencies that are told by a nation or a code: "Canadian dollars", "150 CAD"."""

import pytest

from tests.understanding.conversation import told

STAY = "hotel in Toronto 5-8 dec"


@pytest.mark.parametrize(
    ("said", "currency"),
    [
        ("under 200 Canadian dollars a night", "CAD"),
        ("max 200 canadian dollars", "CAD"),
        ("max 200 CAD", "CAD"),
        ("under 200 australian dollars", "AUD"),
        ("under 200 US dollars", "USD"),
        ("under 200 swiss francs per night", "CHF"),
        ("up to 200 british pounds", "GBP"),
        ("below 200 norwegian kroner", "NOK"),
        ("below 200 rupees", "INR"),
        ("under 200 dollars", "USD"),
    ],
)
def test_a_limit_is_in_the_currency_that_is_told(said: str, currency: str) -> None:
    understood = told(STAY, said)
    limit = understood.hotel.max_price
    assert limit is not None
    assert (limit.amount, limit.currency, understood.refused) == (200, currency, ())


def test_a_code_that_is_an_airport_too_is_a_currency_beside_an_amount_alone() -> None:
    assert told(STAY, "max 150 CAD").hotel.city == told(STAY).hotel.city
