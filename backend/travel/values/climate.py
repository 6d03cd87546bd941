"""How warm a place is in a month, by its latitude alone: a rule of thumb for "somewhere warm".

The mean high of a year falls by half a degree for each degree of latitude from 38 °C at the equator. July
and January, the warmest and the coldest month, differ from it by 0.22 degrees for each; south of the equator
it is the other way round. It knows nothing of seas, mountains and deserts, and so whoever tells of it says
what it goes by. For January it gives Gran Canaria 18 °C, Bangkok 28 °C and Berlin 0 °C.
"""

import math

from .travel import City

WARM = 17.0
"""The mean high, in °C, from which a place is called warm."""

_AT_THE_EQUATOR, _BY_LATITUDE, _SEASON = 38.0, 0.5, 0.22
_MONTHS, _WARMEST = 12, 7.2


def mean_high(city: City, month: int) -> float | None:
    """Return about how warm it gets by day in a month (1 to 12), in °C; None for a place without a centre."""
    if city.centre is None:
        return None
    latitude = city.centre[0]
    season = math.cos(2 * math.pi * (month - _WARMEST) / _MONTHS)
    return _AT_THE_EQUATOR - _BY_LATITUDE * abs(latitude) + _SEASON * latitude * season


def is_warm(city: City, month: int) -> bool:
    """Return whether a place is warm in a month."""
    high = mean_high(city, month)
    return high is not None and high >= WARM
