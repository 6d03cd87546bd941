"""Which words of a message are places, and what they are to the journey."""

import pytest

from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.places.districts import find_district
from backend.travel.understanding.english.places.finder import PlaceMention
from backend.travel.understanding.english.places.places import find_places
from backend.travel.understanding.places.gazetteer import load_gazetteer
from backend.travel.values.places import CITIES, REGIONS


def read(said: str) -> tuple[PlaceMention, ...]:
    return find_places(Text(said), load_gazetteer()).mentions


def route(said: str) -> list[tuple[str, str]]:
    return [
        (mention.role, mention.place.airport or mention.place.city.name)
        for mention in read(said)
        if mention.place
    ]


@pytest.mark.parametrize(
    ("said", "spelt", "city"),
    [("to Barcalona", "Barcalona", "Barcelona"), ("to San Fransico", "San Fransico", "San Francisco")],
)
def test_typing_error_is_told_with_what_was_taken_for_it(said: str, spelt: str, city: str) -> None:
    (mention,) = read(said)
    assert mention.place is not None
    assert (mention.said, mention.place.city.name) == (spelt, city)


def test_every_city_of_the_table_is_found_by_its_name_and_by_its_airports() -> None:
    gazetteer = load_gazetteer()
    for city in CITIES:
        (mention, *_) = read(f"to {city.name}")
        namesakes = [place.city for place in gazetteer.names[" ".join(_key(city.name))]]
        assert city in namesakes, city.label
        assert mention.place.city in namesakes
    for code in {code for city in CITIES for code in city.airports}:
        assert code in gazetteer.codes


def _key(name: str) -> list[str]:
    words = [token.norm for token in Text(name).tokens if token.is_word]
    return ["saint" if word == "st" else word for word in words]


@pytest.mark.parametrize("name", sorted({name for region in REGIONS for name in region.names}))
def test_no_country_is_taken_for_a_misspelt_city(name: str) -> None:
    for spelt in (name, name.lower()):
        for mention in read(f"to {spelt}"):
            held = [region for region in REGIONS if name in region.names]
            is_namesake = mention.place and (not mention.said or mention.place.city in held[0].cities)
            assert is_namesake or mention.others


def test_city_that_only_has_an_airport_is_a_city_of_the_lowest_tier() -> None:
    (mention,) = read("to Evansville")
    assert (mention.place.city.tier, mention.place.airports) == (3, ("EVV",))


@pytest.mark.parametrize(
    ("said", "name", "cities"),
    [
        ("a hotel near Shinjuku", "Shinjuku", ["Tokyo"]),
        ("in le marais", "Le Marais", ["Paris"]),
        ("close to the Grand Plum Tree, please", "Grand Plum Tree", []),
        ("close to the Grand Bazaar, please", "Grand Bazaar", ["Istanbul"]),
        ("in Duomo", "Duomo", ["Florence", "Milan"]),
    ],
)
def test_district_is_known_by_name_or_told_in_the_users_words(
    said: str, name: str, cities: list[str]
) -> None:
    found = find_district(Text(said))
    assert found is not None
    assert (found.name, sorted(city.name for city in found.cities)) == (name, cities)


@pytest.mark.parametrize("said", ["near 200 euros", "around me", "near there", "near", "in the hotel"])
def test_nearness_to_nothing_is_no_district(said: str) -> None:
    assert find_district(Text(said)) is None
