"""What a night costs and whether it is sold out: a pure function of the hotel, the night, today and the seed.

    price = rate x weekday x season x lead time x noise      (EUR, a room and night)

Season is warm months in the temperate zones (turned round in the south), dry winter months in the tropics,
Christmas everywhere. Noise is +-10 % a night; 4 % of nights are sold out, whatever the price.
"""

from datetime import date, timedelta

from .hotels import Hotel
from .noise import noise_bytes

_BY_WEEKDAY = (0.97, 0.97, 0.98, 1.00, 1.12, 1.14, 0.94)  # the night that begins on that day, Monday first
_TEMPERATE_SEASON = (0.88, 0.90, 0.96, 1.03, 1.08, 1.14, 1.18, 1.18, 1.10, 1.02, 0.90, 0.95)  # northern
_TROPICAL_SEASON = (1.14, 1.12, 1.05, 0.98, 0.92, 0.90, 0.96, 0.98, 0.90, 0.92, 1.00, 1.12)
_TROPICS = 23.4
_AT_CHRISTMAS = 1.25
_SOLD_OUT = 0.04
_SOLD_OUT_FURTHER_ROOM = 0.02  # several rooms are harder to get than one


def stay_price(
    hotel: Hotel, *, check_in: date, check_out: date, rooms: int, today: date, seed: int
) -> float | None:
    """Return the price of a room for all nights in EUR, or None if one is sold out for so many rooms."""
    lead = _lead_factor((check_in - today).days)
    total = 0.0
    night = check_in
    dice, month = b"", 0
    while night < check_out:
        if night.month != month:
            # Two bytes for each night of a month: one for its price, one for whether it is sold out.
            month = night.month
            dice = noise_bytes("nights", seed, hotel.city, hotel.name, night.year, month)
        luck = dice[2 * night.day - 1] / 256
        if luck < _SOLD_OUT + _SOLD_OUT_FURTHER_ROOM * (rooms - 1):
            return None
        noise = 0.9 + 0.2 * dice[2 * night.day - 2] / 255
        total += hotel.rate * _BY_WEEKDAY[night.weekday()] * _season(night, hotel.latitude) * lead * noise
        night += timedelta(days=1)
    return total


def rooms_on_sale(hotel: Hotel, night: date, *, most: int, seed: int) -> int:
    """Return how many rooms of a night are sold at all: as many, up to `most`, as a stay has a price for."""
    dice = noise_bytes("nights", seed, hotel.city, hotel.name, night.year, night.month)
    luck = dice[2 * night.day - 1] / 256
    return sum(luck >= _SOLD_OUT + _SOLD_OUT_FURTHER_ROOM * further for further in range(most))


def _lead_factor(days: int) -> float:
    if days <= 3:
        return 1.1
    return 0.95 if days >= 90 else 1.0


def _season(night: date, latitude: float) -> float:
    if (night.month, night.day) >= (12, 22) or (night.month, night.day) <= (1, 2):
        return _AT_CHRISTMAS
    if abs(latitude) < _TROPICS:
        return _TROPICAL_SEASON[night.month - 1]
    half_a_year = 0 if latitude > 0 else 6
    return _TEMPERATE_SEASON[(night.month - 1 + half_a_year) % 12]
