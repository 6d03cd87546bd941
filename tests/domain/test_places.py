"""The tables of places: well formed, true to `airportsdata`, and consistent with each other."""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from importlib.resources import files
from itertools import chain

import airportsdata
import pytest

from backend.travel import values
from backend.travel.values.places import (
    CITIES,
    COUNTRIES,
    LANDMARKS,
    NAMED_DISTRICTS,
    REGIONS,
    TOWNS,
    districts_of,
    is_warm,
    listed,
    mean_high,
    nearest_airport,
    rows,
)
from backend.travel.values.travel import City

AIRPORTS = airportsdata.load("IATA")
BY_LABEL = {city.label: city for city in CITIES}
BY_NAME = {town.name: town for town in chain(TOWNS, CITIES)}
NOWHERE = City(name="Nowhere", country="AQ", airports=(), tier=3)

ABROAD = {"BSL": "FR"}  # EuroAirport serves Basel and lies in France
SHARED = {
    "OAK": {"San Francisco, California, US", "Oakland, California, US"},
    "KIX": {"Osaka, JP", "Kyoto, JP"},  # Kyoto has no airport and is reached through Osaka's
    "ITM": {"Osaka, JP", "Kyoto, JP"},
}
ACROSS_A_STATE_LINE = {"EWR": "New Jersey", "CVG": "Kentucky", "NLU": "Mexico"}
SPELLED_OTHERWISE = {"CBR": "ACT", "TIJ": "Baja California Sur"}  # an abbreviation, and a slip
WIDE = {"Bali, ID", "Hong Kong, HK", "Dubai, AE", "Rio de Janeiro, BR", "Cairo, EG"}
WIDE |= {"Los Angeles, California, US", "Las Vegas, Nevada, US"}

CODES = r"[A-Z]{3}"
LATITUDE, LONGITUDE = r"-?[0-8]?\d\.\d{2,3}", r"-?(1[0-7]|\d)?\d\.\d{2,3}"
TEXT = r"\S(.*\S)?"
LABEL = r"[^,;]+(, [^,;]+)?, [A-Z]{2}"
NAMES = r"[^,;\s][^,;]*(, [^,;\s][^,;]*)*"
TOWN_COLUMNS = {
    "country": r"[A-Z]{2}",
    "name": r"[^,;]+",
    "subdivision": r"[^,;]*",
    "aliases": rf"({NAMES})?",
    "latitude": LATITUDE,
    "longitude": LONGITUDE,
}
CITY_COLUMNS = {"tier": r"[123]", "airports": rf"({CODES}( {CODES})*)?", "metro": rf"({CODES})?"}
COLUMNS = {
    "cities": TOWN_COLUMNS | CITY_COLUMNS,
    "towns": TOWN_COLUMNS,
    "countries": {"code": r"[A-Z]{2}", "names": NAMES},
    "regions": {"names": NAMES, "cities": rf"{LABEL}(; {LABEL}){{0,4}}"},
    "landmarks": {"names": NAMES, "city": LABEL, "district": TEXT},
    "districts": {"city": LABEL, "name": r"[^;]+", "latitude": LATITUDE, "longitude": LONGITUDE},
}
KEYS = {
    "cities": ("country", "name", "subdivision"),
    "towns": ("country", "name", "subdivision"),
    "countries": ("code",),
    "regions": ("names",),
    "landmarks": ("names",),
    "districts": ("city", "name"),
}


def kilometres(one, other):
    lat1, lon1, lat2, lon2 = map(math.radians, (*one, *other))
    half = (
        math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    )
    return 12742 * math.asin(math.sqrt(half))


def unaccented(text):
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def repeated(items):
    return [value for value, count in Counter(items).items() if count > 1]


# --- tables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", COLUMNS)
def test_table_rows_fit_their_columns_and_are_unique(table):
    assert repeated(tuple(row[column] for column in KEYS[table]) for row in rows(table)) == []
    for row in rows(table):
        assert row.keys() == COLUMNS[table].keys()
        for column, form in COLUMNS[table].items():
            assert re.fullmatch(form, row[column]), (column, row)
            assert row[column] == row[column].strip(), (column, row)


def test_tables_are_the_known_ones_without_ambiguous_names():
    names = {each.name.removesuffix(".tsv") for each in files(values).iterdir() if each.name.endswith(".tsv")}
    assert names == COLUMNS.keys()
    for table in ("regions", "landmarks", "countries"):
        assert repeated(name for row in rows(table) for name in listed(row["names"])) == []


def test_table_row_with_missing_columns_is_refused(tmp_path, monkeypatch):
    (tmp_path / "broken.tsv").write_text("code\tnames\nDE\n", "utf-8")
    monkeypatch.setattr("backend.travel.values.places.files", lambda _package: tmp_path)
    with pytest.raises(ValueError, match="shorter"):
        list(rows("broken"))


# --- cities --------------------------------------------------------------------------------------------


def test_airports_of_cities_agree_with_airport_data():
    for city in CITIES:
        assert city.centre is not None
        for position, code in enumerate(city.airports):
            known = AIRPORTS[code]
            assert known["country"] == ABROAD.get(code, city.country), (city.label, code)
            assert known["tz"], code
            limit = 90 if position or city.label in {"Tenerife, ES", "Kyoto, JP"} else 55
            assert kilometres(city.centre, (known["lat"], known["lon"])) < limit, (city.label, code)
            if city.subdivision:
                subdivision = ACROSS_A_STATE_LINE.get(code) or SPELLED_OTHERWISE.get(code) or city.subdivision
                assert unaccented(known["subd"]) == unaccented(subdivision), (city.label, code)


def test_airport_groups_agree_with_airport_data():
    for code, group in airportsdata.load_iata_macs().items():
        for city in CITIES:
            if set(group["airports"]) & set(city.airports) and city.label != "Kyoto, JP":
                assert city.metro == code, city.label
    assert BY_LABEL["New York, New York, US"].airports == ("JFK", "EWR", "LGA")
    assert repeated(city.metro for city in CITIES if city.metro) == []


def test_airports_belong_to_one_city_except_shared_ones():
    owners = defaultdict(set)
    for city in CITIES:
        assert repeated(city.airports) == [], city.label
        for code in city.airports:
            owners[code].add(city.label)
    assert {code: labels for code, labels in owners.items() if len(labels) > 1} == SHARED


def test_city_labels_are_unique_with_the_subdivision_in_large_countries():
    assert repeated(city.label for city in CITIES) == []
    with_subdivision = {"US", "CA", "AU", "MX"}
    assert all(bool(city.subdivision) == (city.country in with_subdivision) for city in CITIES)
    assert {town.label for town in TOWNS}.isdisjoint(BY_LABEL)


def test_city_tiers_are_few_hubs_and_many_regional_cities():
    tiers = Counter(city.tier for city in CITIES)
    assert tiers[1] < tiers[2] < tiers[3]
    assert {BY_LABEL[label].tier for label in ("London, GB", "Tokyo, JP", "São Paulo, BR")} == {1}
    assert {BY_LABEL[label].tier for label in ("Inverness, GB", "Springfield, Illinois, US")} == {3}
    assert all(city.tier == 3 for city in CITIES if not city.airports)


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ("NYC", {"New York, New York, US"}),
        ("Saigon", {"Ho Chi Minh City, VN"}),
        ("Muenchen", {"Munich, DE"}),
        ("Kiev", {"Kyiv, UA"}),
        ("St Petersburg", {"Saint Petersburg, RU", "Saint Petersburg, Florida, US"}),
        ("Springfield", {"Springfield, Illinois, US", "Springfield, Missouri, US"}),
    ],
)
def test_city_aliases_lead_to_their_cities(typed, labels):
    assert {city.label for city in CITIES if typed in (city.name, *city.aliases)} == labels


def test_city_names_are_typed_without_accents_and_aliases_are_clean():
    for city in CITIES:
        names = {unaccented(name).casefold() for name in (city.name, *city.aliases)}
        decomposed = unicodedata.normalize("NFKD", city.name)
        if any(ord(letter) > 127 for letter in decomposed if letter.isalpha()):
            assert any(name.isalpha() and len(name) >= len(city.name) for name in names), city.label
        assert all(alias == alias.strip() and "|" not in alias for alias in city.aliases), city.label
        assert repeated((city.name, *city.aliases)) == [], city.label


# --- around cities -------------------------------------------------------------------------------------


def test_districts_lie_in_their_city_and_stand_together():
    assert NAMED_DISTRICTS.keys() <= BY_LABEL.keys()
    assert len(NAMED_DISTRICTS) >= 45
    cities = [row["city"] for row in rows("districts")]
    assert repeated(city for at, city in enumerate(cities) if at == 0 or cities[at - 1] != city) == []
    for city in CITIES:
        districts = districts_of(city)
        assert len(districts) >= 4, city.label
        assert repeated(district.name.casefold() for district in districts) == [], city.label
        limit = 25 if city.label in WIDE else 16
        for district in districts:
            place = (district.latitude, district.longitude)
            assert kilometres(city.centre, place) < limit, (city.label, district.name)


def test_landmarks_countries_and_regions_fit_their_cities():
    assert {city.country for city in CITIES} <= COUNTRIES.keys()
    for landmark in LANDMARKS:
        assert landmark.district in [district.name for district in NAMED_DISTRICTS[landmark.city]], landmark
    for region in REGIONS:
        assert 1 <= len(region.cities) <= 5, region.names
        assert all(region.holds(city) for city in region.cities)
    japan = next(region for region in REGIONS if "Japan" in region.names)
    assert [city.name for city in japan.cities[:2]] == ["Tokyo", "Osaka"]


@pytest.mark.parametrize(
    ("town", "code", "least", "most"),
    [
        ("Lucca", "PSA", 15, 25), ("Oxford", "LTN", 50, 75), ("Helsingborg", "CPH", 40, 60),
        ("Konstanz", "ZRH", 40, 60), ("Garmisch-Partenkirchen", "INN", 20, 40),
    ],
)  # fmt: skip
def test_nearest_airport_of_town_is_found(town: str, code: str, least: int, most: int) -> None:
    nearest = nearest_airport(BY_NAME[town])
    assert nearest is not None
    assert nearest.code == code
    assert code in nearest.city.airports
    assert least <= nearest.km <= most


def test_nearest_airport_is_neither_over_the_sea_nor_too_far_nor_of_a_city_with_its_own():
    nearest = nearest_airport(BY_NAME["Cádiz"])
    assert nearest is not None
    assert nearest.city.name == "Seville"
    assert nearest_airport(BY_NAME["Moab"]) is None
    assert nearest_airport(NOWHERE) is None
    assert [city.label for city in CITIES if city.airports and nearest_airport(city)] == []


def test_nearest_airport_of_unknown_airfield_is_a_large_one_close_by():
    field = City(name="Somewhere", country="IT", airports=("QQQ",), tier=3, centre=(43.75, 10.45))
    nearest = nearest_airport(field)
    assert nearest is not None
    assert nearest.code == "PSA"


def test_climate_follows_latitude_and_hemisphere() -> None:
    warm = [is_warm(BY_NAME[name], 1) for name in ("Gran Canaria", "Bangkok", "Miami")]
    cold = [is_warm(BY_NAME[name], 1) for name in ("Berlin", "Rome", "Tokyo")]
    assert (all(warm), any(cold)) == (True, False)
    january, july = (mean_high(BY_NAME["Melbourne"], month) or 0 for month in (1, 7))
    assert january > july + 10
    assert mean_high(NOWHERE, 1) is None
    assert not is_warm(NOWHERE, 1)
