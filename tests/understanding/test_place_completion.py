"""Each name that is proposed while one types is understood as the place it was proposed for."""

from backend.travel.understanding.places.gazetteer import complete_place, load_gazetteer, words_for
from backend.travel.understanding.result import Place
from backend.travel.understanding.understand import understand
from backend.travel.values.places import CITIES, COUNTRIES
from tests.frontend.saying import said
from tests.understanding.conversation import TODAY, told

BY_AIR = told("flights from Reykjavik to Ushuaia on 10 December")


def test_each_city_and_each_of_its_airports_that_is_proposed_is_read_as_itself():
    codes = load_gazetteer().codes  # of a metro's own code, such as BFS, it is the city
    places = [Place(city=city) for city in CITIES]
    places += [codes[code] for city in CITIES if len(city.airports) > 1 for code in city.airports]
    for place, sentence in zip(places, said(("goTo", [words_for(place)]) for place in places), strict=True):
        assert understand(sentence, previous=BY_AIR, today=TODAY).flight.destination == place, sentence


def test_city_is_proposed_first_for_its_own_name_unless_a_larger_one_has_that():
    for city in CITIES:
        first = complete_place(city.name, most=1)[0].city
        assert first.tier <= city.tier, (city.label, first.label)


def test_every_place_is_proposed_with_the_name_of_its_country_and_no_code():
    gazetteer = load_gazetteer()
    cities = {place.city for places in gazetteer.names.values() for place in places}
    assert {city.country for city in cities} <= COUNTRIES.keys()
    assert words_for(complete_place("Port Vila", most=1)[0]) == "Port Vila, Vanuatu"


def test_place_that_is_proposed_with_its_country_is_read_as_itself_where_only_an_airfield_is_known():
    names = ["Port Vila", "Funafuti", "Apia", "Dushanbe", "Ashgabat", "Stanley", "Douglas", "Nuku'alofa"]
    places = [place for name in names for place in complete_place(name, most=1)]
    assert len(places) == len(names)
    for place, sentence in zip(places, said(("goTo", [words_for(place)]) for place in places), strict=True):
        assert understand(sentence, previous=BY_AIR, today=TODAY).flight.destination == place, sentence
