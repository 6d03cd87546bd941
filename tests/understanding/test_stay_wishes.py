"""What narrows hotels: amenities, names, the way to the centre, free cancellation, parts of the city."""

from typing import Any

import pytest

from backend.travel.understanding.english.wording import describe, not_searched_by, refusals
from backend.travel.understanding.queries import fits
from backend.travel.understanding.result import Understanding
from tests.understanding.conversation import told

STAY = "hotels in Rome from 3 May"


def after(said: str) -> Understanding:
    understood = told(STAY, said)
    assert (understood.relation, understood.agents) in [("refine", ("hotel",)), ("answer", ("hotel",))]
    assert (refusals(understood), not_searched_by(understood)) == ("", "")
    return understood


@pytest.mark.parametrize(
    ("said", "kilometres"),
    [
        ("within 2 km of the centre", 2.0),
        ("max 1.5 km from the city centre", 1.5),
        ("not more than 3 kilometers from downtown", 3.0),
        ("less than a mile from the center", 1.6),
        ("500 m from the centre max", 0.5),
        ("a 12 minute walk from the centre at most", 1.0),
        ("walking distance to the centre please", 1.5),
        ("I want to be within walking distance of the city centre", 1.5),
        ("we'd like somewhere walkable to the centre", 1.5),
        ("closer to the center", 2.0),
        ("something more central please", 2.0),
        ("not so far from the centre", 2.0),
    ],
)
def test_the_way_to_the_centre_is_a_limit(said: str, kilometres: float) -> None:
    assert after(said).hotel.max_km == kilometres


@pytest.mark.parametrize(
    "said",
    ["within 2 km of the beach", "2 km", "walking distance to the station", "the 2 nights near the centre"],
)
def test_other_ways_limit_nothing(said: str) -> None:
    assert told(STAY, said).hotel.max_km is None


@pytest.mark.parametrize(
    ("said", "amenities"),
    [
        ("with a pool and parking", ("pool", "parking")),
        ("it needs to have wifi and a gym", ("wifi", "gym")),
        ("breakfast included", ("breakfast",)),
        ("pet friendly please", ("pets",)),
        ("with our dog", ("pets",)),
        ("with air conditioning", ("air_conditioning",)),
        ("with a kitchen", ("kitchen",)),
        ("wheelchair accessible", ("step_free",)),
    ],
)
def test_amenities_are_a_limit(said: str, amenities: tuple[str, ...]) -> None:
    assert set(after(said).hotel.amenities) == set(amenities)


def test_amenities_add_up() -> None:
    assert told(STAY, "with a pool", "and parking too").hotel.amenities == ("pool", "parking")
    assert told(STAY, "with a pool", "and parking too", "no pool needed").hotel.amenities == ("parking",)


@pytest.mark.parametrize(
    "said",
    [
        "free cancellation please",
        "something with free cancellation",
        "one that I can cancel for free",
        "it should be cancellable",
        "only refundable rooms",
    ],
)
def test_free_cancellation_is_a_limit_and_cancels_nothing(said: str) -> None:
    assert after(said).hotel.free_cancellation is True


@pytest.mark.parametrize(
    "said", ["cancel", "cancel the search", "cancel that", "no free cancellation needed"]
)
def test_other_words_for_cancelling_ask_for_no_free_one(said: str) -> None:
    assert told(STAY, said).hotel.free_cancellation is None


@pytest.mark.parametrize(
    ("said", "districts"),
    [
        ("not in Trastevere", ("Trastevere",)),
        ("anywhere but Trastevere", ("Trastevere",)),
        ("not in the centre please", ("the centre",)),
        ("please avoid Trastevere", ("Trastevere",)),
    ],
)
def test_parts_of_the_city_are_left_out(said: str, districts: tuple[str, ...]) -> None:
    understood = after(said)
    assert (understood.hotel.not_districts, understood.hotel.district) == (districts, None)


def test_a_part_of_the_city_is_wanted_or_left_out_as_was_said_last() -> None:
    there = told(STAY, "not in Trastevere", "ok, in Trastevere then")
    assert (there.hotel.district, there.hotel.not_districts) == ("Trastevere", ())
    elsewhere = told("hotels in Trastevere, Rome from 3 May", "no, not in Trastevere")
    assert (elsewhere.hotel.district, elsewhere.hotel.not_districts) == (None, ("Trastevere",))
    assert told(STAY, "not in Trastevere", "hotels in Paris instead").hotel.not_districts == ()


def test_a_hotel_is_wanted_or_left_out_by_its_name() -> None:
    assert after("the Hilton please").hotel.name == "Hilton"
    unwanted = after("not the Hilton")
    assert (unwanted.hotel.name, unwanted.hotel.not_names) == (None, ("Hilton",))
    assert told(STAY, "the Hilton please", "any hotel is fine").hotel.name is None


OFFER: dict[str, Any] = {
    "name": "Amber Heron Demo Hotel",
    "district": "Trastevere",
    "distance_km": 2.1,
    "amenities": ["wifi", "pool", "pets allowed", "air conditioning"],
    "free_cancellation_until": "2027-05-01",
    "stars": 4,
    "score": 8.0,
}


@pytest.mark.parametrize(
    ("said", "is_fitting"),
    [
        ("with a pool", True),
        ("with a pool, pet friendly, with air conditioning", True),
        ("with a pool and parking", False),
        ("within 3 km of the centre", True),
        ("within 2 km of the centre", False),
        ("free cancellation", True),
        ("not in Trastevere", False),
        ("not in Monti", True),
        ("the hotel called Amber Heron", True),
        ("the Hilton", False),
        ("not the Hilton", True),
    ],
)
def test_hotels_are_within_what_was_said(said: str, is_fitting: bool) -> None:
    assert fits("hotel", told(STAY, said).hotel, OFFER) is is_fitting


def test_a_hotel_that_is_never_free_to_cancel_does_not_fit() -> None:
    assert not fits("hotel", after("free cancellation").hotel, OFFER | {"free_cancellation_until": None})


def test_the_reply_tells_what_hotels_are_looked_for() -> None:
    words = describe(
        told(STAY, "with a pool, free cancellation, within 2 km of the centre, not in Trastevere")
    )
    assert words.endswith("with a pool, not in Trastevere, within 2 km of the centre, with free cancellation")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("a hostel in Rome from 3 May", "hostel"),
        ("find me an apartment in Rome for 3 nights from 3 May", "apartment"),
        ("a cheap B&B in Rome from 3 May", "B&B"),
    ],
)
def test_a_kind_of_lodging_that_cannot_be_told_apart_is_named(said: str, kind: str) -> None:
    understood = told(said)
    assert understood.agents == ("hotel",)
    assert refusals(understood).startswith(f'I cannot tell by "{kind}" which lodging is one')


@pytest.mark.parametrize(
    "said",
    [
        "an apartment or hotel in Rome from 3 May",
        "I want to stay at the Old Town Guesthouse in Rome from 3 May",
    ],
)
def test_who_asks_for_a_hotel_too_or_for_one_by_name_is_told_nothing_of_kinds(said: str) -> None:
    assert refusals(told(said)) == ""
