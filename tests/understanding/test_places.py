"""Which words of a message are places, and what they are to the journey."""

import pytest

from backend.domain.cities import CITIES
from backend.understanding.districts import find_district
from backend.understanding.gazetteer import load_gazetteer
from backend.understanding.place_words import COUNTRIES
from backend.understanding.places import PlaceMention, find_places
from backend.understanding.text import Text


def read(said: str) -> tuple[PlaceMention, ...]:
    return find_places(Text(said), load_gazetteer())


def route(said: str) -> list[tuple[str, str]]:
    return [(mention.role, mention.place.airport or mention.place.city.name) for mention in read(said)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("from Berlin to Tokyo", [("origin", "Berlin"), ("destination", "Tokyo")]),
        ("berlin to tokyo", [("origin", "Berlin"), ("destination", "Tokyo")]),
        ("Berlin Tokyo", [("origin", "Berlin"), ("destination", "Tokyo")]),
        ("BER-JFK", [("origin", "BER"), ("destination", "JFK")]),
        ("BER \u2192 JFK", [("origin", "BER"), ("destination", "JFK")]),
        ("between Rome and Milan", [("origin", "Rome"), ("destination", "Milan")]),
        ("in Lisbon from London", [("stay", "Lisbon"), ("origin", "London")]),
        ("to the beautiful city of Rome", [("destination", "Rome")]),
        ("leaving Berlin", [("origin", "Berlin")]),
        ("leaving for Rome", [("destination", "Rome")]),
        ("out of Heathrow", [("origin", "LHR")]),
        ("return to Berlin", [("back", "Berlin")]),
        ("make it Paris", [("", "Paris")]),
        ("I live in Berlin and want to go to Rome", [("origin", "Berlin"), ("destination", "Rome")]),
        ("FIND FLIGHTS FROM BERLIN TO ROME FOR ONE", [("origin", "Berlin"), ("destination", "Rome")]),
        ("My destination is San Francisco", [("destination", "San Francisco")]),
        ("from NYC to LON", [("origin", "New York"), ("destination", "London")]),
    ],
)
def test_the_words_around_a_place_say_what_it_is_to_the_journey(
    said: str, expected: list[tuple[str, str]]
) -> None:
    assert route(said) == expected


@pytest.mark.parametrize(
    ("said", "city"),
    [
        ("to São Paulo", "São Paulo"),
        ("to sao paulo", "São Paulo"),
        ("to Münich", "Munich"),
        ("to Muenchen", "Munich"),
        ("to Kiev", "Kyiv"),
        ("to St. Gallen or St Petersburg", "Saint Petersburg"),
        ("to L.A.", "Los Angeles"),
        ("in la for 3 nights", "Los Angeles"),
        ("to Washington, D.C.", "Washington"),
        ("to Barcalona", "Barcelona"),
        ("from new yrok", "New York"),
        ("Barcalona please", "Barcelona"),
        ("flights to Nice", "Nice"),
        ("flights to nice on 3 may", "Nice"),
        ("Nice", "Nice"),
        ("hotel in Reading", "Reading"),
        ("a hotel in Split, Croatia", "Split"),
        ("London's best hotels", "London"),
    ],
)
def test_names_are_found_however_they_are_spelt(said: str, city: str) -> None:
    assert city in [mention.place.city.name for mention in read(said)]


@pytest.mark.parametrize(
    "said",
    [
        "I'm reading a nice book",
        "nice to meet you",
        "I want to split the bill with the man",
        "in most hotels",
        "Most of it",
        "mobile number",
        "can you and the others try for me",
        "to book one",
        "in general",
        "to Milton Keynes",
        "a trip to Japan",
        "in pairs",
        "to change it",
        "FIND ME THE BEST ONE FOR NOW",
    ],
)
def test_words_that_are_also_cities_are_words_where_no_place_must_stand(said: str) -> None:
    assert read(said) == ()


@pytest.mark.parametrize(
    ("said", "label", "other"),
    [
        ("Saint Petersburg", "Saint Petersburg, RU", "Saint Petersburg, Florida, US"),
        ("to San Jose", "San Jose, California, US", "San José, CR"),
        ("to Birmingham", "Birmingham, GB", "Birmingham, Alabama, US"),
        ("to Springfield", "Springfield, Missouri, US", "Springfield, Illinois, US"),
    ],
)
def test_a_name_of_several_cities_is_taken_for_the_likeliest_and_tells_the_others(
    said: str, label: str, other: str
) -> None:
    (mention,) = read(said)
    assert mention.place.city.label == label
    assert other in mention.others


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("to Saint Petersburg, Florida", "Saint Petersburg, Florida, US"),
        ("to Portland, OR", "Portland, Oregon, US"),
        ("to Portland, Maine", "Portland, Maine, US"),
        ("to Paris, Texas", "Paris, Texas, US"),
        ("to Birmingham Alabama", "Birmingham, Alabama, US"),
        ("to London, UK", "London, GB"),
    ],
)
def test_a_country_or_state_behind_a_name_decides(said: str, label: str) -> None:
    (mention,) = read(said)
    assert (mention.place.city.label, mention.others) == (label, ())


def test_nobody_is_asked_which_london_is_meant() -> None:
    assert read("to London")[0].others == ()


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


@pytest.mark.parametrize("name", sorted(name for names in COUNTRIES.values() for name in names))
def test_no_country_is_taken_for_a_misspelt_city(name: str) -> None:
    gazetteer = load_gazetteer()
    for spelt in (name, name.title()):
        assert all(mention.place in gazetteer.names.get(name, ()) for mention in read(f"to {spelt}"))


def test_a_city_that_only_has_an_airport_is_a_city_of_the_lowest_tier() -> None:
    (mention,) = read("to Evansville")
    assert (mention.place.city.tier, mention.place.airports) == (3, ("EVV",))


@pytest.mark.parametrize(
    ("said", "name", "cities"),
    [
        ("a hotel near Shinjuku", "Shinjuku", ["Tokyo"]),
        ("in le marais", "Le Marais", ["Paris"]),
        ("close to the Grand Bazaar, please", "Grand Bazaar", []),
        ("in Duomo", "Duomo", ["Florence", "Milan"]),
    ],
)
def test_a_district_is_known_by_name_or_told_in_the_users_words(
    said: str, name: str, cities: list[str]
) -> None:
    found = find_district(Text(said))
    assert found is not None
    assert (found.name, sorted(city.name for city in found.cities)) == (name, cities)


@pytest.mark.parametrize("said", ["near 200 euros", "around me", "near there", "near", "in the hotel"])
def test_nearness_to_nothing_is_no_district(said: str) -> None:
    assert find_district(Text(said)) is None
