"""Weekends that are told by the weeks until then."""

from datetime import date

import pytest

from tests.understanding.conversation import told

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("said", "saturday", "other"),
    [
        ("in three weeks for the weekend", "2026-12-12", "2026-12-19"),
        ("in three weeks over the weekend", "2026-12-12", "2026-12-19"),
        ("in 3 weeks for a weekend", "2026-12-12", "2026-12-19"),
        ("the weekend in three weeks", "2026-12-12", "2026-12-19"),
        ("in 2 weeks, just the weekend", "2026-12-05", "2026-12-12"),
        ("in two weeks at the weekend", "2026-12-05", "2026-12-12"),
        ("in a week for the weekend", "2026-11-28", "2026-12-05"),
        ("the weekend after next", "2026-12-12", "2026-12-05"),
    ],
)
def test_weekend_some_weeks_ahead_is_saturday_to_sunday(said: str, saturday: str, other: str) -> None:
    understood = told(f"hotel in Turin {said}", today=TODAY)
    first = date.fromisoformat(saturday)
    assert (understood.hotel.check_in, understood.hotel.check_out) == (
        first,
        first.replace(day=first.day + 1),
    )
    assert [one.others for one in understood.alternatives] == [(other,)]


@pytest.mark.parametrize(
    ("said", "check_in", "check_out"),
    [
        ("in three weeks", date(2026, 12, 14), None),
        ("in three weeks, not the weekend", date(2026, 12, 14), None),
        ("in 4 days for the weekend", date(2026, 11, 27), date(2026, 11, 29)),
        ("this weekend", date(2026, 11, 28), date(2026, 11, 29)),
        ("in two weeks for a week", date(2026, 12, 7), date(2026, 12, 14)),
    ],
)
def test_other_days_ahead_stay_what_they_are(said: str, check_in: date, check_out: date | None) -> None:
    understood = told(f"flights and hotel in Turin from Rome {said}", today=TODAY)
    assert (understood.flight.departure_date, understood.flight.return_date) == (check_in, check_out)
