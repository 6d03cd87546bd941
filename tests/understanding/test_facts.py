"""How many, how good and how dear."""

from decimal import Decimal

import pytest

from backend.travel.understanding.english.details.facts import Facts, read_facts
from backend.travel.understanding.english.language.text import Text
from backend.travel.values.travel import Money


def read(said: str) -> Facts:
    text = Text(said)
    return read_facts(text, 0, text.length)


@pytest.mark.parametrize(
    ("said", "people"),
    [
        ("2 people", 2),
        ("2 adults and 1 child", 3),
        ("for two", 2),
        ("for 2, please", 2),
        ("the two of us", 2),
        ("a party of six", 6),
        ("there are six in my party", 6),
        ("my wife and I", 2),
        ("just me", 1),
        ("travelling solo", 1),
        ("four seats", 4),
        ("3 more guests", 3),
    ],
)
def test_people_are_counted(said: str, people: int) -> None:
    assert read(said).people == people


@pytest.mark.parametrize(
    "said", ["for two nights", "for 2 rooms", "for 4 stars", "a 5-day trip", "500 people", "0 guests"]
)
def test_other_numbers_are_no_people(said: str) -> None:
    assert read(said).people is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("at least 4 stars", Facts(stars=4)),
        ("a five-star hotel", Facts(stars=5)),
        ("4* hotel", Facts(stars=4)),
        ("★★★", Facts(stars=3)),
        ("9 stars", Facts()),
        ("two double rooms", Facts(rooms=2)),
        ("a nonstop flight", Facts(max_stops=0)),
        ("direct flights", Facts(max_stops=0)),
        ("at most one stop", Facts(max_stops=1)),
        ("business class", Facts(cabin_class="business")),
        ("premium economy", Facts(cabin_class="premium_economy")),
        ("first-class", Facts(cabin_class="first")),
        ("coach", Facts(cabin_class="economy")),
        ("a business trip", Facts()),
        ("a lot of flights", Facts()),
        ("with a pool and free wifi", Facts(amenities=("wifi", "pool"))),
    ],
)
def test_comfort_is_read_from_the_word_behind_the_number(said: str, expected: Facts) -> None:
    assert read(said) == expected


@pytest.mark.parametrize(
    ("said", "amount", "currency"),
    [
        ("under 900 euros", "900", "EUR"),
        ("under 900", "900", "EUR"),
        ("less than $1,500", "1500", "USD"),
        ("£120 or less", "120", "GBP"),
        ("max 200 CHF", "200", "CHF"),
        ("my budget is set at $3,800", "3800", "USD"),
        ("no more than 2k", "2000", "EUR"),
    ],
)
def test_limit_of_price_has_a_currency(said: str, amount: str, currency: str) -> None:
    assert read(said).max_price == Money(amount=Decimal(amount), currency=currency)


@pytest.mark.parametrize(
    "said", ["up to 2 stops", "at most 4 people", "children under 10", "it was 900 euros", "under 5 hours"]
)
def test_other_limits_are_no_prices(said: str) -> None:
    assert read(said).max_price is None


def test_price_a_night_is_told_from_a_price() -> None:
    assert read("under 150 a night").is_per_night
    assert not read("under 150").is_per_night


@pytest.mark.parametrize(
    ("said", "rooms"),
    [
        ("a double room from Friday", 1),
        ("a room for three people", 1),
        ("one family room", 1),
        ("two adjoining rooms", 2),
        ("I need a room there", None),
        ("a room for Friday", None),
    ],
)
def test_one_room_is_said_by_describing_it(said: str, rooms: int | None) -> None:
    assert read(said).rooms == rooms


@pytest.mark.parametrize(
    "said", ["the budget for this trip is $900", "our budget for the whole week is set at 900 dollars"]
)
def test_budget_may_stand_far_from_its_amount(said: str) -> None:
    price = read(said).max_price
    assert price is not None
    assert price.amount == 900


@pytest.mark.parametrize(
    ("said", "stars"),
    [("a hotel with a star of 4", 4), ("star rating: 3", 3), ("a 0 star hostel", 0), ("a good rating", None)],
)
def test_stars_are_told_before_or_behind_their_number(said: str, stars: int | None) -> None:
    assert read(said).stars == stars


def test_what_guests_rate_a_hotel_is_no_number_of_stars() -> None:
    assert read("a rating of 4.3 or more, 3.5 stars").stars is None
    assert read("a 4 star hotel").stars == 4


def test_one_way_and_a_total_of_days_are_no_people() -> None:
    assert read("a one way economy ticket").people is None
    assert read("two rooms for a total of five days").people is None
    assert read("a total of five").people == 5


@pytest.mark.parametrize(
    ("said", "rooms"),
    [("a room with two beds", 1), ("a room for my family", 1), ("book a room for me", None)],
)
def test_room_that_is_for_somebody_is_one(said: str, rooms: int | None) -> None:
    assert read(said).rooms == rooms


def test_number_may_be_told_behind_what_it_counts() -> None:
    assert read("the required tickets are 2").people == 2
    assert read("guests: 4, rooms: 2") == Facts(people=4, rooms=2)
    assert read("the flights are 200 euros").people is None


def test_what_stands_between_a_number_and_a_room_does_not_part_them() -> None:
    assert read("one four star room") == Facts(rooms=1, stars=4)
    assert read("one pet friendly hotel room").rooms == 1


def test_flights_of_a_class_are_one_for_each_traveller() -> None:
    assert read("three round trip flights").people == 3
    assert read("two flights a day").people is None
