"""Words that tell an offer of an earlier request: "the cheapest from before", "the second Tokyo flight"."""

import pytest

from backend.travel.understanding.codec import from_json, to_json
from backend.travel.understanding.result import BookingWish
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, TODAY, told

OSAKA = (BERLIN_TO_TOKYO, "make it Osaka")


def wished(said, *before):
    return told(*(before or OSAKA), said).booking


@pytest.mark.parametrize(
    ("said", "told_by"),
    [
        ("book the cheapest one from before", {"pick": "cheapest"}),
        ("Book the cheapest you found before", {"pick": "cheapest"}),
        ("reserve the second one you showed me earlier", {"number": 2}),
        ("buy the fastest flight from the previous search please", {"pick": "fastest"}),
        ("hold the first flight from my earlier search", {"number": 1, "action": "hold"}),
        ("I'll take the third of the earlier results", {"number": 3}),
        ("can you book the best one from the old list?", {"pick": "best"}),
        ("ok then book the 2nd one that you kept", {"number": 2}),
        ("pls book number 4 from before", {"number": 4}),
        ("book it from the previous search", {}),
    ],
)
def test_offer_from_before_is_told_so(said, told_by):
    wish = wished(said)
    assert wish is not None
    assert wish.is_earlier
    expected = {"action": "book", "pick": None, "number": None, **told_by}
    assert {name: getattr(wish, name) for name in expected} == expected


@pytest.mark.parametrize(
    "said",
    [
        "book the second Tokyo flight",
        "Book the second flight from the Tokyo search",
        "buy the second one of the Tokyo results",
    ],
)
def test_offer_is_told_by_the_city_that_it_was_found_for(said):
    wish = wished(said)
    assert (wish.name, wish.number, wish.is_earlier) == ("Tokyo", 2, None)


@pytest.mark.parametrize(
    "said",
    [
        "book the cheapest",
        "book the second one on the list",
        "book the first flight in the morning",
        "book the cheapest one before noon",
        "book the earlier flight",
        "book the one that leaves before 10",
        "hold the cheapest flight from Berlin",
        "book the cheapest from the list",
    ],
)
def test_what_only_sounds_like_it_is_not_from_before(said):
    wish = wished(said)
    assert wish is None or not wish.is_earlier
    assert wish is None or wish.name is None


@pytest.mark.parametrize(
    "said",
    [
        "show me what you found before",
        "go back to the search from before",
        "was the one from before cheaper?",
    ],
)
def test_nothing_is_booked_that_nobody_asks_to_book(said):
    assert wished(said) is None


def test_shown_offer_of_another_kind_leaves_the_search_as_it_was():
    said = 'Book the hotel "Blue Anchor Demo Inn" in Shinjuku from 10 December 2026 to 15 December 2026.'
    before, after = told(*OSAKA), told(*OSAKA, said)
    assert (after.wanted, after.flight, after.hotel) == (before.wanted, before.flight, before.hotel)
    assert after.booking.kind == "hotel"


def test_wish_for_an_offer_from_before_survives_being_stored():
    before = told(*OSAKA, "book the cheapest one from before")
    assert from_json(to_json(before)) == before
    stored = to_json(before)
    del stored["booking"]["is_earlier"]
    assert from_json(stored).booking == BookingWish(action="book", kind="flight", pick="cheapest")
    assert "is_earlier" not in to_json(told(*OSAKA, "book the cheapest"))["booking"]


def test_change_while_it_is_asked_about_is_not_about_an_offer_from_before():
    asked = told(*OSAKA, "book the cheapest one from before")
    assert understand("make it two people", previous=asked, today=TODAY, deciding=True).booking is None
