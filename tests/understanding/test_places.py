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
    ("said", "expected"),
    [
        ("from Berlin to Tokyo", [("origin", "Berlin"), ("destination", "Tokyo")]),
        ("berlin to tokyo", [("origin", "Berlin"), ("destination", "Tokyo")]),
        ("Berlin Tokyo", [("origin", "Berlin"), ("destination", "Tokyo")]),
        ("The city of departure is Paris", [("origin", "Paris")]),
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
def test_words_around_a_place_say_what_it_is_to_the_journey(
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
        ("to St. Gallen or St Petersburg", "St. Gallen"),
        ("to St Petersburg", "Saint Petersburg"),
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
    assert city in [mention.place.city.name for mention in read(said) if mention.place]


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
        ("Saint Petersburg", "Saint Petersburg, RU", "Saint Petersburg, Florida"),
        ("to San Jose", "San Jose, California, US", "San José, Costa Rica"),
        ("to Birmingham", "Birmingham, GB", "Birmingham, Alabama"),
        ("to Springfield", "Springfield, Missouri, US", "Springfield, Illinois"),
    ],
)
def test_name_of_several_cities_is_taken_for_the_likeliest_and_tells_the_others(
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
        ("hmm no. mobile, alabama", "Mobile, Alabama, US"),
        ("rome in georgia not italy", "Rome, Georgia, US"),
    ],
)
def test_country_or_state_behind_a_name_decides(said: str, label: str) -> None:
    (mention,) = read(said)
    assert mention.place is not None
    assert (mention.place.city.label, mention.others) == (label, ())


@pytest.mark.parametrize(
    ("said", "cities"),
    [
        ("to Japan", ["Tokyo, Japan", "Osaka, Japan"]),
        ("to the canary islands", ["Tenerife, Spain", "Gran Canaria, Spain"]),
        ("in Tuscany", ["Florence, Italy", "Pisa, Italy"]),
        ("Scotland", ["Edinburgh, United Kingdom", "Glasgow, United Kingdom"]),
        ("to Texas", ["Dallas, Texas", "Houston, Texas"]),
        ("to Georgia", ["Tbilisi, Georgia", "Atlanta, Georgia"]),
        ("to Ontario", ["Toronto, Ontario", "Ottawa, Ontario"]),
    ],
)
def test_of_a_country_or_region_the_city_is_still_to_be_chosen(said: str, cities: list[str]) -> None:
    (mention,) = read(said)
    assert mention.place is None
    assert set(cities) <= set(mention.others)


@pytest.mark.parametrize(
    ("said", "city"),
    [("to Hungary", "Budapest"), ("in Bavaria, in Munich", "Munich"), ("Seville, Andalusia", "Seville")],
)
def test_region_with_one_city_or_beside_its_city_leaves_nothing_to_choose(said: str, city: str) -> None:
    assert [mention.place.city.name for mention in read(said) if mention.place] == [city]
    assert all(mention.place for mention in read(said))


@pytest.mark.parametrize(
    "said", ["tell us about it", "the best of Spain", "Turkey sandwiches", "a Chile con carne"]
)
def test_region_that_is_only_mentioned_is_no_destination(said: str) -> None:
    assert read(said) == ()


@pytest.mark.parametrize(
    ("said", "unknown"),
    [
        ("flights to Xanadu", ["Xanadu"]),
        ("flights to xanadu on 3 May", ["xanadu"]),
        ("hotels in the Lake District", ["Lake District"]),
        ("from Narnia to Rome", ["Narnia"]),
        ("to Atlantis", ["Atlantis"]),
        ("to Milton Keynes", ["Milton Keynes"]),
        ("from QQX to Rome", ["QQX"]),
        ("flights to Rome", []),
        ("a flight to catch", []),
        ("in Premium Economy", []),
        ("to the Heron Inn", []),
        ("hotels in advance", []),
    ],
)
def test_name_nobody_knows_is_told_where_a_place_must_stand(said: str, unknown: list[str]) -> None:
    assert [mention.said for mention in find_places(Text(said), load_gazetteer()).unknown] == unknown


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("to Rome, no, Milan", [("destination", "Milan")]),
        ("to Rome - sorry, I mean Milan", [("destination", "Milan")]),
        ("from Berlin to Rome, no wait, from Hamburg", [("destination", "Rome"), ("origin", "Hamburg")]),
        ("to Rome, actually to Milan", [("destination", "Milan")]),
        ("no, not Paris, London", [("", "London")]),
        ("to Milan instead of Rome", [("destination", "Milan")]),
        ("not to Paris but to London", [("destination", "London")]),
        ("why not Paris?", [("", "Paris")]),
        ("not rome, milan!!", [("", "Milan")]),
        ("split instead of rome", [("", "Split")]),
        ("paris not rome", [("", "Paris")]),
        ("make it JFK only, no newark", [("", "JFK")]),
        ("ROMA!!! i mean ROMANIA, bucharest", [("", "Bucharest")]),
    ],
)
def test_place_that_is_taken_back_or_not_wanted_is_left_out(
    said: str, expected: list[tuple[str, str]]
) -> None:
    assert route(said) == expected


@pytest.mark.parametrize(
    ("said", "city", "others"),
    [
        ("to Paris or Rome", "Paris", ("Rome, Italy",)),
        ("in Paris or in Rome or in Milan", "Paris", ("Rome, Italy", "Milan, Italy")),
        ("hotels in Rome and Milan", "Rome", ("Milan, Italy",)),
    ],
)
def test_of_places_to_choose_from_the_first_is_taken_and_the_others_are_told(
    said: str, city: str, others: tuple[str, ...]
) -> None:
    (mention,) = read(said)
    assert mention.place is not None
    assert (mention.place.city.name, mention.others) == (city, others)


@pytest.mark.parametrize(
    ("said", "spelt", "city"),
    [("to Barcalona", "Barcalona", "Barcelona"), ("to San Fransico", "San Fransico", "San Francisco")],
)
def test_typing_error_is_told_with_what_was_taken_for_it(said: str, spelt: str, city: str) -> None:
    (mention,) = read(said)
    assert mention.place is not None
    assert (mention.said, mention.place.city.name) == (spelt, city)


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
