"""What was understood, told back, and what is asked for."""

from datetime import date

import pytest

from backend.travel.understanding.english.wording import ask_for, describe, doubts, not_searched_by, refusals
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import told

TODAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "flights from Berlin to Tokyo on 10 December",
            "flights from Berlin to Tokyo on Thu 10 December 2026, 1 passenger, economy",
        ),
        (
            "BER to JFK next Friday, return on 3 December, 2 people, business class, nonstop under 900 euros",
            "flights from Berlin (BER) to New York (JFK) on Fri 27 November 2026, "
            "returning Thu 3 December 2026, 2 passengers, business class, nonstop, up to €900 for each",
        ),
        (
            "a hotel near Shinjuku tomorrow for 2 nights, 2 rooms, 4 stars, under $1,500 a night, with pool",
            "hotels in Tokyo near Shinjuku from Sat 21 November 2026 to Mon 23 November 2026 (2 nights), "
            "1 guest, 2 rooms, at least 4 stars, up to $1,500 a night, with a pool",
        ),
        (
            "hotels in Birmingham on 10/12",
            "hotels in Birmingham from Thu 10 December 2026 to Fri 11 December 2026 (1 night), "
            "1 guest, 1 room",
        ),
        (
            "hotels in Rome 10 December to 10 December",
            "hotels in Rome from Thu 10 December 2026 to Fri 11 December 2026 (1 night), 1 guest, 1 room",
        ),
        (
            "flights and hotels in Rome from Oslo in March",
            "flights from Oslo to Rome in March 2027, 1 passenger, economy; "
            "and hotels in Rome in March 2027, 1 guest, 1 room",
        ),
        (
            "first class from Oslo to Rome on 3 May",
            "flights from Oslo to Rome on Mon 3 May 2027, 1 passenger, first class",
        ),
        (
            "premium economy from Oslo to Rome on 3 May",
            "flights from Oslo to Rome on Mon 3 May 2027, 1 passenger, premium economy",
        ),
        ("thanks", ""),
    ],
)
def test_everything_that_was_understood_or_assumed_is_told_back(said: str, told: str) -> None:
    assert describe(understand(said, previous=None, today=TODAY)) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "a hotel in Saint Petersburg tomorrow",
            "I took Saint Petersburg, Russia; did you mean Saint Petersburg, Florida?",
        ),
        (
            "flights and hotels in Lisbon from Oslo on 10/12",
            "I took Thu 10 December 2026; did you mean Tue 12 October 2027?",
        ),
        ("flights from Oslo to Barcalona", 'I took "Barcalona" for Barcelona, Spain.'),
        ("flights from Oslo to Hungary", 'I took "Hungary" for Budapest, Hungary.'),
        ("flights from Oslo to Paris or Rome", ""),
        ("flights from Oslo to Rome", ""),
        ("thanks", ""),
    ],
)
def test_other_meaning_is_asked_about(said: str, told: str) -> None:
    assert doubts(understand(said, previous=None, today=TODAY)) == told


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (
            "flights from Oslo to Japan tomorrow",
            "Please tell me where in Japan to go (Tokyo, Osaka, Nagoya, Sapporo or Fukuoka).",
        ),
        (
            "flights from the Canary Islands to Rome tomorrow",
            "Please tell me where in the Canary Islands to fly from "
            "(Tenerife, Gran Canaria, Lanzarote or Fuerteventura).",
        ),
        (
            "hotels in Tuscany in March",
            "Please tell me where in Tuscany you need a hotel (Florence or Pisa) and "
            "from which day in March 2027 you need a hotel.",
        ),
    ],
)
def test_region_or_a_period_is_asked_about_with_what_it_leaves_open(said: str, asked: str) -> None:
    understood = understand(said, previous=None, today=TODAY)
    told = ask_for(understood.missing, alternatives=understood.alternatives, period=understood.period)
    assert told == asked


def test_region_named_for_the_hotel_is_asked_about_for_the_flight_of_the_same_trip() -> None:
    understood = told(
        "flights from Berlin to Tokyo on 10 December", "and hotels there", "make it Hungary or Poland"
    )
    assert understood.missing == ()
    understood = told("flights from Berlin to Tokyo on 10 December", "and hotels there", "make it Poland")
    asked = ask_for(understood.missing, alternatives=understood.alternatives)
    assert asked.startswith("Please tell me where in Poland to go (Warsaw, ")


@pytest.mark.parametrize(
    ("said", "told_back"),
    [
        ("to Xanadu", "I know no place called Xanadu."),
        ("on 31 April", "There is no such day as 31 April."),
        ("on 3 May 2020", "I left out 3 May 2020: that day has passed."),
        ("returning 3 December", "I left out 3 December: that is not after the first day."),
        ("for 0 people", "I cannot search for 0 people."),
        ("thanks", ""),
    ],
)
def test_refused_value_is_named_with_the_reason(said: str, told_back: str) -> None:
    assert refusals(told("flights from Berlin to Tokyo on 10 December", said)) == told_back


@pytest.mark.parametrize(
    ("missing", "asked"),
    [
        ((), ""),
        (("flight.origin",), "Please tell me where to fly from."),
        (
            ("flight.origin", "flight.departure_date"),
            "Please tell me where to fly from and on which day to leave.",
        ),
        (
            ("flight.origin", "flight.destination", "flight.departure_date", "hotel.city", "hotel.check_in"),
            "Please tell me where to fly from, where to go and on which day to leave.",
        ),
        (
            ("hotel.city", "hotel.check_in"),
            "Please tell me in which city you need a hotel, and from which day.",
        ),
        (("hotel.check_in",), "Please tell me from which day you need a hotel."),
    ],
)
def test_one_sentence_asks_for_all_that_is_missing(missing: tuple[str, ...], asked: str) -> None:
    assert ask_for(missing) == asked


@pytest.mark.parametrize(
    ("message", "wishes"),
    [
        ("a hotel in Rome tomorrow with a pool", []),
        ("a hotel near the Pear Museum in Rome tomorrow", ["nearness to Pear Museum"]),
        ("a hotel near the Colosseum tomorrow", []),
        ("flights from Berlin to Rome tomorrow", []),
    ],
)
def test_wish_that_no_search_uses_is_told(message, wishes):
    assert not_searched_by(understand(message, previous=None, today=TODAY)) == wishes


def test_all_that_no_search_uses_is_told_in_one_sentence():
    understood = told("a hotel near the Pear Museum in Rome from 5 to 8 December", "with a sea view, quiet")
    told_of_it = refusals(understood, not_searched_by(understood))
    assert told_of_it == 'I cannot search by nearness to Pear Museum, "a sea view" and "quiet".'


def test_what_is_to_be_booked_is_picked_by_its_name_and_not_searched_by_it():
    understood = understand("book the Hilton in Rome for tomorrow", previous=None, today=TODAY)
    assert (understood.booking.name, understood.hotel.name) == ("Hilton", "Hilton")
    assert not_searched_by(understood) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "flights from Oslo to Rome on 3 May for 2 people, max 300 euros",
            "flights from Oslo to Rome on Mon 3 May 2027, 2 passengers, economy, up to €300 for each",
        ),
        (
            "flights from Oslo to Rome on 3 May, max 300 euros",
            "flights from Oslo to Rome on Mon 3 May 2027, 1 passenger, economy, up to €300",
        ),
        (
            "Rome and Athens in any order from Oslo, 2 nights each, in May, 2 people, and back",
            "a tour of Rome and Athens in any order from Oslo and back, 2 nights in each, "
            "in May 2027, 2 passengers",
        ),
        ("rome, athens and oslo in any order", "a tour of Rome, Athens and Oslo in any order, 1 passenger"),
    ],
)
def test_prices_and_tours_are_told_as_they_are_searched(said, told):
    assert describe(understand(said, previous=None, today=TODAY)) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "flights from Oslo to Rome on 3 May, 3 adults and 1 child",
            "I search at adult fares, also for 1 child.",
        ),
        (
            "flights from Oslo to Rome on 3 May for two small kids and me",
            "I search at adult fares, also for two small kids.",
        ),
        ("flights from Oslo to Rome on 3 May for 4 adults", ""),
        ("a hotel in Rome on 3 May, 2 adults and a child", ""),
    ],
)
def test_children_are_searched_for_at_adult_fares_and_that_is_told(said, told):
    assert refusals(understand(said, previous=None, today=TODAY)) == told


def test_nearness_that_no_search_knows_is_not_told_as_done():
    beach = told("hotel in Palma from 5 to 8 February close to the beach")
    assert "near" not in describe(beach)
    assert "near Old Town" in describe(told("hotel in Palma from 5 to 8 February near the Old Town"))
    assert "nearness to beach" in not_searched_by(beach)
