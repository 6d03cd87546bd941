"""What is told of messages that nothing is made of: their words, what was read of them, or whose they are."""

from datetime import date

import pytest

from backend.travel.agents.unclear import NOTHING_CHANGED, OF_A_TOUR, not_understood
from backend.travel.understanding.understand import understand
from tests.agents import test_questions
from tests.agents.test_questions import FROM_WHERE_AND_WHEN

Ann = test_questions.Ann  # The class that the fixture `ann` opens.
TODAY = date(2026, 11, 20)
TRIP = "Find flights from Berlin to Tokyo on 10 December"


def after(*messages, is_asked=False):
    known = None
    for message in messages:
        known = understand(message, previous=known, today=TODAY)
    assert known.relation == "other"
    return not_understood(messages[-1], known, today=TODAY, is_asked=is_asked)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("we need a cot", '"we need a cot"'),
        ("twin beds, ground floor!", '"twin beds, ground floor"'),
        ("blimey, that dog of his keeps barking at the neighbours and the postman too", '"blimey"'),
        ("grmpf", '"grmpf"'),
    ],
)
def test_words_that_nothing_is_made_of_are_named_and_nothing_has_changed(message, words):
    reply = after(TRIP, message)
    assert words in reply
    assert reply.endswith(NOTHING_CHANGED)


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ("on april 22 for two people in a private sleeper", "on Thu 22 April 2027, 2 passengers"),
        ("a cosy cabin with at least four bedrooms", "4 rooms"),
    ],
)
def test_what_was_read_without_a_request_is_told_with_an_example_of_one(message, read):
    reply = after(message)
    assert reply.startswith(f'I read "{read}", but not what to do with it.')
    assert "for example" in reply


def test_beside_a_question_the_example_is_left_out():
    assert after(TRIP, "grmpf", is_asked=True) == 'I did not understand "grmpf".'


@pytest.mark.parametrize(
    ("service", "said", "after_that"),
    [
        ("table for 4 in Bologna on friday 8pm", "restaurants", "one of us is coeliac"),
        ("Can you book me a taxi to Reading on friday", "taxis", "there are five suitcases"),
        ("is there a night train from Vienna to Venice?", "trains", "a private sleeper for two"),
        ("any museums worth seeing?", "sights", "the kids love dinosaurs"),
    ],
)
def test_what_follows_another_service_is_told_to_be_about_it(service, said, after_that):
    reply = after(service, after_that)
    assert said in reply
    assert "if that is still what you mean" in reply


@pytest.mark.parametrize(
    "said",
    [
        "checkout counter madness",
        "does the check-in there bite",
        "will the checkout there be grmpf",
        "the one with the wooden floor that my neighbour told us so much about last week",
    ],
)
def test_what_is_about_ours_or_tells_a_lot_is_not_taken_for_another_service(said):
    assert "if that is still" not in after("is there a train from Kochi to Munnar?", said)


TOUR = "Berlin to Rome 3 May, Rome to Athens 7 May, Athens to Berlin 12 May"


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ("only count nonstop flights for the short ones", 'I read "nonstop"'),
        ("business class please", 'I read "business class"'),
        ("now hotels too, around 70 eur a night each place", 'I read "up to €70 a night"'),
        ("which order is cheaper overall", '"which order is cheaper overall"'),
        ("would another order be cheaper?", '"would another order be cheaper"'),
    ],
)
def test_what_a_tour_cannot_take_is_told_with_what_it_can(message, read):
    reply = after(TOUR, message)
    assert read in reply
    assert reply.endswith(OF_A_TOUR)


@pytest.mark.parametrize("between", ["Berlin to Tokyo on 10 December", "a hotel in Rome from 3 to 5 May"])
def test_another_service_is_forgotten_once_something_is_understood(between):
    assert "restaurants" not in after("a table for 4 in Bologna on friday", between, "grmpf")


@pytest.mark.parametrize("message", ["stop looking at hotels", "no, flights only", "I didn't ask for hotels"])
def test_who_wants_what_is_done_already_is_told_so(message):
    assert after(TRIP, message) == "I look for flights only."


async def test_a_question_tells_what_a_message_has_changed_and_what_was_known_just_once(ann):
    await ann.say("flight to Tokyo for 2")
    [question] = await ann.questions()
    assert question["prompt"] == f"Noted: to Tokyo, 2 passengers. {FROM_WHERE_AND_WHEN}"
    await ann.say("make it 3 people, nonstop")
    [question] = await ann.questions()
    assert question["prompt"] == f"Noted: 3 passengers, nonstop. {FROM_WHERE_AND_WHEN}"
    await ann.say("thanks")
    assert await ann.reply() == f"You are welcome. {FROM_WHERE_AND_WHEN}"


@pytest.mark.parametrize("before", [(), ("flights from Berlin to Rome on 10 December",)])
async def test_what_follows_another_service_is_so_in_a_conversation_too(ann, before):
    for each in (*before, "a table for 4 in Bologna on friday 8pm", "one of us is coeliac"):
        await ann.say(each)
    assert await ann.reply() == (
        "I cannot look up restaurants, if that is still what you mean. "
        "I find flights, hotels and rental cars."
    )
