"""The first few in an order are asked of what was found; a pet is looked up in what hotels have."""

import pytest

from tests.understanding.conversation import told

FLIGHTS = "flight Rome to Lisbon 4 february"
HOTELS = "hotel in Turin 11-13 December"


@pytest.mark.parametrize(
    ("message", "count", "by"),
    [
        ("just the three cheapest", 3, "price"),
        ("only the 3 cheapest please", 3, "price"),
        ("show me the three cheapest", 3, "price"),
        ("the three cheapest", 3, "price"),
        ("the cheapest three flights", 3, "price"),
        ("top 3 cheapest", 3, "price"),
        ("what are the two fastest?", 2, "duration"),
        ("ok just show the five cheapest options", 5, "price"),
        ("list the four earliest flights", 4, "departure"),
    ],
)
def test_first_few_are_asked_for(message, count, by):
    question = told(FLIGHTS, message).question
    assert (question.topic, question.which.by) == ("details", by)
    assert question.which.numbers == tuple(range(1, count + 1))


@pytest.mark.parametrize(
    "message",
    [
        "the cheapest",
        "three tickets, the cheapest",
        "the cheapest for 3 people",
        "book the three cheapest",
        "cheapest 3 february",
        "3 nights cheapest",
        "the three cheapest hotels in Porto",
    ],
)
def test_what_counts_something_else_is_no_question_for_few(message):
    question = told(FLIGHTS, message).question
    assert question is None or not question.which.numbers


@pytest.mark.parametrize(
    "message",
    [
        "me and my dog",
        "i have a dog",
        "we have a small cat",
        "my dog is coming too",
        "my dog comes along",
        "oh and the dog",
        "it's me and my cat",
        "we are travelling with two dogs".replace("two ", "our "),
    ],
)
def test_pet_is_looked_up_in_what_hotels_have(message):
    question = told(HOTELS, message).question
    assert (question.topic, question.agent, question.wanted) == ("has", "hotel", "pets allowed")


@pytest.mark.parametrize(
    "message", ["with my dog", "pet friendly please", "we are bringing the dog", "dogs allowed"]
)
def test_wish_for_a_place_with_pets_narrows(message):
    understood = told(HOTELS, message)
    assert understood.question is None
    assert "pets" in understood.hotel.amenities


@pytest.mark.parametrize("message", ["what do dogs cost in Turin", "a dog sitter", "hot dog stands nearby"])
def test_of_other_things_with_a_dog_nothing_is_looked_up(message):
    question = told(HOTELS, message).question
    assert question is None or question.wanted != "pets allowed" or question.which.is_all is False
