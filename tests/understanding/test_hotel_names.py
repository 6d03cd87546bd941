"""Hotels by their names: which words are one, which of several is wanted, and what a name changes."""

import pytest

from backend.travel.understanding.english.reader import read_message
from backend.travel.understanding.message import Background
from tests.understanding.conversation import TODAY, told


def named(message: str, *, known: str | None = None) -> str | None:
    known_names = (known,) if known else ()
    background = Background(today=TODAY, is_hotel_named=known is not None, hotels=known_names)
    return read_message(message, background).hotel_wanted(known)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("a room at the Hilton for Friday", "Hilton"),
        ("is there a hyatt hotel downtown?", "hyatt hotel"),
        ("I would like to book the Blue Harbour Inn", "Blue Harbour Inn"),
        ("do you have the silver birch lodge", "silver birch lodge"),
        ("some details on larkspur hotel please", "larkspur hotel"),
        ("please look for the Hotel Adlon", "Hotel Adlon"),
        ("a guesthouse called Three Oaks in the north", "Three Oaks"),
        ("we are staying at the Larkspur next week", "Larkspur"),
        ("Rosemary Bed and Breakfast, 2 nights", "Rosemary Bed and Breakfast"),
    ],
)
def test_hotel_is_known_by_its_chain_or_by_what_stands_around_its_name(said: str, name: str | None) -> None:
    assert named(said) == name


@pytest.mark.parametrize(
    "said",
    [
        "find a cheap hotel in Rome",
        "Paris hotels for two",
        "Berlin hotel, please",
        "Which hotel is the best?",
        "the nearest guest house",
        "a nice country inn by the sea",
        "the cheaper hotel please",
        "a restaurant called Three Oaks",
        "I want to stay at a hotel in the West area",
        "any hotel with 4 stars",
        "Find Hotels in Berlin",
    ],
)
def test_words_that_only_tell_what_kind_is_meant_are_no_name(said: str) -> None:
    assert named(said) is None


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("not the Hilton but the Hyatt", "Hyatt"),
        ("my wife hates the Hilton, so how about the Hyatt?", "Hyatt"),
        ("the Hyatt instead of the Hilton", "Hyatt"),
        ("compare the Hyatt with the Hilton", "Hyatt"),
        ("how about Larkspur instead", "Larkspur"),
        ("how about Friday", None),
        ("how about Vienna", None),
    ],
)
def test_of_several_hotels_the_one_that_is_wanted_is_taken(said: str, name: str | None) -> None:
    assert named(said, known="Hilton Hotel") == name


def test_another_hotel_changes_only_the_name() -> None:
    understood = told("a room at the Hilton in Vienna from 12 to 15 January", "is there a Hyatt as well?")
    assert (understood.relation, understood.agents) == ("refine", ("hotel",))
    assert understood.hotel.name == "Hyatt"
    assert understood.hotel.check_out is not None


def test_hotel_mentioned_for_another_service_changes_nothing() -> None:
    before = told("a room at the Hilton in Vienna from 12 January")
    understood = told("a room at the Hilton in Vienna from 12 January", "a restaurant near the Hyatt, please")
    assert (understood.relation, understood.hotel) == ("other", before.hotel)


# From STAR (J. E. M. Mosig et al., 2020, MIT), dialogues 1247 and 1134.
def test_what_a_friend_recommends_is_wanted() -> None:
    assert named("I remember that my friend, Uhtred, says that Old Town Inn is great.") == "Old Town Inn"
    assert named("I'm sorry, It's not Hilton but the Hyatt Hotel", known="Hilton") == "Hyatt Hotel"
