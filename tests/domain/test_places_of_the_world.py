"""Countries, regions and sights fit the cities and districts they are about."""

from backend.travel.values.cities import CITIES
from backend.travel.values.countries import COUNTRIES
from backend.travel.values.districts import NAMED_DISTRICTS
from backend.travel.values.landmarks import LANDMARKS
from backend.travel.values.regions import REGIONS


def test_every_city_lies_in_a_country_that_has_a_name():
    assert {city.country for city in CITIES} <= COUNTRIES.keys()


def test_every_sight_is_near_a_district_of_its_city():
    for landmark in LANDMARKS:
        assert landmark.district in [district.name for district in NAMED_DISTRICTS[landmark.city]], landmark


def test_a_region_offers_one_to_five_cities_that_lie_in_it():
    for region in REGIONS:
        assert 1 <= len(region.cities) <= 5, region.names
        assert all(region.holds(city) for city in region.cities)


def test_the_largest_cities_of_a_country_are_offered():
    japan = next(region for region in REGIONS if "Japan" in region.names)
    assert [city.name for city in japan.cities[:2]] == ["Tokyo", "Osaka"]
