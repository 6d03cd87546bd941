"""The generator's map and timetable: carriers, routes, schedule, block times."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.travel.providers.demo.carriers import CARRIERS
from backend.travel.providers.demo.geography import (
    airports_of,
    block_minutes,
    distance_km,
    utc_offset_minutes,
)
from backend.travel.providers.demo.routes import services
from backend.travel.providers.demo.schedule import timetable
from backend.travel.values.cities import CITIES

AIRPORTS = airports_of(CITIES)
airports = st.sampled_from(sorted(AIRPORTS)).map(AIRPORTS.__getitem__)
REAL_AIRLINES = (
    "lufthansa", "british", "emirates", "delta", "united", "american", "ryanair", "easyjet", "qatar",
    "qantas", "singapore", "cathay", "swiss", "iberia", "vueling", "wizz", "turkish", "aeroflot", "aurora",
    "avianca", "latam", "azul", "gol", "jetblue", "southwest", "spirit", "frontier", "alaska", "hawaiian",
    "westjet", "porter", "indigo", "vistara", "scoot", "jetstar", "virgin", "condor", "eurowings",
    "transavia", "volotea", "norwegian",
)  # fmt: skip


@pytest.fixture(scope="module")
def all_services():
    return list(services(AIRPORTS, seed=7))


@pytest.fixture(scope="module")
def patterns(all_services):
    return list(timetable(all_services, seed=7))


def test_no_carrier_can_be_taken_for_a_real_airline():
    for carrier in CARRIERS:
        assert carrier.id.startswith("demo-")  # no designator of two characters, nor one of three
        assert "Demo" in carrier.name
        assert not any(real in carrier.name.casefold() for real in REAL_AIRLINES), carrier.name
    assert len({carrier.id for carrier in CARRIERS}) == len(CARRIERS)


def test_hubs_are_airports_of_the_table_and_every_world_hub_is_one():
    hubs = {code for carrier in CARRIERS for code in carrier.hubs}
    assert hubs <= set(AIRPORTS)
    served = [city for city in CITIES if city.tier == 1]
    without = [city.label for city in served if city.airports[0] not in hubs]
    assert len(without) <= len(served) // 5, without


@given(airports, airports)
def test_distance_and_block_time_are_sane_for_any_two_airports(one, other):
    km = distance_km(one, other)
    assert km == pytest.approx(distance_km(other, one))
    assert 0 <= km < 20_050  # half the way round the earth
    assert 25 <= block_minutes(one, other, km=km) <= 35 + km / 12.5
    difference = abs(block_minutes(one, other, km=km) - block_minutes(other, one, km=km))
    assert difference <= 0.11 * km / 13.6 + 5


@given(airports, airports, airports)
def test_no_detour_is_much_faster_than_the_nonstop(one, middle, other):
    direct = distance_km(one, other)
    first, second = distance_km(one, middle), distance_km(middle, other)
    assert direct <= first + second + 1e-6
    detour = block_minutes(one, middle, km=first) + block_minutes(middle, other, km=second)
    assert block_minutes(one, other, km=direct) <= detour * 1.11 + 5


def test_the_known_block_times_hold():
    there, back = AIRPORTS["JFK"], AIRPORTS["LHR"]
    km = distance_km(there, back)
    assert km == pytest.approx(5_540, abs=20)
    assert block_minutes(there, back, km=km) == 420
    assert block_minutes(back, there, km=km) == 460


def test_every_airport_is_reached_by_a_network_carrier(all_services):
    reached = set()
    for service in all_services:
        if not CARRIERS[service.carrier].low_cost:
            reached |= {service.base.code, service.other.code}
    assert reached == set(AIRPORTS)


def test_no_flight_ends_where_it_starts_and_every_one_has_a_way_back(patterns):
    there = {(p.origin, p.destination, p.carrier) for p in patterns}
    assert all(origin != destination for origin, destination, _ in there)
    assert there == {(destination, origin, carrier) for origin, destination, carrier in there}


def test_as_many_flights_a_week_go_back_as_go_there(patterns):
    weekly = {}
    for pattern in patterns:
        key = (pattern.carrier, *sorted((pattern.origin, pattern.destination)))
        sign = 1 if pattern.origin < pattern.destination else -1
        weekly[key] = weekly.get(key, 0) + sign * pattern.weekdays.bit_count()
    assert not any(weekly.values())


def test_flight_numbers_are_unique_and_flights_leave_by_day(patterns):
    assert len({(pattern.carrier, pattern.number) for pattern in patterns}) == len(patterns)
    for pattern in patterns:
        assert 0 < pattern.weekdays < 128
        assert 5 * 60 + 30 <= pattern.departure < 24 * 60


def test_the_offset_at_noon_is_that_of_every_departure_of_the_day():
    start = date(2026, 11, 20).toordinal()
    for zone in sorted({airport.zone for airport in AIRPORTS.values()}):
        for day in range(start, start + 366):
            on = date.fromordinal(day)
            for hour, minute in ((5, 30), (23, 55)):
                departure = datetime(on.year, on.month, on.day, hour, minute, tzinfo=ZoneInfo(zone))
                assert departure.utcoffset().total_seconds() == utc_offset_minutes(zone, day) * 60, (zone, on)


def test_the_same_seed_gives_the_same_network_and_another_seed_another(patterns):
    assert list(timetable(services(AIRPORTS, seed=7), seed=7)) == patterns
    assert list(timetable(services(AIRPORTS, seed=8), seed=8)) != patterns
