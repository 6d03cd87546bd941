"""Days are those of the journey that is spoken of: near its days, around its event, none moved unasked."""

from datetime import date

import pytest

from .conversation import hotel, told

FARO = "flights from Birmingham to Faro on 2 March, back 16 March, for 2"
KOCHI = "Toronto to Kochi"
BUSINESS = "FRA to JFK, Tue 12 Jan, return Thu 14 Jan. Hotel 2 nights"


@pytest.mark.parametrize(
    ("message", "start", "end"),
    [
        ("a wedding in Kochi on 16 Jan, arrive by the 14th from Toronto", date(2027, 1, 14), None),
        (
            "My cousin's wedding is in Kochi on 16 Jan. I need to arrive by the 14th latest from Toronto"
            " and can fly back on 20th or 21st",
            date(2027, 1, 14),
            date(2027, 1, 20),
        ),
        (
            f"{KOCHI}, wedding on Jan 16, fly on the 12th, back on the 20th",
            date(2027, 1, 12),
            date(2027, 1, 20),
        ),
        (f"{KOCHI}, the conference starts 3 Feb, must be there by the 2nd", date(2027, 2, 2), None),
        (f"{KOCHI}, conference is 2 Feb, need to be there by the 31st", date(2027, 1, 31), None),
        (
            f"{KOCHI}, concert on 30 January, fly on the 28th, back on the 2nd",
            date(2027, 1, 28),
            date(2027, 2, 2),
        ),
    ],
)
def test_bare_day_beside_an_event_is_in_its_month(message: str, start: date, end: date | None) -> None:
    flight = told(message).flight
    assert (flight.departure_date, flight.return_date) == (start, end)


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("We shall remain with Tuesday.", (3, 2), (3, 16)),
        ("it would be easier on us to leave on Thursday", (3, 4), (3, 16)),
        ("leave on a saturday instead", (2, 27), (3, 16)),
        ("what about a thursday", (3, 4), (3, 16)),
        ("come back on Sunday instead", (3, 2), (3, 14)),
        ("back on Friday please", (3, 2), (3, 19)),
        ("be back before Tuesday", (3, 2), (3, 15)),
    ],
)
def test_weekday_is_the_one_nearest_to_its_day(
    said: str, start: tuple[int, int], end: tuple[int, int]
) -> None:
    flight = told(FARO, said).flight
    assert (flight.departure_date, flight.return_date) == (date(2027, *start), date(2027, *end))


def test_weekday_of_a_stay_that_joins_is_in_the_journey() -> None:
    joined = told(FARO, "and a hotel in Faro from Wednesday")
    assert joined.hotel.check_in == date(2027, 3, 3)


@pytest.mark.parametrize(
    ("message", "start"),
    [
        ("Paris to Rome, need to be there before Friday", date(2026, 11, 26)),
        ("Paris to Rome, I must arrive before 5 May", date(2027, 5, 4)),
        ("Paris to Rome, fly before the 5th of May", date(2027, 5, 4)),
        ("Paris to Rome, fly the day before Friday", date(2026, 11, 26)),
        ("Paris to Rome, leave 2 days before Friday", date(2026, 11, 25)),
        ("Paris to Rome, arrive before 10 am on Friday", date(2026, 11, 27)),
        ("Paris to Rome, arrive by Friday", date(2026, 11, 27)),
        ("Paris to Rome, arrive on or before 5 May", date(2027, 5, 5)),
    ],
)
def test_before_a_day_is_the_day_before_it(message: str, start: date) -> None:
    assert told(message).flight.departure_date == start


@pytest.mark.parametrize(
    "said", ["leaving 8 Dec, back before 11 Dec", "leaving 8 Dec, returning before the 11th"]
)
def test_back_before_a_day_is_the_day_before_it(said: str) -> None:
    assert told(f"Paris to Rome, {said}").flight.return_date == date(2026, 12, 10)


@pytest.mark.parametrize(
    ("messages", "start", "nights"),
    [
        ((BUSINESS, "he flies Monday 11th, hotel 3 nights accordingly"), date(2027, 1, 11), 3),
        (("FRA to JFK, 12 Jan, return 14 Jan", "fly on the 11th, hotel 3 nights"), date(2027, 1, 11), 3),
        ((BUSINESS, "fly on the 11th, and the hotel for 1 night"), date(2027, 1, 11), 1),
        ((BUSINESS, "leave on the 11th"), date(2027, 1, 11), 2),
    ],
)
def test_nights_of_a_hotel_move_no_return_that_was_told(
    messages: tuple[str, ...], start: date, nights: int
) -> None:
    understood = told(*messages)
    assert (understood.flight.departure_date, understood.flight.return_date) == (start, date(2027, 1, 14))
    assert (hotel(understood)["check_in"], hotel(understood)["nights"]) == (start, nights)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Toronto to Kochi, arrive by 14 January", "by 14 January"),
        ("Toronto to Kochi, we need to be there by Friday", "by Friday"),
        ("a wedding in Kochi on 16 Jan, arrive by the 14th from Toronto", "by the 14th"),
        ("Paris to Rome, get there before 5 May", "before 5 May"),
        ("Paris to Rome on Friday, arrive by 6 pm", None),
        ("Paris to Rome, arrive on 5 May", None),
        ("hotel in Rome, arriving by 5 May for 2 nights", None),
    ],
)
def test_day_to_be_there_by_is_told_to_be_that_of_the_departure(message: str, said: str | None) -> None:
    told_of = [one.said for one in told(message).refused if one.reason == "arrive_by"]
    assert told_of == ([said] if said else [])
