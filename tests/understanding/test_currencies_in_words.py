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
def test_limit_is_in_the_currency_that_is_told(said: str, currency: str) -> None:
    understood = told(STAY, said)
    limit = understood.hotel.max_price
    assert limit is not None
    assert (limit.amount, limit.currency, understood.refused) == (200, currency, ())


def test_code_that_is_an_airport_too_is_a_currency_beside_an_amount_alone() -> None:
    assert told(STAY, "max 150 CAD").hotel.city == told(STAY).hotel.city


@pytest.mark.parametrize(
    ("said", "amount", "currency"),
    [
        ("max USD 450 a night", 450, "USD"),
        ("up to EUR 200", 200, "EUR"),
        ("under GBP 150 per night", 150, "GBP"),
        ("max CHF 300/night", 300, "CHF"),
        ("under Rs 8,000", 8000, "INR"),
        ("max 0.5 lakh rupees", 50_000, "INR"),
        ("up to 1.5 lakhs", 150_000, "INR"),
        ("under two lakh rupees", 200_000, "INR"),
        ("max 2,50,000 rupees", 250_000, "INR"),
        ("up to 2.5k euros", 2500, "EUR"),
    ],
)
def test_codes_before_amounts_and_large_indian_numbers_are_read(
    said: str, amount: int, currency: str
) -> None:
    understood = told(STAY, said)
    limit = understood.hotel.max_price
    assert limit is not None
    assert (limit.amount, limit.currency, understood.refused) == (amount, currency, ())


def test_limits_of_the_whole_are_read_with_the_code_before_them_too() -> None:
    limit = told(STAY, "max GBP 1.5k in total").hotel.max_total
    assert limit is not None
    assert (limit.amount, limit.currency) == (1500, "GBP")
    limit = told("flights delhi to london 13 march, budget 2.5 lakh in total").flight.max_total
    assert limit is not None
    assert (limit.amount, limit.currency) == (250_000, "INR")
