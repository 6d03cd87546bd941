"""A rule of thumb for how warm a place is."""

import pytest

from backend.travel.values.cities import CITIES
from backend.travel.values.climate import is_warm, mean_high
from backend.travel.values.travel import City

BY_NAME = {city.name: city for city in CITIES}


@pytest.mark.parametrize("name", ["Gran Canaria", "Tenerife", "Bangkok", "Dubai", "Miami"])
def test_what_is_warm_in_january(name: str) -> None:
    assert is_warm(BY_NAME[name], 1)


@pytest.mark.parametrize("name", ["Berlin", "Oslo", "Rome", "Toronto", "Tokyo"])
def test_what_is_not_warm_in_january(name: str) -> None:
    assert not is_warm(BY_NAME[name], 1)


def test_south_of_the_equator_january_is_the_warm_month() -> None:
    january, july = (mean_high(BY_NAME["Melbourne"], month) or 0 for month in (1, 7))
    assert january > july + 10


def test_of_a_place_without_a_centre_nothing_is_known() -> None:
    nowhere = City(name="Nowhere", country="AQ", airports=(), tier=3)
    assert mean_high(nowhere, 1) is None
    assert not is_warm(nowhere, 1)
