"""JSON as clients get it."""

import tracemalloc
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.encoding import encode, encode_exactly, system_clock, to_wire
from backend.travel.values.travel import FlightQuery, FlightSegment, HotelOffer, Money
from tests.records import AT


def shown(value: object) -> object:
    return orjson.loads(encode(value))


def test_the_system_clock_is_in_utc() -> None:
    assert system_clock().tzinfo is UTC


@given(st.datetimes(timezones=st.timezones()))
def test_a_time_is_shown_in_utc_to_the_millisecond_and_reads_back(at: datetime) -> None:
    try:
        expected = at.astimezone(UTC)
    except OverflowError:
        return  # within a day of the first or last year, some zones leave the calendar
    text = to_wire(at)
    assert text.endswith("Z")
    assert timedelta(0) <= expected - datetime.fromisoformat(text) < timedelta(milliseconds=1)


def test_a_local_time_keeps_its_offset() -> None:
    summer = datetime(2026, 7, 1, 8, 30, tzinfo=ZoneInfo("Europe/Lisbon"))
    winter = datetime(2026, 1, 1, 8, 30, tzinfo=ZoneInfo("Europe/Lisbon"))
    assert shown([summer, winter]) == ["2026-07-01T08:30:00+01:00", "2026-01-01T08:30:00+00:00"]


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12))
def test_an_amount_is_plain_digits_and_loses_none(amount: Decimal) -> None:
    text = shown(amount)
    assert isinstance(text, str)
    assert Decimal(text) == amount
    assert set(text) <= set("-.0123456789")


def test_money_is_a_decimal_string_and_a_currency() -> None:
    assert shown(Money(amount=Decimal("612.40"))) == {"amount": "612.40", "currency": "EUR"}


def test_queries_and_offers_are_shown_field_by_field_with_their_dates() -> None:
    query = FlightQuery(origins=("HAM",), destinations=("LIS",), departure_date=date(2026, 5, 2))
    limits = dict.fromkeys(name for name, value in shown(query).items() if value is None)
    assert shown(query) == limits | {
        "origins": ["HAM"],
        "destinations": ["LIS"],
        "departure_date": "2026-05-02",
        "return_date": None,
        "passengers": 1,
        "cabin_class": "economy",
        "max_stops": None,
        "max_price": None,
    }
    offer = HotelOffer(
        offer_id="h1",
        provider="demo",
        source="demo",
        live=False,
        name="Hotel Ω",
        city="Lisbon",
        country="PT",
        district="Alfama",
        latitude=38.7,
        longitude=-9.1,
        distance_km=0.5,
        stars=4,
        score=8.7,
        amenities=("wifi",),
        check_in=date(2026, 5, 2),
        check_out=date(2026, 5, 4),
        rooms=1,
        guests=2,
        price_total=Money(amount=Decimal("200.00")),
        price_per_night=Money(amount=Decimal("100.00")),
        free_cancellation_until=None,
    )
    assert shown(offer) == {
        **asdict(offer),
        "amenities": ["wifi"],
        "check_in": "2026-05-02",
        "check_out": "2026-05-04",
        "price_total": {"amount": "200.00", "currency": "EUR"},
        "price_per_night": {"amount": "100.00", "currency": "EUR"},
    }


def test_a_flights_times_are_local_with_their_offset() -> None:
    segment = FlightSegment(
        carrier="XX",
        carrier_name="Xa",
        number="1",
        origin="HAM",
        destination="LIS",
        departs_at=datetime(2026, 5, 2, 9, 0, tzinfo=timezone(timedelta(hours=2))),
        arrives_at=datetime(2026, 5, 2, 11, 5, tzinfo=timezone(timedelta(hours=1))),
        duration_minutes=185,
        aircraft="320",
    )
    fields = shown(segment)
    assert isinstance(fields, dict)
    assert fields["departs_at"] == "2026-05-02T09:00:00+02:00"
    assert fields["arrives_at"] == "2026-05-02T11:05:00+01:00"


def test_a_set_is_shown_in_order() -> None:
    assert shown({"b", "a"}) == shown(frozenset({"a", "b"})) == ["a", "b"]


def test_what_has_no_json_form_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="object"):
        encode({"at": AT, "thing": object()})


@pytest.mark.parametrize("encoded", [encode, encode_exactly])
def test_what_is_encoded_takes_no_more_memory_than_its_bytes(encoded: Callable[[Any], bytes]) -> None:
    """Caught 4 KiB for each, however short."""
    tracemalloc.start()
    kept = [encoded({"n": 1}) for _ in range(1000)]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 200 * len(kept)
