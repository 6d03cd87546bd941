"""The district table, held against the city table."""

import math

from backend.travel.values.cities import CITIES
from backend.travel.values.districts import NAMED_DISTRICTS, districts_of

WIDE = {"Bali, ID", "Hong Kong, HK", "Dubai, AE", "Rio de Janeiro, BR", "Cairo, EG"}
WIDE |= {"Los Angeles, California, US", "Las Vegas, Nevada, US"}
LABELS = {city.label: city for city in CITIES}


def kilometres(one, other):
    north = (other[0] - one[0]) * 111.2
    east = (other[1] - one[1]) * 111.2 * math.cos(math.radians(one[0]))
    return math.hypot(north, east)


def test_districts_belong_to_cities_of_the_table():
    assert set(NAMED_DISTRICTS) <= set(LABELS)
    assert len(NAMED_DISTRICTS) >= 45


def test_every_city_has_several_districts_with_names_of_their_own():
    for city in CITIES:
        names = [district.name.casefold() for district in districts_of(city)]
        assert len(names) >= 4, city.label
        assert len(set(names)) == len(names), city.label


def test_a_district_lies_in_its_city():
    for city in CITIES:
        for district in districts_of(city):
            place = (district.latitude, district.longitude)
            limit = 25 if city.label in WIDE else 16
            assert kilometres(city.centre, place) < limit, (city.label, district.name)


def test_districts_people_ask_for_are_there():
    for label, name in (
        ("Tokyo, JP", "Shinjuku"),
        ("Berlin, DE", "Kreuzberg"),
        ("Rome, IT", "Trastevere"),
        ("Paris, FR", "Le Marais"),
        ("Paris, FR", "Montmartre"),
        ("London, GB", "Shoreditch"),
        ("Bali, ID", "Seminyak"),
    ):
        assert name in {district.name for district in districts_of(LABELS[label])}
