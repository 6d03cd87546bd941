"""Parts of a city beside its name, and airports to sleep near: "hotel in New York, Midtown"."""

import pytest

from tests.understanding.conversation import told


@pytest.mark.parametrize(
    ("said", "city", "district"),
    [
        ("hotel in New York 12-14 jan, Midtown", "New York", "Midtown"),
        ("hotel in New York Midtown 12-14 jan under $450", "New York", "Midtown"),
        ("flight FRA to JFK 12 jan, back 14 jan. Hotel Midtown 2 nights", "New York", "Midtown"),
        ("hotel in lisbon (alfama) 3-5 dec for 2", "Lisbon", "Alfama"),
        ("hotel berlin kreuzberg 3-5 dec", "Berlin", "Kreuzberg"),
        ("flights from berlin to rome 3 dec, hotel trastevere", "Rome", "Trastevere"),
    ],
)
def test_part_of_a_city_needs_no_word_before_it_beside_the_city(said: str, city: str, district: str) -> None:
    understood = told(said)
    assert understood.hotel.city is not None
    assert (understood.hotel.city.city.name, understood.hotel.district) == (city, district)
    assert understood.refused == ()


@pytest.mark.parametrize(
    ("said", "city", "airport"),
    [
        ("hotel near schiphol 3-5 dec", "Amsterdam", "schiphol"),
        ("hotel close to Heathrow 3-5 dec", "London", "Heathrow"),
        ("hotel next to JFK tomorrow", "New York", "JFK"),
        ("flights from berlin to rome 3-6 dec, hotel near Ciampino", "Rome", "Ciampino"),
    ],
)
def test_nearness_to_an_airport_is_kept_beside_its_city(said: str, city: str, airport: str) -> None:
    stay = told(said).hotel
    assert stay.city is not None
    assert (stay.city.city.name, stay.district) == (city, airport)


@pytest.mark.parametrize(
    "said",
    [
        "hotel in Rome 3-5 dec, Midtown",
        "flights from near Gatwick to rome 3 dec",
        "hotel in Paris 3-5 dec from LHR",
    ],
)
def test_part_of_another_city_is_none_here(said: str) -> None:
    assert not told(said).hotel.district
