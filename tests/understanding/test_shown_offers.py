"""Offers told as they are shown: they are found again, and nothing is searched otherwise for them."""

from datetime import date

import pytest

from backend.travel.understanding.result import ShownDirection, ShownStay
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, told

THERE = "Amberwing Demo 253 and 1908 on 10 December 2026 at 09:05"
BACK = "Linden Demo 12 and Larch Demo 1767 on 20 December 2026 at 11:05"
WAY_THERE = ShownDirection(flights=("Amberwing Demo 253", "Amberwing Demo 1908"), leaves="2026-12-10T09:05")
WAY_BACK = ShownDirection(flights=("Linden Demo 12", "Larch Demo 1767"), leaves="2026-12-20T11:05")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"Book the flight {THERE}.", (WAY_THERE,)),
        (f"book flight {THERE} please", (WAY_THERE,)),
        (f"Please reserve the flight {THERE}, and back with {BACK}.", (WAY_THERE, WAY_BACK)),
        (f"Book the flight {THERE}, back with {BACK}.", (WAY_THERE, WAY_BACK)),
    ],
)
def test_flight_is_told_by_its_carriers_numbers_and_times(said, shown):
    before = told(BERLIN_TO_TOKYO)
    understood = told(BERLIN_TO_TOKYO, said)
    assert (understood.booking.action, understood.booking.kind) == ("book", "flight")
    assert understood.booking.shown == shown
    assert (understood.flight, understood.hotel) == (before.flight, before.hotel)
    assert (understood.relation, understood.agents, understood.refused) == ("refine", ("flight",), ())


@pytest.mark.parametrize(
    ("said", "stay"),
    [
        ('Book the hotel "Blue Anchor Demo Inn".', ShownStay(hotel="Blue Anchor Demo Inn")),
        (
            "book the hotel “St. Mary's, Demo & Co 2” in Old Town please",
            ShownStay(hotel="St. Mary's, Demo & Co 2", district="Old Town"),
        ),
        (
            'Book the hotel "St. Mary\'s, Demo & Co 2" in Old Town.',
            ShownStay(hotel="St. Mary's, Demo & Co 2", district="Old Town"),
        ),
        (
            'Book the hotel "Quillon Demo Kyoto" in Alfama from 12 January 2027 to 15 January 2027.',
            ShownStay(
                hotel="Quillon Demo Kyoto",
                district="Alfama",
                check_in=date(2027, 1, 12),
                check_out=date(2027, 1, 15),
            ),
        ),
    ],
)
def test_hotel_is_told_by_its_name_within_quotation_marks(said, stay):
    before = told(LISBON)
    understood = told(LISBON, said)
    assert understood.booking.shown == stay
    assert (understood.flight, understood.hotel) == (before.flight, before.hotel)
    assert (understood.agents, understood.refused) == (("hotel",), ())


@pytest.mark.parametrize(
    "said",
    [
        f"Don't book the flight {THERE}.",
        f"Should I book the flight {THERE}?",
        f'They said "book the flight {THERE}"',
        'Never book the hotel "Blue Anchor Demo Inn".',
    ],
)
def test_it_is_not_booked_where_that_is_not_wanted(said):
    assert told(LISBON, said).booking is None


@pytest.mark.parametrize("when", ["31 February 2027 at 09:05", "10 December 2026 at 31:05"])
def test_day_or_an_hour_that_there_is_not_tells_no_offer(when):
    booking = told(BERLIN_TO_TOKYO, f"Book the flight Larch Demo 12 on {when}.").booking
    assert booking is None or booking.shown is None
