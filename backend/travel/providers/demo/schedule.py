"""The weekly timetable: every service spread over the days and hours of a week.

Flights leave their base spread from 06:00 to 22:00, long-haul ones in fixed banks; the aircraft turns round
and flies back, in a bank again or, short-haul, at once; what would leave between 22:30 and 05:30 stays the
night.
"""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import NamedTuple

from .geography import block_minutes, utc_offset_minutes
from .noise import unit
from .routes import Service

LONG_HAUL_KM = 3_500

_DAY = 24 * 60
_FIRST_DEPARTURE = 6 * 60
_LAST_DEPARTURE = 22 * 60
_RESTING_FROM, _RESTING_UNTIL = 22 * 60 + 30, 5 * 60 + 30
_FIRST_NUMBER = 100
# In minutes after midnight: outbound ones in the order they fill up, inbound ones in that of the day.
_LONG_HAUL_BANKS = (620, 1230, 810, 1320, 1005, 520, 1125)
_LONG_HAUL_RETURNS = (525, 665, 815, 970, 1110, 1235, 1325)
_TURN_ROUND = {False: 45, True: 100}  # minutes on the ground, by whether long-haul
_ORDINARY_DAY = date(2026, 1, 14).toordinal()  # whose UTC offsets the rotations are planned with
_EVERY_DAY = 0b111_1111


class Pattern(NamedTuple):
    """A flight that recurs every week.

    `departure` is in minutes after local midnight, `block` in minutes; bit 0 of `weekdays` is Monday;
    `carrier` is a position in `CARRIERS`.
    """

    origin: str
    destination: str
    departure: int
    block: int
    weekdays: int
    carrier: int
    number: int


def timetable(services: Iterable[Service], *, seed: int) -> Iterator[Pattern]:
    """Yield the patterns of all services, outbound and inbound in turn; numbers are unique per carrier."""
    numbers: dict[int, int] = {}
    for service in services:
        whole, rest = divmod(service.weekly, 7)
        daily = [_EVERY_DAY] * whole
        start = unit("week", seed, service.carrier, service.base.code, service.other.code)
        if rest:
            daily.append(_spread_days(rest, first=int(start * 7)))
        for position, weekdays in enumerate(daily):
            number = numbers.get(service.carrier, _FIRST_NUMBER)
            numbers[service.carrier] = number + 2
            departure = _departure(service, position=position, of=len(daily), phase=start)
            yield from _rotation(service, departure=departure, weekdays=weekdays, number=number)


def _spread_days(count: int, *, first: int) -> int:
    weekdays = 0
    for index in range(count):
        weekdays |= 1 << (first + index * 7 // count) % 7
    return weekdays


def _departure(service: Service, *, position: int, of: int, phase: float) -> int:
    if service.km >= LONG_HAUL_KM:
        bank = _LONG_HAUL_BANKS[(position + int(phase * 3)) % len(_LONG_HAUL_BANKS)]
        return bank + 5 * int(phase * 61 % 7)
    span = _LAST_DEPARTURE - _FIRST_DEPARTURE
    return _FIRST_DEPARTURE + 5 * int(span * (position + phase) / of / 5)


def _rotation(service: Service, *, departure: int, weekdays: int, number: int) -> Iterator[Pattern]:
    base, other = service.base, service.other
    outbound = block_minutes(base, other, km=service.km)
    yield Pattern(base.code, other.code, departure, outbound, weekdays, service.carrier, number)

    shift = utc_offset_minutes(other.zone, _ORDINARY_DAY) - utc_offset_minutes(base.zone, _ORDINARY_DAY)
    ready = departure + outbound + shift + _TURN_ROUND[service.km >= LONG_HAUL_KM]
    days, minute = _next_departure(ready, long_haul=service.km >= LONG_HAUL_KM, spread=number % 12)
    yield Pattern(
        other.code,
        base.code,
        minute,
        block_minutes(other, base, km=service.km),
        _later(weekdays, days=days),
        service.carrier,
        number + 1,
    )


def _next_departure(ready: int, *, long_haul: bool, spread: int) -> tuple[int, int]:
    """Return the days since the aircraft left its base, and the minute, of the flight back."""
    days, minute = divmod(ready, _DAY)
    if long_haul:
        bank = next((bank for bank in _LONG_HAUL_RETURNS if bank >= minute), None)
        return (days + 1, _LONG_HAUL_RETURNS[0]) if bank is None else (days, bank)
    if minute > _RESTING_FROM:
        return days + 1, _RESTING_UNTIL + 5 * spread
    return days, max(minute, _RESTING_UNTIL + 5 * spread)


def _later(weekdays: int, *, days: int) -> int:
    turned = days % 7
    return (weekdays << turned | weekdays >> (7 - turned)) & _EVERY_DAY
