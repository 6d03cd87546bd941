"""What narrows hotels: amenities, names, the way to the centre, free cancellation, parts of the city."""

from typing import Any

import pytest

from backend.travel.understanding.english.wording import describe, not_searched_by, refusals
from backend.travel.understanding.queries import fits
from backend.travel.understanding.result import Understanding
from tests.understanding.conversation import told

STAY = "hotels in Rome from 3 May"
IN_LISBON = "hotels in Lisbon from 3 May"


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
def test_way_to_the_centre_is_a_limit(said: str, kilometres: float) -> None:
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


@pytest.mark.parametrize(
    ("said", "districts"),
    [
        ("not the one in Baixa", ("Baixa",)),
        ("not the ones near Alfama", ("Alfama",)),
        ("but not the hotel in Chiado", ("Chiado",)),
        ("no hotels in Baixa please", ("Baixa",)),
        ("no hotel in the Alfama area", ("Alfama",)),
        ("no more Chiado hotels", ("Chiado",)),
        ("please don't show me hotels in Baixa", ("Baixa",)),
        ("no rooms in the centre", ("the centre",)),
        ("nothing in the old town please", ("Old Town",)),
        ("none in Alfama", ("Alfama",)),
        ("never in Baixa", ("Baixa",)),
        ("no Baixa please", ("Baixa",)),
        ("without Chiado", ("Chiado",)),
        ("skip Baixa", ("Baixa",)),
        ("I don't want to stay in Alfama", ("Alfama",)),
        ("we'd rather not sleep in Baixa", ("Baixa",)),
        ("anything but Baixa", ("Baixa",)),
        ("I'd take any district but Baixa", ("Baixa",)),
        ("any part of town except the old town", ("Old Town",)),
        ("somewhere other than Alfama", ("Alfama",)),
        ("all hotels but the ones in Baixa", ("Baixa",)),
        ("not in Baixa or Alfama", ("Baixa", "Alfama")),
        ("neither Baixa nor Alfama", ("Baixa", "Alfama")),
        ("no hotels in Baixa, Alfama or the old town", ("Baixa", "Alfama", "Old Town")),
        ("no hotels in Baixa and Alfama", ("Baixa", "Alfama")),
    ],
)
@pytest.mark.parametrize("opening", [IN_LISBON, "flights and a hotel, London to Lisbon, 3 to 9 May"])
def test_what_is_spoken_against_is_left_out_however_it_is_said(
    opening: str, said: str, districts: tuple[str, ...]
) -> None:
    after, together = told(opening, said), told(f"{opening}, {said}")
    for understood in (after, together):
        assert (understood.hotel.not_districts, understood.hotel.district) == (districts, None)
        assert understood.wanted == told(opening).wanted
        assert refusals(understood) == ""
    assert after.agents == ("hotel",)


@pytest.mark.parametrize(
    ("said", "district"),
    [
        ("no, hotels in Baixa please", "Baixa"),
        ("no in Alfama", "Alfama"),
        ("no Alfama is fine", None),
        ("no, Alfama not Baixa", "Alfama"),
        ("not in Baixa, in Alfama", "Alfama"),
        ("not the one in Baixa, the one in Alfama", "Alfama"),
        ("not in Baixa and in Alfama", "Alfama"),
        ("Alfama instead of Baixa", "Alfama"),
        ("no hotels in Alfama?", "Alfama"),
        ("is there nothing in Alfama?", "Alfama"),
        ("why not Alfama", None),
        ("not bad, Alfama", "Alfama"),
    ],
)
def test_part_of_the_city_is_not_left_out_where_it_is_wanted_or_asked_for(
    said: str, district: str | None
) -> None:
    understood = told(IN_LISBON, said)
    assert understood.hotel.district == district
    assert "Alfama" not in understood.hotel.not_districts
    assert understood.wanted == ("hotel",)


@pytest.mark.parametrize("said", ["no hotels please", "no hotel", "no hotel in Lisbon", "no hotels in Porto"])
def test_refused_hotel_is_not_searched(said: str) -> None:
    understood = told("flights and hotels in Lisbon from London, 12-15 January", said)
    assert understood.wanted == ("flight",)
    assert understood.flight.destination
    assert understood.flight.destination.city.name == "Lisbon"


@pytest.mark.parametrize("said", ["no hotels near the airport", "nothing by the beach", "not near the river"])
def test_nearness_that_is_not_wanted_is_told_to_be_no_limit(said: str) -> None:
    understood = told(IN_LISBON, said)
    assert understood.hotel.district is None
    assert [(one.said, one.reason) for one in understood.refused] == [(said, "not_searched_by")]


@pytest.mark.parametrize(
    ("opening", "said", "districts"),
    [
        ("hotels in Buenos Aires from 3 May", "anything but Palermo", ("Palermo",)),
        ("hotels in Madrid from 3 May", "no hotels in Salamanca please", ("Salamanca",)),
        ("hotels in Palermo from 3 May", "anything but Palermo", ()),
        ("hotels in Palermo from 3 May", "no Palermo please", ()),
        ("flights and hotels in Rome from London, 12-15 January", "not Palermo", ()),
    ],
)
def test_what_is_a_city_too_is_left_out_as_a_part_of_its_own_city_alone(
    opening: str, said: str, districts: tuple[str, ...]
) -> None:
    assert told(opening, said).hotel.not_districts == districts
    assert told(f"{opening}, {said}").hotel.not_districts == districts


def test_anywhere_but_there_frees_the_part_that_was_wanted() -> None:
    stay = told("hotels in Alfama, Lisbon from 3 May", "anywhere but Baixa").hotel
    assert (stay.district, stay.not_districts) == (None, ("Baixa",))


def test_one_in_another_city_is_not_gone_to() -> None:
    city = told(IN_LISBON, "not the one in Rome").hotel.city
    assert city
    assert city.city.name == "Lisbon"


def test_part_of_the_city_is_wanted_or_left_out_as_was_said_last() -> None:
    there = told(STAY, "not in Trastevere", "ok, in Trastevere then")
    assert (there.hotel.district, there.hotel.not_districts) == ("Trastevere", ())
    elsewhere = told("hotels in Trastevere, Rome from 3 May", "no, not in Trastevere")
    assert (elsewhere.hotel.district, elsewhere.hotel.not_districts) == (None, ("Trastevere",))
    assert told(STAY, "not in Trastevere", "hotels in Paris instead").hotel.not_districts == ()


def test_hotel_is_wanted_or_left_out_by_its_name() -> None:
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


def test_hotel_that_is_never_free_to_cancel_does_not_fit() -> None:
    assert not fits("hotel", after("free cancellation").hotel, OFFER | {"free_cancellation_until": None})


def test_reply_tells_what_hotels_are_looked_for() -> None:
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
def test_kind_of_lodging_that_cannot_be_told_apart_is_named(said: str, kind: str) -> None:
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
def test_hotel_too_or_by_name_is_not_told_kinds(said: str) -> None:
    assert refusals(told(said)) == ""
