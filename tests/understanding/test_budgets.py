"""What a limit of price is for: each person, a night, the stay, the whole trip."""

from decimal import Decimal

import pytest

from backend.travel.understanding.english.wording import describe, refusals
from backend.travel.understanding.queries import fits
from backend.travel.understanding.result import Agent, Understanding
from backend.travel.values.travel import Money
from tests.understanding.conversation import told

FLIGHT = "flights from Berlin to Rome on 3 May for 2 people"
STAY = "hotels in Rome from 3 May to 6 May"
TRIP = "flights and hotels in Lisbon from London, 12-15 January, for 2 people"


def euros(amount: int | None) -> Money | None:
    return Money(amount=Decimal(amount)) if amount else None


def limits(understood: Understanding) -> dict[str, int]:
    held = {
        "each": understood.flight.max_price,
        "flights": understood.flight.max_total,
        "night": understood.hotel.max_price,
        "hotels": understood.hotel.max_total,
    }
    return {name: int(price.amount) for name, price in held.items() if price}


@pytest.mark.parametrize(
    ("before", "said", "held"),
    [
        (FLIGHT, "600 euros altogether", {"flights": 600}),
        (FLIGHT, "max 600 in total", {"flights": 600}),
        (FLIGHT, "total budget 900 euros", {"flights": 900}),
        (FLIGHT, "not more than six hundred euros for both of us", {"flights": 600}),
        (FLIGHT, "300 each", {"each": 300}),
        (FLIGHT, "max 300 euros per person", {"each": 300}),
        (FLIGHT, "anything under 200", {"each": 200}),
        (FLIGHT, "200-300 euros", {"each": 300}),
        (FLIGHT, "around 250 euros", {"each": 250}),
        (TRIP, "max 2500 euros for everything", {"flights": 2500, "hotels": 2500}),
        (TRIP, "our budget is 2,000 euros for the whole trip", {"flights": 2000, "hotels": 2000}),
        (TRIP, "2k in all, flight and hotel", {"flights": 2000, "hotels": 2000}),
        (TRIP, "600 for the stay", {"hotels": 600}),
        (STAY, "not more than a hundred and fifty a night", {"night": 150}),
        (STAY, "max two hundred per night", {"night": 200}),
        (STAY, "500 euros for the whole stay", {"hotels": 500}),
        (STAY, "500 max for the nights", {"hotels": 500}),
        (STAY, "700 for the week", {"hotels": 700}),
        (STAY, "70 to 110 a night", {"night": 110}),
        (STAY, "20 to 30 a night", {"night": 30}),
        (STAY, "$80-$120 per night", {"night": 120}),
        (STAY, "between 80 and 120 euros per night", {"night": 120}),
        (STAY, "about 150 a night", {"night": 150}),
        (STAY, "100ish a night", {"night": 100}),
        (STAY, "100 pn", {"night": 100}),
        (STAY, "under 120 a night", {"night": 120}),
        (STAY, "nothing over three fifty a night", {"night": 350}),
        (STAY, "under ninety a night", {"night": 90}),
        (STAY, "not more than 80 quid", {"night": 80}),
        (STAY, "it should not cost more as 100 euro", {"night": 100}),
        (FLIGHT, "$900", {"each": 900}),
        (FLIGHT, "900 dollars please", {"each": 900}),
        (FLIGHT, "under a grand", {"each": 1000}),
        (FLIGHT, "two grand max", {"each": 2000}),
        (FLIGHT, "max 1,2k", {"each": 1200}),
        (FLIGHT, "1.5k", {"each": 1500}),
        (FLIGHT, "around 200", {"each": 200}),
        (FLIGHT, "like 200 euros", {"each": 200}),
        (FLIGHT, "something around 200", {"each": 200}),
        (FLIGHT, "sub 300", {"each": 300}),
        (FLIGHT, "<300", {"each": 300}),
        (FLIGHT, "nothing over three fifty", {"each": 350}),
        (FLIGHT, "The total must be under 2000", {"flights": 2000}),
        (FLIGHT, "the total should not exceed 2000", {"flights": 2000}),
        (FLIGHT, "total cost must stay below 2000 euros", {"flights": 2000}),
        (TRIP, "the total must be under 2000", {"flights": 2000, "hotels": 2000}),
        (TRIP, "under 120 a night", {"night": 120}),
    ],
)
def test_limit_is_for_what_the_message_says(before: str, said: str, held: dict[str, int]) -> None:
    understood = told(before, said)
    assert limits(understood) == held
    assert understood.relation == "refine"


@pytest.mark.parametrize(
    "said",
    [
        "two nights each",
        "3 rooms in total",
        "we are 4 in total",
        "5 people altogether",
        "thanks for everything",
    ],
)
def test_number_without_money_is_no_limit(said: str) -> None:
    assert limits(told(TRIP, said)) == {}


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ((FLIGHT, "600 euros altogether", "sorry the 600 was per person"), {"each": 600}),
        ((FLIGHT, "600 euros altogether", "no, per person"), {"each": 600}),
        ((FLIGHT, "max 600", "that's in total"), {"flights": 600}),
        ((FLIGHT, "max 600", "I meant for all of us"), {"flights": 600}),
        ((STAY, "500 euros in total", "no, per night"), {"night": 500}),
        ((STAY, "max 100", "for the whole stay I mean"), {"hotels": 100}),
        ((TRIP, "max 2500 euros for everything", "no, per person"), {"each": 2500}),
        ((TRIP, "max 2500 euros for everything", "forget the budget"), {}),
        ((FLIGHT, "no, per person"), {}),
    ],
)
def test_what_a_limit_is_for_may_be_put_right(said: tuple[str, ...], held: dict[str, int]) -> None:
    assert limits(told(*said)) == held


def test_limit_in_all_is_told_and_holds_for_what_all_pay() -> None:
    understood = told(FLIGHT, "600 euros altogether")
    assert describe(understood).endswith("up to €600 in all")
    offer = {"price_total": {"amount": "601", "currency": "EUR"}}
    assert not fits("flight", understood.flight, offer)
    assert fits("flight", understood.flight, {"price_total": {"amount": "600", "currency": "EUR"}})


def test_limit_in_another_currency_says_what_it_is_compared_with() -> None:
    assert describe(told(FLIGHT, "600 dollars in all")).endswith(
        "up to $600 in all, as far as prices are in USD"
    )


@pytest.mark.parametrize("said", ["can you show me prices in dollars", "prices in £ please"])
def test_another_currency_for_prices_is_refused_with_what_would_change_it(said: str) -> None:
    understood = told(FLIGHT, said)
    assert "Prices are in euros unless you set a limit in another currency" in refusals(understood)
    assert limits(understood) == {}


@pytest.mark.parametrize(
    ("before", "said", "agent", "field", "price"),
    [
        (FLIGHT, "Flights under 848.50 GBP per person.", "flight", "max_price", "848.50 GBP"),
        (FLIGHT, "max $99.95 each", "flight", "max_price", "99.95 USD"),
        (FLIGHT, "1,250.50 euros in total", "flight", "max_total", "1250.50 EUR"),
        (STAY, "not more than 480.75 for the stay", "hotel", "max_total", "480.75 EUR"),
        (FLIGHT, "2.5k in total", "flight", "max_total", "2500 EUR"),
        (FLIGHT, "300.00 euros each", "flight", "max_price", "300 EUR"),
        (FLIGHT, "1.250 euros altogether.", "flight", "max_total", "1250 EUR"),
    ],
)
def test_limit_keeps_its_cents(before: str, said: str, agent: Agent, field: str, price: str) -> None:
    amount, currency = price.split()
    held = getattr(told(before, said).of(agent), field)
    assert held == Money(amount=Decimal(amount), currency=currency)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (STAY, "the first one is 120 a night"),
        (STAY, "200 a night is too much"),
        (STAY, "it was 90 a night last year"),
        (STAY, "not under 80 a night"),
        (FLIGHT, "$900 is too much"),
        (FLIGHT, "is $900 a good price?"),
        (FLIGHT, "the 252 euro one"),
        (FLIGHT, "around 12"),
        (FLIGHT, "row twenty"),
        (FLIGHT, "the Grand Hotel in Rome"),
    ],
)
def test_amount_that_is_told_of_an_offer_is_no_limit(before: str, said: str) -> None:
    assert limits(told(before, said)) == {}


@pytest.mark.parametrize(
    ("message", "held"),
    [
        ("hotel in Lisbon 1 Feb to 1 March, 1500 for the month", {"hotels": 1500}),
        ("hotel in Faro from 2 June, 700 for the week", {"hotels": 700}),
        ("flights from Berlin to Rome on 5 May under a grand", {"each": 1000}),
        ("hotel in Lisbon 1 Feb for 3 nights at 100 a night", {"night": 100}),
        (
            "hotel under 120 a night in Rome 3 to 6 May, and flights from Berlin under 300",
            {"night": 120, "each": 300},
        ),
    ],
)
def test_limit_in_a_whole_request_is_for_what_it_says(message: str, held: dict[str, int]) -> None:
    understood = told(message)
    assert limits(understood) == held
    assert refusals(understood) == ""
