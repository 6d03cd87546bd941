"""JSON as clients get it."""

import tracemalloc
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.encoding import encode, encode_exactly, to_wire
from backend.travel.values.travel import FlightQuery, Money
from tests.records import AT


def shown(value: object) -> object:
    return orjson.loads(encode(value))


@given(st.datetimes(timezones=st.timezones()))
def test_time_is_encoded_in_utc_to_the_millisecond(at: datetime) -> None:
    try:
        expected = at.astimezone(UTC)
    except OverflowError:
        return  # within a day of the first or last year, some zones leave the calendar
    text = to_wire(at)
    assert text.endswith("Z")
    assert timedelta(0) <= expected - datetime.fromisoformat(text) < timedelta(milliseconds=1)


def test_local_time_keeps_its_offset() -> None:
    summer = datetime(2026, 7, 1, 8, 30, tzinfo=ZoneInfo("Europe/Lisbon"))
    winter = datetime(2026, 1, 1, 8, 30, tzinfo=ZoneInfo("Europe/Lisbon"))
    assert shown([summer, winter]) == ["2026-07-01T08:30:00+01:00", "2026-01-01T08:30:00+00:00"]


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12))
def test_decimal_is_encoded_as_all_its_plain_digits(amount: Decimal) -> None:
    text = shown(amount)
    assert isinstance(text, str)
    assert Decimal(text) == amount
    assert set(text) <= set("-.0123456789")


def test_money_is_a_decimal_string_and_a_currency() -> None:
    assert shown(Money(amount=Decimal("612.40"))) == {"amount": "612.40", "currency": "EUR"}


def test_dataclass_is_encoded_field_by_field() -> None:
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


def test_set_is_encoded_in_order() -> None:
    assert shown({"b", "a"}) == shown(frozenset({"a", "b"})) == ["a", "b"]


def test_value_without_json_form_is_refused_by_its_type() -> None:
    with pytest.raises(TypeError, match="object"):
        encode({"at": AT, "thing": object()})


@pytest.mark.parametrize("encoded", [encode, encode_exactly])
def test_encoded_value_takes_no_more_memory_than_its_bytes(encoded: Callable[[Any], bytes]) -> None:
    """Caught 4 KiB for each, however short."""
    tracemalloc.start()
    kept = [encoded({"n": 1}) for _ in range(1000)]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 200 * len(kept)
