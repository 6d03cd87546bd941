"""Words of every day are no places, though a town somewhere is called so."""

from datetime import date

import pytest

from backend.travel.understanding.english.language.tables import words_of
from backend.travel.understanding.english.places.finder import ORDINARY_NAMES, ORDINARY_WORDS
from backend.travel.understanding.places.gazetteer import load_gazetteer
from backend.travel.understanding.result import Understanding
from backend.travel.understanding.understand import understand

TODAY = date(2026, 11, 22)
BEFORE = understand("flights and hotels in Prague from Berlin on 11 December", previous=None, today=TODAY)


def said(message: str, *, before: Understanding | None = BEFORE) -> Understanding:
    return understand(message, previous=before, today=TODAY)


@pytest.mark.parametrize(
    "message",
    [
        "my sister is coming along", "my husband tags along", "can we move along", "a friend comes along too",
        "Along with my brother", "somewhere close to the central station", "near the station please",
        "in the old town", "Old Town please", "a room for zero guests", "with zero bags", "farewell",
        "for best price", "near bars and beach", "close to sand and sun", "near the bay", "in a flat",
        "to price it", "at most 200", "around normal prices", "from most people", "on mobile", "nice",
        "reading the list", "in general, the best one", "a bath please", "of course", "the golden one",
        "in grand style", "to show off", "try alpha", "keep solo", "check young people's hostels",
        "what about miles?", "at the bar", "for a man", "in fact the lower one", "ask marks and spencer",
    ],
)  # fmt: skip
def test_ordinary_word_moves_nobody_to_another_town(message: str) -> None:
    after = said(message)
    assert after.flight.destination == BEFORE.flight.destination
    assert after.flight.origin == BEFORE.flight.origin
    assert after.hotel.city == BEFORE.hotel.city


@pytest.mark.parametrize(
    ("message", "city"),
    [
        ("flights from Berlin to Nice on 3 May", "Nice"),
        ("flights from berlin to nice on 3 may", "Nice"),
        ("hotel in split from 3 may", "Split"),
        ("hotel in Bath on Friday", "Bath"),
        ("a hotel in Reading", "Reading"),
        ("hotel in Orange, California", "Orange"),
        ("hotel in Troy, New York", "Troy"),
        ("fly to Farewell, Alaska", "Farewell"),
        ("hotel in Jasper from 3 May", "Jasper"),
        ("fly from Berlin to Columbia on 3 May", "Columbia"),
        ("flights to Mobile", "Mobile"),
        ("hotel in Tours", "Tours"),
    ],
)
def test_town_that_is_a_word_is_found_where_it_is_told_as_a_place(message: str, city: str) -> None:
    after = said(message, before=None)
    found = after.flight.destination or after.hotel.city
    assert found is not None
    assert found.city.name == city


def test_each_ordinary_word_is_the_name_of_a_town() -> None:
    names = load_gazetteer().names
    ours = (ORDINARY_WORDS | ORDINARY_NAMES) - words_of("places").false_friends
    assert sorted(ours - names.keys()) == []


@pytest.mark.parametrize(
    "message",
    [
        "no no no HELSINGBORG not Prague",
        "no Helsingborg not Prague",
        "no no Helsingborg",
        "Helsingborg, not Prague",
    ],
)
def test_no_before_another_city_answers_and_does_not_negate_it(message: str) -> None:
    after = said(message)
    assert after.flight.destination is not None
    assert after.flight.destination.city.name == "Helsingborg"


def test_no_before_the_city_that_was_wanted_takes_it_away() -> None:
    after = said("no Prague, Vienna")
    assert after.flight.destination is not None
    assert after.flight.destination.city.name == "Vienna"
