"""Wishes that no search takes are named in the user's words, and change nothing else of the request."""

import pytest

from backend.travel.understanding.english.wording import refusals
from tests.understanding.conversation import flight, hotel, told

STAY = "a hotel in Rome from 5 to 8 December"
TRIP = "flights and hotels in Vienna from London, 12-15 January"
FLIGHT = "flights from Berlin to Lisbon, 10 to 17 December"
RENTED = "flights from Berlin to Lisbon, 10 to 17 December, and a rental car"


def named(*messages: str) -> list[str]:
    return [one.said for one in told(*messages).refused]


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
@pytest.mark.parametrize(
    ("said", "wishes"),
    [
        ("on the beach, adults only", ["on the beach", "adults only"]),
        ("hotel on the beach, adults only", ["on the beach", "adults only"]),
        ("with a balcony", ["a balcony"]),
        ("can you find one with a balcony", ["a balcony"]),
        ("could we have a room with a sea view", ["a sea view"]),
        ("is there a room with a sea view?", ["a sea view"]),
        ("somewhere quiet", ["quiet"]),
        ("do you have something quieter", ["quieter"]),
        ("twin beds please", ["twin beds"]),
        ("room with two beds", ["two beds"]),
        ("two rooms next to each other", ["next to each other"]),
        ("hotels with a kids club", ["a kids club"]),
        ("are there hotels with a kids club", ["a kids club"]),
        ("pool and kids club and all inclusive pls", ["kids club", "all inclusive"]),
        ("half board", ["half board"]),
        ("all inclusive", ["all inclusive"]),
        ("late checkout would be great", ["late checkout"]),
        ("we arrive late so 24h reception", ["24h reception"]),
        ("can we get an extra bed", ["an extra bed"]),
        ("with a washing machine", ["a washing machine"]),
        ("no stairs, my mum can't walk far", ["no stairs"]),
        ("vegan food please", ["vegan food"]),
        ("a boutique hotel", ["boutique"]),
        ("central, nothing too fancy", ["nothing too fancy"]),
        ("no hostels please", ["no hostels"]),
        ("not a hostel", ["not a hostel"]),
        ("an airbnb maybe", ["airbnb"]),
        ("we'd rather have a flat", ["a flat"]),
        ("we need a meeting room for the Tuesday", ["a meeting room for the Tuesday"]),
        ("not next to the road", ["not next to the road"]),
        ("walkable to the sights", ["walkable to the sights"]),
    ],
)
def test_what_is_wished_of_a_house_is_named_and_searches_on(said: str, wishes: list[str]) -> None:
    understood = told(STAY, said)
    assert [one.said for one in understood.refused] == wishes
    assert (understood.relation, understood.agents) == ("refine", ("hotel",))
    before = told(STAY).hotel
    assert (understood.hotel.city, understood.hotel.check_in, understood.hotel.last_day) == (
        before.city,
        before.check_in,
        before.last_day,
    )
    assert understood.hotel.district in (None, "the centre")


def test_such_a_wish_is_told_in_a_plain_sentence() -> None:
    assert refusals(told(STAY, "with a sea view")) == (
        'I cannot search by "a sea view", so please look for it in the list.'
    )


@pytest.mark.parametrize(
    ("said", "slots"),
    [
        ("we are 2 adults only", {"guests": 2}),
        ("2 twin rooms", {"rooms": 2}),
        ("a room with a pool", {"amenities": ("pool",)}),
        ("somewhere that takes dogs", {"amenities": ("pets",)}),
        ("we're bringing our dog", {"amenities": ("pets",)}),
        ("accessible room please", {"amenities": ("step_free",)}),
        ("i want to be able to cancel", {"free_cancellation": True}),
        ("with air con", {"amenities": ("air_conditioning",)}),
        ("any with parking and a gym?", {"amenities": ("parking", "gym")}),
        ("well rated", {"min_score": 8.0}),
        ("good reviews please", {"min_score": 8.0}),
        ("2 rooms, one double one twin", {"rooms": 2}),
        ("one double and one twin", {"rooms": 2}),
        ("one double room and one single room", {"rooms": 2}),
        ("2 double rooms and 1 twin room", {"rooms": 3}),
        ("2 double rooms", {"rooms": 2}),
        ("3 rooms, 1 double", {"rooms": 3}),
    ],
)
def test_what_is_nearly_a_slot_is_one(said: str, slots: dict[str, object]) -> None:
    understood = hotel(told(STAY, said))
    assert {name: understood.get(name) for name in slots} == slots


@pytest.mark.parametrize(
    "said",
    [
        "a vegan restaurant nearby",
        "not well rated",
        "rated under 8",
        "nothing under 8",
        "the beach was lovely last year",
    ],
)
def test_what_only_sounds_like_a_wish_changes_nothing(said: str) -> None:
    understood = told(STAY, said)
    assert understood.relation == "other"
    assert hotel(understood) == hotel(told(STAY))


@pytest.mark.parametrize("said", ["scratch the balcony", "no balcony needed", "we don't need a balcony"])
def test_wish_can_be_taken_back(said: str) -> None:
    understood = told(STAY, "with a balcony", said)
    assert (understood.relation, understood.unused, named(STAY, "with a balcony", said)) == ("refine", (), [])


@pytest.mark.parametrize(
    ("said", "district"),
    [
        ("a hotel near the opera", "opera"),
        ("is there a hotel near the opera with a lift?", "opera"),
        ("near the latin quarter", "latin quarter"),
        ("near the beach too", "beach"),
        ("need 2 twin rooms nr the beach too", "beach"),
        ("near a metro station please", "metro station"),
        ("close to a park", "park"),
        ("close to the main square", "main square"),
        ("in the old town as well", "Old Town"),
    ],
)
def test_near_what_one_stays_is_in_the_city_of_the_trip(said: str, district: str) -> None:
    understood = hotel(told(TRIP, said))
    assert (understood["city"], understood["district"]) == ("Vienna", district)


@pytest.mark.parametrize(("said", "city"), [("in Shibuya", "Tokyo"), ("a hotel near the Opéra", "Paris")])
def test_part_of_another_city_by_its_name_is_there(said: str, city: str) -> None:
    assert hotel(told(TRIP, said))["city"] == city


@pytest.mark.parametrize(
    ("said", "slots"),
    [
        ("one suitcase each", {"bags": 1}),
        ("a suitcase each please", {"bags": 1}),
        ("2 suitcases", {"bags": 2}),
        ("with luggage please, one suitcase each", {"bags": 1}),
        ("20kg luggage each", {"bags": 1}),
        ("baggage 23kg", {"bags": 1}),
        ("i want to be able to cancel", {"refundable": True}),
        ("we want something we can cancel", {"refundable": True}),
        ("delta", {"airlines": ("Delta Airlines",)}),
        ("swiss?", {"airlines": ("Swiss",)}),
        ("american airlines please", {"airlines": ("American Airlines",)}),
        ("what about united", {"airlines": ("United Airlines",)}),
        ("delta or united", {"airlines": ("Delta Airlines", "United Airlines")}),
        ("I'm done with Ryanair", {"not_airlines": ("Ryanair",)}),
    ],
)
def test_bags_and_airlines_in_few_words(said: str, slots: dict[str, object]) -> None:
    understood = told(FLIGHT, said)
    assert {name: flight(understood).get(name) for name in slots} == slots
    assert named(FLIGHT, said) == []


@pytest.mark.parametrize("said", ["thanks a lot", "i'm done", "american food", "united we stand", "a bag"])
def test_airlines_and_bags_are_not_heard_where_none_are(said: str) -> None:
    assert flight(told(FLIGHT, said)) == flight(told(FLIGHT))


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("infant on lap", "infant on lap"),
        ("vegan meal please", "vegan meal"),
        ("meal included", "meal included"),
    ],
)
def test_what_is_wished_on_board_is_named(said: str, wish: str) -> None:
    assert (told(FLIGHT, said).relation, named(FLIGHT, said)) == ("refine", [wish])


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("with a child seat", "child seat"),
        ("two child seats", "child seats"),
        ("unlimited mileage", "unlimited mileage"),
        ("full insurance, no excess", "full insurance"),
    ],
)
def test_what_is_wished_of_a_car_is_named_and_counts_nobody(said: str, wish: str) -> None:
    understood = told(RENTED, said)
    assert understood.refused[0].said == wish
    assert flight(understood) == flight(told(RENTED))


@pytest.mark.parametrize(
    ("said", "car_class"),
    [
        ("need a minivan that fits 6", "van"),
        ("and we would need a minivan or something that fits 6", "van"),
        ("a car for 7 people", "van"),
        ("a car that seats 7", "van"),
        ("a car for 4", None),
        ("suv from the 11th", "suv"),
        ("a car for the week", None),
    ],
)
def test_car_joins_the_trip_in_the_class_that_fits(said: str, car_class: str | None) -> None:
    understood = told(FLIGHT, said)
    assert (understood.agents, understood.car.car_class) == (("car",), car_class)
    assert flight(understood) == flight(told(FLIGHT))
    assert named(FLIGHT, said) == []


def test_child_seat_brings_no_child() -> None:
    assert flight(told(FLIGHT, "with a child seat")) == flight(told(FLIGHT))


@pytest.mark.parametrize("said", ["under 120 a night", "nothing under 4 stars"])
def test_word_that_bounds_is_not_named_by_itself(said: str) -> None:
    assert named(STAY, said) == []


@pytest.mark.parametrize(
    ("said", "airlines"),
    [
        ("or lufthansa", ("KLM", "Lufthansa")),
        ("and lufthansa too", ("KLM", "Lufthansa")),
        ("lufthansa as well please", ("KLM", "Lufthansa")),
        ("or swiss", ("KLM", "Swiss")),
        ("lufthansa instead", ("Lufthansa",)),
        ("only lufthansa", ("Lufthansa",)),
        ("or the 11th", ("KLM",)),
    ],
)
def test_airline_joins_or_replaces_the_one_before(said: str, airlines: tuple[str, ...]) -> None:
    assert told(f"{FLIGHT} with KLM", said).flight.airlines == airlines
