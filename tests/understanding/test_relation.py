"""Messages that want nobody, or nothing more, and whom the others are for."""

import pytest

from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, told


@pytest.mark.parametrize(
    "said",
    ["stop", "Stop!", "cancel", "never mind", "please cancel the search", "forget it", "don't continue"],
)
def test_breaking_off_stops_and_forgets_nothing(said: str) -> None:
    understood = told(BERLIN_TO_TOKYO, said)
    assert (understood.relation, understood.agents) == ("stop", ())
    assert understood.flight == told(BERLIN_TO_TOKYO).flight


@pytest.mark.parametrize(
    "said",
    [
        "cancel my subscription",
        "don't stop",
        "can you stop over in Paris",
        "one stop is fine",
        "stop by the bank",
    ],
)
def test_word_that_could_stop_does_not_always(said: str) -> None:
    assert told(BERLIN_TO_TOKYO, said).relation != "stop"


@pytest.mark.parametrize(
    "said",
    [
        "hi",
        "thanks!",
        "thank you, bye",
        "",
        "   ",
        "?!",
        "🎉🎉",
        "I'm reading a book, is Paris nice in spring?",
        "what's the weather in Paris",
        "let my bank know that I am going to Tokyo",
        "book a table for two tomorrow",
        "is travelling to France safe",
        "how are you?",
        "Qu'est-ce que c'est",
        "こんにちは",
    ],
)
def test_small_talk_wants_nobody_and_changes_nothing(said: str) -> None:
    assert told(said).agents == ()
    before, understood = told(LISBON), told(LISBON, said)
    assert (understood.relation, understood.agents) == ("other", ())
    assert (understood.flight, understood.hotel) == (before.flight, before.hotel)


@pytest.mark.parametrize(
    ("said", "relation"), [("yes", "answer"), ("ok, go ahead", "answer"), ("no thanks", "other")]
)
def test_yes_answers_only_as_long_as_something_is_asked(said: str, relation: str) -> None:
    assert told("Find flights to Tokyo", said).relation == relation
    assert told(BERLIN_TO_TOKYO, said).relation == "other"


def test_unwanted_agent_is_dropped() -> None:
    understood = told(LISBON, "forget the hotel, just the flights, for 2 people")
    assert (understood.relation, understood.agents, understood.flight.passengers) == (
        "refine",
        ("flight",),
        2,
    )
    assert understood.dropped == ("hotel.check_in", "hotel.check_out", "hotel.city")
    assert told("flights to Rome, no hotel needed").agents == ("flight",)


# From TravelPlanner (J. Xie et al., ICML 2024, MIT), STAR (J. E. M. Mosig et al., 2020, MIT) and
# CLINC150 (S. Larson et al., EMNLP 2019, CC BY 3.0).
@pytest.mark.parametrize(
    ("said", "agents"),
    [
        (
            "Please provide me with a travel plan that departs from Las Vegas to Denver for 3 days, "
            "from March 12th to March 14th, 2022. The budget for this solo trip is $1,600.",
            ("flight", "hotel"),
        ),
        ("HI I would like to search a flight from Chicago to Detroit on Sunday", ("flight",)),
        ("Hi, I need a hotel ", ("hotel",)),
        ("tell me how the traffic is on rt 7 to the airport today", ()),
        ("is it possible to make a reservation at sushi king in virginia beach", ()),
    ],
)
def test_messages_that_other_people_wrote_reach_the_right_agents(said: str, agents: tuple[str, ...]) -> None:
    assert told(said).agents == agents


@pytest.mark.parametrize("said", ["actually, make it Lisbon", "Lisbon instead", "what about Lisbon?"])
def test_place_that_takes_the_goals_place_is_no_start_though_one_is_asked_for(said: str) -> None:
    understood = told("a flight to Rome", said)
    assert understood.flight.origin is None
    assert understood.flight.destination is not None
    assert understood.flight.destination.city.name == "Lisbon"


def test_question_about_a_place_is_no_answer_to_where_from() -> None:
    understood = told("a flight to Rome", "is it warm in Lisbon?")
    assert (understood.relation, understood.flight.origin) == ("other", None)
